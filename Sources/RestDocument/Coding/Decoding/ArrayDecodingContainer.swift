// SPDX-License-Identifier: Apache-2.0

/// A decoding container over the elements of an array.
struct ArrayDecodingContainer: UnkeyedDecodingContainer {
    let session: DecodingSession
    /// The index of the array on the tape.
    private let index: Int32
    /// The index of the next element.
    private var next: Int32
    /// The number of decoded elements.
    private var position: Int32 = 0
    /// The number of containers around the array.
    private let depth: Int32

    init(_ session: DecodingSession, _ index: Int, _ depth: Int) {
        self.session = session
        self.index = Int32(truncatingIfNeeded: index)
        next = self.index + 1
        self.depth = Int32(truncatingIfNeeded: depth)
    }

    var codingPath: [any CodingKey] { session.codingPath(of: Int(index)) }

    var count: Int? { session.view(Int(index)).count }

    var currentIndex: Int { Int(position) }

    var isAtEnd: Bool { Int(next) >= session.view(Int(index)).contentEnd }

    /// Returns the index of the next element, or throws at the end of the array.
    @inline(__always)
    private func nextIndex<T>(as type: T.Type) throws -> Int {
        if isAtEnd {
            throw session.ended(type, array: Int(index), position: Int(position))
        }
        session.visit(
            Int(next), at: Int(position), of: Int(index), depth: Int(depth))
        return Int(next)
    }

    /// Moves to the next element after successful decoding; a failed element remains the next one.
    @inline(__always)
    private mutating func advance() {
        next = Int32(truncatingIfNeeded: session.view(Int(next)).nextIndex)
        position &+= 1
    }

    mutating func decodeNil() throws -> Bool {
        guard session.isNull(try nextIndex(as: Never.self)) else { return false }
        advance()
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try session.value(type, at: nextIndex(as: type), depth: Int(depth) + 1)
        advance()
        return value
    }

    mutating func decodeIfPresent<T: Decodable>(_ type: T.Type) throws -> T? {
        if try isAtEnd || decodeNil() { return nil }
        return try decode(type)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let nextIndex = try nextIndex(as: [String: Any].self)
        let members = try session.members(type, at: nextIndex, depth: Int(depth) + 1)
        advance()
        return KeyedDecodingContainer(members)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let elements = try session.elements(at: nextIndex(as: [Any].self), depth: Int(depth) + 1)
        advance()
        return elements
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = ValueDecoder(session, try nextIndex(as: (any Decoder).self), Int(depth) + 1)
        advance()
        return decoder
    }
}

// MARK: - Scalars

extension ArrayDecodingContainer {
    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let value: Bool = try session.bool(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let value: String = try session.string(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let value: Double = try session.double(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        let value: Float = try session.float(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        let value: Int = try session.integer(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        let value: Int8 = try session.integer(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        let value: Int16 = try session.integer(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        let value: Int32 = try session.integer(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        let value: Int64 = try session.integer(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let value: Int128 = try session.integer(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        let value: UInt = try session.integer(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        let value: UInt8 = try session.integer(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        let value: UInt16 = try session.integer(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        let value: UInt32 = try session.integer(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        let value: UInt64 = try session.integer(nextIndex(as: type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let value: UInt128 = try session.integer(nextIndex(as: type))
        advance()
        return value
    }
}
