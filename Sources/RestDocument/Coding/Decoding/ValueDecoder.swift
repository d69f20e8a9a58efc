// SPDX-License-Identifier: Apache-2.0

/// One value of a document, as a type's own code sees it.
struct ValueDecoder: Decoder {
    let run: DecodingRun
    /// The value's place on the tape; negative for a value that is not there.
    let index: Int32
    /// How many containers are around the value.
    let depth: Int32

    init(_ run: DecodingRun, _ index: Int, _ depth: Int) {
        self.run = run
        self.index = Int32(truncatingIfNeeded: index)
        self.depth = Int32(truncatingIfNeeded: depth)
    }

    var codingPath: [any CodingKey] { run.codingPath(of: Int(index)) }

    var userInfo: [CodingUserInfoKey: Any] { run.decoder.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try run.members(type, at: Int(index), depth: Int(depth)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try run.elements(at: Int(index), depth: Int(depth))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { run.isNull(Int(index)) }

    func decode(_ type: Bool.Type) throws -> Bool { try run.bool(Int(index)) }
    func decode(_ type: String.Type) throws -> String { try run.string(Int(index)) }
    func decode(_ type: Double.Type) throws -> Double { try run.double(Int(index)) }
    func decode(_ type: Float.Type) throws -> Float { try run.float(Int(index)) }
    func decode(_ type: Int.Type) throws -> Int { try run.whole(Int(index)) }
    func decode(_ type: Int8.Type) throws -> Int8 { try run.whole(Int(index)) }
    func decode(_ type: Int16.Type) throws -> Int16 { try run.whole(Int(index)) }
    func decode(_ type: Int32.Type) throws -> Int32 { try run.whole(Int(index)) }
    func decode(_ type: Int64.Type) throws -> Int64 { try run.whole(Int(index)) }
    func decode(_ type: Int128.Type) throws -> Int128 { try run.whole(Int(index)) }
    func decode(_ type: UInt.Type) throws -> UInt { try run.whole(Int(index)) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try run.whole(Int(index)) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try run.whole(Int(index)) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try run.whole(Int(index)) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try run.whole(Int(index)) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try run.whole(Int(index)) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try run.value(type, at: Int(index), depth: Int(depth))
    }
}
