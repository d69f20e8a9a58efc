// SPDX-License-Identifier: Apache-2.0

/// A decoder for one value of a document.
struct ValueDecoder: Decoder {
    let session: DecodingSession
    /// The index of the value on the tape; negative for a missing value.
    let index: Int32
    /// The number of containers around the value.
    let depth: Int32

    init(_ session: DecodingSession, _ index: Int, _ depth: Int) {
        self.session = session
        self.index = Int32(truncatingIfNeeded: index)
        self.depth = Int32(truncatingIfNeeded: depth)
    }

    var codingPath: [any CodingKey] { session.codingPath(of: Int(index)) }

    var userInfo: [CodingUserInfoKey: Any] { session.decoder.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try session.members(type, at: Int(index), depth: Int(depth)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try session.elements(at: Int(index), depth: Int(depth))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { session.isNull(Int(index)) }

    func decode(_ type: Bool.Type) throws -> Bool { try session.bool(Int(index)) }
    func decode(_ type: String.Type) throws -> String { try session.string(Int(index)) }
    func decode(_ type: Double.Type) throws -> Double { try session.double(Int(index)) }
    func decode(_ type: Float.Type) throws -> Float { try session.float(Int(index)) }
    func decode(_ type: Int.Type) throws -> Int { try session.integer(Int(index)) }
    func decode(_ type: Int8.Type) throws -> Int8 { try session.integer(Int(index)) }
    func decode(_ type: Int16.Type) throws -> Int16 { try session.integer(Int(index)) }
    func decode(_ type: Int32.Type) throws -> Int32 { try session.integer(Int(index)) }
    func decode(_ type: Int64.Type) throws -> Int64 { try session.integer(Int(index)) }
    func decode(_ type: Int128.Type) throws -> Int128 { try session.integer(Int(index)) }
    func decode(_ type: UInt.Type) throws -> UInt { try session.integer(Int(index)) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try session.integer(Int(index)) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try session.integer(Int(index)) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try session.integer(Int(index)) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try session.integer(Int(index)) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try session.integer(Int(index)) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try session.value(type, at: Int(index), depth: Int(depth))
    }
}
