// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type that the encoder writes without its `encode(to:)` and its containers.
protocol DirectEncodable {
    /// Appends a value to the text.
    ///
    /// - Parameters:
    ///   - value: A pointer to a value of this type.
    ///   - session: The state of the encoding.
    ///   - parent: The record of the enclosing container.
    ///   - step: The position of the value in the container, or the offset of its key.
    /// - Throws: An `EncodingError`, or an error that a type's own code throws.
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws
}

extension DirectEncodable {
    /// Returns the value that a pointer points to.
    @inline(__always)
    fileprivate static func value(_ value: UnsafeRawPointer) -> Self {
        // Invariant: the caller has compared the type of the value with this one.
        unsafe value.assumingMemoryBound(to: Self.self).pointee
    }
}

extension DirectEncodable where Self: FixedWidthInteger {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        session.text.append(unsafe Self.value(value))
    }
}

extension Int: DirectEncodable {}
extension Int8: DirectEncodable {}
extension Int16: DirectEncodable {}
extension Int32: DirectEncodable {}
extension Int64: DirectEncodable {}
extension Int128: DirectEncodable {}
extension UInt: DirectEncodable {}
extension UInt8: DirectEncodable {}
extension UInt16: DirectEncodable {}
extension UInt32: DirectEncodable {}
extension UInt64: DirectEncodable {}
extension UInt128: DirectEncodable {}

extension Bool: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        session.text.append(unsafe Self.value(value))
    }
}

extension String: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        session.text.appendQuoted(unsafe Self.value(value))
    }
}

extension Double: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        try session.append(unsafe Self.value(value), in: parent, step: step)
    }
}

extension Float: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        try session.append(unsafe Self.value(value), in: parent, step: step)
    }
}

extension Date: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        try session.append(unsafe Self.value(value), in: parent, step: step)
    }
}

extension Data: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        try session.append(unsafe Self.value(value), in: parent, step: step)
    }
}

extension Decimal: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        try session.append(unsafe Self.value(value), in: parent, step: step)
    }
}

extension URL: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        session.text.appendQuoted(unsafe Self.value(value).absoluteString)
    }
}

extension UUID: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        session.text.appendQuoted(unsafe Self.value(value).uuidString)
    }
}

// MARK: - Containers

extension Optional: DirectEncodable where Wrapped: Encodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        switch unsafe Self.value(value) {
        case nil: session.text.append("null")
        case .some(let wrapped): try session.write(wrapped, in: parent, step: step)
        }
    }
}

extension Array: DirectEncodable where Element: Encodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        let record = session.newRecord(in: parent, step: step)
        session.beginArray(record)
        if Element.self == Double.self {
            // Invariant: the comparison above established the type.
            for element in unsafe value.assumingMemoryBound(to: [Double].self).pointee {
                let position = session.beginElement(of: record)
                try session.append(element, in: record, step: position)
            }
        } else {
            for element in unsafe Self.value(value) {
                let position = session.beginElement(of: record)
                try session.write(element, in: record, step: position)
            }
        }
        session.endValue(record)
    }
}

extension Dictionary: DirectEncodable where Key: Encodable, Value: Encodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        // Invariant: memory is bound to a type only after a comparison has established it.
        if Key.self == String.self {
            let members = unsafe value.assumingMemoryBound(to: [String: Value].self).pointee
            try session.write(members, in: parent, step: step) { key in key }
        } else if Key.self == Int.self {
            let members = unsafe value.assumingMemoryBound(to: [Int: Value].self).pointee
            try session.write(members, in: parent, step: step) { key in key.description }
        } else if session.encoder.sortsHashedValues, !(Key.self is any CodingKeyRepresentable.Type)
        {
            try session.write(sorting: unsafe Self.value(value), in: parent, step: step)
        } else {
            try session.encodeByType(unsafe Self.value(value), in: parent, step: step)
        }
    }
}

extension Set: DirectEncodable where Element: Encodable {
    static func write(
        _ value: UnsafeRawPointer, to session: EncodingSession, in parent: Int, step: Int
    ) throws {
        if session.encoder.sortsHashedValues {
            try session.write(sorting: unsafe Self.value(value), in: parent, step: step)
        } else {
            try session.encodeByType(unsafe Self.value(value), in: parent, step: step)
        }
    }
}

extension EncodingSession {
    /// Encodes a dictionary as an object, without converting its keys.
    fileprivate func write<Key, Value: Encodable>(
        _ members: [Key: Value], in parent: Int, step: Int, _ text: (Key) -> String
    ) throws {
        let record = newRecord(in: parent, step: step)
        beginObject(record)
        for (key, value) in members {
            let step = beginDistinctMember(text(key), of: record)
            try write(value, in: record, step: step)
        }
        endValue(record)
    }

    /// Encodes the value of a single-value container in place of the container.
    func writeInPlace<T: Encodable>(_ value: T, of record: Int) throws {
        focus(record)
        let (length, textBefore, recordsBefore) = (text.count, textIndex, records.count)
        beginScalar(record)
        let openCount = open.count
        do {
            try write(value, in: self[record].parent, step: self[record].step)
        } catch {
            rollBack(
                inPlace: record, text: textBefore, length: length, openCount, recordsBefore)
            throw error
        }
    }
}
