// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A type that the decoder reads itself, without the containers its own code would ask for.
protocol DirectDecodable {
    /// Reads a value.
    ///
    /// - Parameters:
    ///   - run: The decoding.
    ///   - index: The value's place.
    ///   - depth: How many containers are around it.
    ///   - room: Uninitialized memory for one value of this very type, which is initialized unless
    ///     an error is thrown.
    /// - Throws: A `DecodingError`, or what a type's own code throws.
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws
}

/// Initializes the room for a value.
///
/// Invariant: `T` is the type whose `read` was called, and the room is uninitialized memory for one
/// `T`, which the caller has made and moves the value out of.
@inline(__always)
private func put<T>(_ value: T, into room: UnsafeMutableRawPointer) {
    unsafe room.initializeMemory(as: T.self, to: value)
}

extension Bool: DirectDecodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try run.bool(index), into: room)
    }
}

extension String: DirectDecodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try run.string(index), into: room)
    }
}

extension Double: DirectDecodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try run.double(index), into: room)
    }
}

extension Float: DirectDecodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try run.float(index), into: room)
    }
}

extension DirectDecodable where Self: FixedWidthInteger & Decodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try run.whole(index) as Self, into: room)
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
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try run.date(index, depth: depth), into: room)
    }
}

extension Data: DirectDecodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try run.data(index, depth: depth), into: room)
    }
}

extension URL: DirectDecodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try run.url(index), into: room)
    }
}

extension UUID: DirectDecodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try run.uuid(index), into: room)
    }
}

extension Decimal: DirectDecodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        unsafe put(try run.decimal(index), into: room)
    }
}

// MARK: - Containers

extension Optional: DirectDecodable where Wrapped: Decodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        let value =
            run.isNull(index)
            ? nil : try run.value(Wrapped.self, at: index, depth: depth)
        unsafe put(value, into: room)
    }
}

extension Array: DirectDecodable where Element: Decodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        guard run.node(index).kind == .array else {
            throw run.fault([Any].self, at: index)
        }
        // The types most arrays are of, in loops that know them.
        if Element.self == Double.self {
            unsafe put(try run.scalars(index, depth, run.double), into: room)
        } else if Element.self == String.self {
            unsafe put(try run.scalars(index, depth, run.string), into: room)
        } else if Element.self == Int.self {
            unsafe put(try run.scalars(index, depth, run.whole) as [Int], into: room)
        } else {
            unsafe put(try run.elements(Element.self, index, depth), into: room)
        }
    }
}

extension Dictionary: DirectDecodable where Key: Decodable, Value: Decodable {
    static func read(
        _ run: DecodingRun, at index: Int, depth: Int, into room: UnsafeMutableRawPointer
    ) throws {
        if Key.self == String.self {
            let members: [String: Value] = try run.dictionary(index, depth) { key in key }
            unsafe put(members, into: room)
        } else if Key.self == Int.self {
            let members: [Int: Value] = try run.dictionary(index, depth) { key in
                if let number = Int(key) { return number }
                throw run.notANumber(key, in: index)
            }
            unsafe put(members, into: room)
        } else {
            unsafe put(try run.plainValue(Self.self, at: index, depth: depth), into: room)
        }
    }
}

extension DecodingRun {
    /// The elements of an array of a known type.
    @inline(__always)
    fileprivate func scalars<Element>(
        _ index: Int, _ depth: Int, _ read: (Int) throws -> Element
    ) throws -> [Element] {
        let array = view(index)
        var elements: [Element] = []
        elements.reserveCapacity(array.count)
        var next = index &+ 1
        let end = array.contentEnd
        var position = 0
        while next < end {
            visit(next, at: position, of: index, depth: depth)
            elements.append(try read(next))
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
        var position = 0
        let isPlain = direct(type) == nil
        while next < end {
            visit(next, at: position, of: index, depth: depth)
            elements.append(
                isPlain
                    ? try plainValue(type, at: next, depth: depth &+ 1)
                    : try value(type, at: next, depth: depth &+ 1))
            next = view(next).nextIndex
            position &+= 1
        }
        return elements
    }

    /// The members of an object, the last one where keys repeat; keys are not converted.
    fileprivate func dictionary<Key: Hashable, Value: Decodable>(
        _ index: Int, _ depth: Int, _ makeKey: (String) throws -> Key
    ) throws -> [Key: Value] {
        guard node(index).kind == .object else {
            throw fault([String: Any].self, at: index)
        }
        let object = view(index)
        var members: [Key: Value] = [:]
        members.reserveCapacity(object.count)
        for member in object.members {
            visit(member.value.index, of: index, depth: depth)
            let key = try makeKey(member.key.string() ?? "")
            members[key] = try value(Value.self, at: member.value.index, depth: depth &+ 1)
        }
        return members
    }

    /// The error of a key that is not the text of a number.
    fileprivate func notANumber(_ key: String, in object: Int) -> DecodingError {
        failure = object
        return .typeMismatch(
            Int.self,
            DecodingError.Context(
                codingPath: codingPath(of: object) + [DocumentKey(stringValue: key)],
                debugDescription: "Expected a key that is a whole number."))
    }
}
