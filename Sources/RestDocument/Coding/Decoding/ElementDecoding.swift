// SPDX-License-Identifier: Apache-2.0

/// The elements of an array, as a type's own code sees them.
struct ElementDecoding: UnkeyedDecodingContainer {
    let run: DecodingRun
    /// The array's place on the tape.
    private let index: Int32
    /// The place of the next element.
    private var next: Int32
    /// How many elements were decoded.
    private var position: Int32 = 0
    /// How many containers are around the array.
    private let depth: Int32

    init(_ run: DecodingRun, _ index: Int, _ depth: Int) {
        self.run = run
        self.index = Int32(truncatingIfNeeded: index)
        next = self.index + 1
        self.depth = Int32(truncatingIfNeeded: depth)
    }

    var codingPath: [any CodingKey] { run.codingPath(of: Int(index)) }

    var count: Int? { run.view(Int(index)).count }

    var currentIndex: Int { Int(position) }

    var isAtEnd: Bool { Int(next) >= run.view(Int(index)).contentEnd }

    /// The place of the next element, which must be there.
    @inline(__always)
    private func place<T>(_ type: T.Type) throws -> Int {
        if isAtEnd {
            throw run.ended(type, array: Int(index), position: Int(position))
        }
        run.visit(
            Int(next), at: Int(position), of: Int(index), depth: Int(depth))
        return Int(next)
    }

    /// Goes on after an element was decoded; one that failed stays the next.
    @inline(__always)
    private mutating func advance() {
        next = Int32(truncatingIfNeeded: run.view(Int(next)).nextIndex)
        position &+= 1
    }

    mutating func decodeNil() throws -> Bool {
        guard run.isNull(try place(Never.self)) else { return false }
        advance()
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try run.value(type, at: place(type), depth: Int(depth) + 1)
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
        let place = try place([String: Any].self)
        let members = try run.members(type, at: place, depth: Int(depth) + 1)
        advance()
        return KeyedDecodingContainer(members)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let elements = try run.elements(at: place([Any].self), depth: Int(depth) + 1)
        advance()
        return elements
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = ValueDecoder(run, try place((any Decoder).self), Int(depth) + 1)
        advance()
        return decoder
    }
}

// MARK: - Scalars

extension ElementDecoding {
    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let value: Bool = try run.bool(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let value: String = try run.string(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let value: Double = try run.double(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        let value: Float = try run.float(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        let value: Int = try run.whole(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        let value: Int8 = try run.whole(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        let value: Int16 = try run.whole(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        let value: Int32 = try run.whole(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        let value: Int64 = try run.whole(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let value: Int128 = try run.whole(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        let value: UInt = try run.whole(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        let value: UInt8 = try run.whole(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        let value: UInt16 = try run.whole(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        let value: UInt32 = try run.whole(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        let value: UInt64 = try run.whole(place(type))
        advance()
        return value
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let value: UInt128 = try run.whole(place(type))
        advance()
        return value
    }
}
