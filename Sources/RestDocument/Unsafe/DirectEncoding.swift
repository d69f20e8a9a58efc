// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type that the encoder writes itself, without the containers its own code would ask for.
protocol DirectEncodable {
    /// Writes a value where the text ends now.
    ///
    /// - Parameters:
    ///   - value: A value of this very type.
    ///   - run: The encoding.
    ///   - parent: The record of the container around the value.
    ///   - step: The value's position there, or where its key begins.
    /// - Throws: An `EncodingError`, or what a type's own code throws.
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws
}

extension DirectEncodable {
    /// The value a pointer leads to.
    @inline(__always)
    fileprivate static func value(_ value: UnsafeRawPointer) -> Self {
        unsafe value.assumingMemoryBound(to: Self.self).pointee
    }
}

extension DirectEncodable where Self: FixedWidthInteger {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        run.text.append(unsafe Self.value(value))
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
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        run.text.append(unsafe Self.value(value))
    }
}

extension String: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        run.text.appendQuoted(unsafe Self.value(value))
    }
}

extension Double: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        try run.append(unsafe Self.value(value), in: parent, step: step)
    }
}

extension Float: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        try run.append(unsafe Self.value(value), in: parent, step: step)
    }
}

extension Date: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        try run.append(unsafe Self.value(value), in: parent, step: step)
    }
}

extension Data: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        try run.append(unsafe Self.value(value), in: parent, step: step)
    }
}

extension Decimal: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        try run.append(unsafe Self.value(value), in: parent, step: step)
    }
}

extension URL: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        run.text.appendQuoted(unsafe Self.value(value).absoluteString)
    }
}

extension UUID: DirectEncodable {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        run.text.appendQuoted(unsafe Self.value(value).uuidString)
    }
}

// MARK: - Containers

extension Optional: DirectEncodable where Wrapped: Encodable {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        switch unsafe Self.value(value) {
        case nil: run.text.append("null")
        case .some(let wrapped): try run.write(wrapped, in: parent, step: step)
        }
    }
}

extension Array: DirectEncodable where Element: Encodable {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        let record = run.newRecord(in: parent, step: step)
        run.beginArray(record)
        if Element.self == Double.self {
            // Invariant: the type was just compared.
            for element in unsafe value.assumingMemoryBound(to: [Double].self).pointee {
                let position = run.beginElement(of: record)
                try run.append(element, in: record, step: position)
            }
        } else {
            for element in unsafe Self.value(value) {
                let position = run.beginElement(of: record)
                try run.write(element, in: record, step: position)
            }
        }
        run.endValue(record)
    }
}

extension Dictionary: DirectEncodable where Key: Encodable, Value: Encodable {
    static func write(
        _ value: UnsafeRawPointer, to run: EncodingRun, in parent: Int, step: Int
    ) throws {
        // Invariant: a type is assumed after it was compared.
        if Key.self == String.self {
            let members = unsafe value.assumingMemoryBound(to: [String: Value].self).pointee
            try run.write(members, in: parent, step: step) { key in key }
        } else if Key.self == Int.self {
            let members = unsafe value.assumingMemoryBound(to: [Int: Value].self).pointee
            try run.write(members, in: parent, step: step) { key in key.description }
        } else {
            try run.writePlain(unsafe Self.value(value), in: parent, step: step)
        }
    }
}

extension EncodingRun {
    /// Writes a dictionary as an object, its keys not converted.
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

    /// Writes the value that a single-value container holds, in that container's place.
    func writeInPlace<T: Encodable>(_ value: T, of record: Int) throws {
        focus(record)
        let (length, textBefore, recordsBefore) = (text.count, textIndex, records.count)
        beginScalar(record)
        let openCount = open.count
        do {
            try write(value, in: self[record].parent, step: self[record].step)
        } catch {
            takeBack(
                inPlace: record, text: textBefore, length: length, openCount, recordsBefore)
            throw error
        }
    }
}
