// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type that the decoder reads without its `init(from:)` and its containers.
protocol DirectDecodable {
    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - session: The state of the decoding.
    ///   - index: The index of the value.
    ///   - depth: The number of containers around the value.
    ///   - memory: Uninitialized memory for one value of this type. It is initialized unless an
    ///     error is thrown.
    /// - Throws: A `DecodingError`, or an error that a type's own code throws.
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws
}

/// Initializes the memory for a value.
///
/// Invariant: `T` is the type whose `read` was called. The memory is uninitialized, has space for
/// one `T`, and belongs to the caller, which moves the value out of it.
@inline(__always)
private func put<T>(_ value: T, into memory: UnsafeMutableRawPointer) {
    unsafe memory.initializeMemory(as: T.self, to: value)
}

extension Bool: DirectDecodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try session.bool(index), into: memory)
    }
}

extension String: DirectDecodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try session.string(index), into: memory)
    }
}

extension Double: DirectDecodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try session.double(index), into: memory)
    }
}

extension Float: DirectDecodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try session.float(index), into: memory)
    }
}

extension DirectDecodable where Self: FixedWidthInteger & Decodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try session.integer(index) as Self, into: memory)
    }
}

extension Int: DirectDecodable {}
extension Int8: DirectDecodable {}
extension Int16: DirectDecodable {}
extension Int32: DirectDecodable {}
extension Int64: DirectDecodable {}
extension Int128: DirectDecodable {}
extension UInt: DirectDecodable {}
extension UInt8: DirectDecodable {}
extension UInt16: DirectDecodable {}
extension UInt32: DirectDecodable {}
extension UInt64: DirectDecodable {}
extension UInt128: DirectDecodable {}

extension Date: DirectDecodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try session.date(index, depth: depth), into: memory)
    }
}

extension Data: DirectDecodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try session.data(index, depth: depth), into: memory)
    }
}

extension URL: DirectDecodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try session.url(index), into: memory)
    }
}

extension UUID: DirectDecodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try session.uuid(index), into: memory)
    }
}

extension Decimal: DirectDecodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try session.decimal(index), into: memory)
    }
}

// MARK: - Containers

extension Optional: DirectDecodable where Wrapped: Decodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        let value =
            session.isNull(index)
            ? nil : try session.value(Wrapped.self, at: index, depth: depth)
        unsafe put(value, into: memory)
    }
}

extension Array: DirectDecodable where Element: Decodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        guard session.node(index).kind == .array else {
            guard session.isEmptyList(index) else {
                throw session.mismatch([Any].self, at: index)
            }
            return unsafe put([] as Self, into: memory)
        }
        // The most common element types have specialized loops.
        if Element.self == Double.self {
            unsafe put(try session.scalars(index, depth, session.double), into: memory)
        } else if Element.self == String.self {
            unsafe put(try session.scalars(index, depth, session.string), into: memory)
        } else if Element.self == Int.self {
            unsafe put(try session.scalars(index, depth, session.integer) as [Int], into: memory)
        } else {
            unsafe put(try session.elements(Element.self, index, depth), into: memory)
        }
    }
}

extension ContiguousArray: DirectDecodable where Element: Decodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        let elements = try session.value([Element].self, at: index, depth: depth)
        unsafe put(ContiguousArray(elements), into: memory)
    }
}

extension Set: DirectDecodable where Element: Decodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        let elements = try session.value([Element].self, at: index, depth: depth)
        unsafe put(Set(elements), into: memory)
    }
}

extension Dictionary: DirectDecodable where Key: Decodable, Value: Decodable {
    static func read(
        _ session: DecodingSession, at index: Int, depth: Int, into memory: UnsafeMutableRawPointer
    ) throws {
        if Key.self == String.self {
            let members: [String: Value] = try session.dictionary(index, depth) { key in key }
            unsafe put(members, into: memory)
        } else if Key.self == Int.self {
            let members: [Int: Value] = try session.dictionary(index, depth) { key in
                if let number = Int(key) { return number }
                throw session.notANumber(key, in: index)
            }
            unsafe put(members, into: memory)
        } else {
            unsafe put(try session.decodeByType(Self.self, at: index, depth: depth), into: memory)
        }
    }
}

extension DecodingSession {
    /// Decodes the elements of an array of a scalar type.
    @inline(__always)
    fileprivate func scalars<Element>(
        _ index: Int, _ depth: Int, _ read: (Int) throws -> Element
    ) throws -> [Element] {
        let array = view(index)
        var elements: [Element] = []
        elements.reserveCapacity(array.count)
        var next = index &+ 1
        let end = array.contentEnd
        let nullCount = nullElements.count
        var position = 0
        while next < end {
            visit(next, at: position, of: index, depth: depth)
            do {
                elements.append(try read(next))
            } catch {
                try leaveOut(next, of: Element.self, after: error, nullCount: nullCount)
            }
            next = view(next).nextIndex
            position &+= 1
        }
        return elements
    }

    fileprivate func elements<Element: Decodable>(
        _ type: Element.Type, _ index: Int, _ depth: Int
    ) throws -> [Element] {
        let array = view(index)
        var elements: [Element] = []
        elements.reserveCapacity(array.count)
        var next = index &+ 1
        let end = array.contentEnd
        let nullCount = nullElements.count
        var position = 0
        let isPlain = direct(type) == nil
        while next < end {
            visit(next, at: position, of: index, depth: depth)
            do {
                elements.append(
                    isPlain
                        ? try decodeByType(type, at: next, depth: depth &+ 1)
                        : try value(type, at: next, depth: depth &+ 1))
            } catch {
                try leaveOut(next, of: type, after: error, nullCount: nullCount)
            }
            next = view(next).nextIndex
            position &+= 1
        }
        return elements
    }

    /// Decodes the members of an object; the last value of a repeated key counts.
    ///
    /// Keys are not converted.
    fileprivate func dictionary<Key: Hashable, Value: Decodable>(
        _ index: Int, _ depth: Int, _ makeKey: (String) throws -> Key
    ) throws -> [Key: Value] {
        guard node(index).kind == .object else {
            guard isEmptyList(index) else { throw mismatch([String: Any].self, at: index) }
            return [:]
        }
        let object = view(index)
        let nullCount = nullElements.count
        var members: [Key: Value] = [:]
        members.reserveCapacity(object.count)
        for member in object.members {
            let element = member.value.index
            visit(element, of: index, depth: depth)
            let key = try makeKey(member.key.string() ?? "")
            do {
                members[key] = try value(Value.self, at: element, depth: depth &+ 1)
            } catch {
                try leaveOut(element, of: Value.self, after: error, nullCount: nullCount)
            }
        }
        return members
    }

    /// Returns the error for a key that is not an integer.
    fileprivate func notANumber(_ key: String, in object: Int) -> DecodingError {
        failure = object
        return .typeMismatch(
            Int.self,
            DecodingError.Context(
                codingPath: codingPath(of: object) + [DocumentKey(stringValue: key)],
                debugDescription: "Expected a key that is a whole number."))
    }
}
