// SPDX-License-Identifier: Apache-2.0

/// A decoding container over the members of an object.
struct ObjectDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let session: DecodingSession
    /// The index of the object on the tape.
    let index: Int
    /// The number of containers around the object.
    let depth: Int
    /// A Boolean value that indicates whether members are found by an index of the keys.
    let isIndexed: Bool

    var codingPath: [any CodingKey] { session.codingPath(of: index) }

    var allKeys: [Key] { session.keys(of: index).compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { find(key) >= 0 }

    /// Returns the index of a key's value, or -1 if the object has no such key.
    @inline(__always)
    private func find(_ key: Key) -> Int {
        session.member(key.stringValue, of: index, depth: depth, isIndexed: isIndexed)
    }

    /// Returns the index of a key's value, or throws if the object has no such key.
    @inline(__always)
    private func valueIndex<T>(of key: Key, as type: T.Type) throws -> Int {
        let valueIndex = find(key)
        if valueIndex < 0 { throw session.missing(key, type, in: index) }
        return valueIndex
    }

    /// Returns the index of a key's value, or -1 if it is missing or null.
    @inline(__always)
    private func present(_ key: Key) -> Int {
        let valueIndex = find(key)
        return valueIndex >= 0 && session.isNull(valueIndex) ? -1 : valueIndex
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        session.isNull(try valueIndex(of: key, as: Never.self))
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try session.value(type, at: valueIndex(of: key, as: type), depth: depth + 1)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.value(type, at: valueIndex, depth: depth + 1)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let valueIndex = try valueIndex(of: key, as: [String: Any].self)
        return KeyedDecodingContainer(try session.members(type, at: valueIndex, depth: depth + 1))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try session.elements(at: valueIndex(of: key, as: [Any].self), depth: depth + 1)
    }

    func superDecoder() throws -> any Decoder { superDecoder(DocumentKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(key) }

    /// Returns a decoder for a member; for a missing one a decoder of null, as its type may need no
    /// value.
    private func superDecoder(_ key: some CodingKey) -> any Decoder {
        let valueIndex = session.member(
            key.stringValue, of: index, depth: depth, isIndexed: isIndexed)
        return ValueDecoder(
            session, valueIndex < 0 ? session.absent(key, in: index) : valueIndex, depth + 1)
    }
}

// MARK: - Scalars

extension ObjectDecodingContainer {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try session.bool(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.bool(valueIndex)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try session.string(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.string(valueIndex)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try session.double(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.double(valueIndex)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try session.float(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.float(valueIndex)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try session.integer(valueIndex(of: key, as: type))
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        let valueIndex = present(key)
        return valueIndex < 0 ? nil : try session.integer(valueIndex)
    }
}
