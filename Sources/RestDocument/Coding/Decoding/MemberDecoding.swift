// SPDX-License-Identifier: Apache-2.0

/// The members of an object, as a type's own code sees them.
struct MemberDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let run: DecodingRun
    /// The object's place on the tape.
    let index: Int
    /// How many containers are around the object.
    let depth: Int
    /// Whether a table of its keys is needed to find a member.
    let isIndexed: Bool

    var codingPath: [any CodingKey] { run.codingPath(of: index) }

    var allKeys: [Key] { run.keys(of: index).compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { find(key) >= 0 }

    /// The place of a key's value; -1 when the object has no such key.
    @inline(__always)
    private func find(_ key: Key) -> Int {
        run.member(key.stringValue, of: index, depth: depth, isIndexed: isIndexed)
    }

    /// The place of a key's value, which must be there.
    @inline(__always)
    private func place<T>(_ key: Key, _ type: T.Type) throws -> Int {
        let place = find(key)
        if place < 0 { throw run.missing(key, type, in: index) }
        return place
    }

    /// The place of a key's value, or -1 when it is not there or null.
    @inline(__always)
    private func present(_ key: Key) -> Int {
        let place = find(key)
        return place >= 0 && run.isNull(place) ? -1 : place
    }

    func decodeNil(forKey key: Key) throws -> Bool { run.isNull(try place(key, Never.self)) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try run.value(type, at: place(key, type), depth: depth + 1)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let place = present(key)
        return place < 0 ? nil : try run.value(type, at: place, depth: depth + 1)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let place = try place(key, [String: Any].self)
        return KeyedDecodingContainer(try run.members(type, at: place, depth: depth + 1))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try run.elements(at: place(key, [Any].self), depth: depth + 1)
    }

    func superDecoder() throws -> any Decoder { superDecoder(DocumentKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(key) }

    /// A decoder of a member; of null where the object has none, as its type may need nothing.
    private func superDecoder(_ key: some CodingKey) -> any Decoder {
        let place = run.member(key.stringValue, of: index, depth: depth, isIndexed: isIndexed)
        return ValueDecoder(
            run, place < 0 ? run.absent(key, in: index) : place, depth + 1)
    }
}

// MARK: - Scalars

extension MemberDecoding {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try run.bool(place(key, type))
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        let place = present(key)
        return place < 0 ? nil : try run.bool(place)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try run.string(place(key, type))
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        let place = present(key)
        return place < 0 ? nil : try run.string(place)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try run.double(place(key, type))
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        let place = present(key)
        return place < 0 ? nil : try run.double(place)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try run.float(place(key, type))
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        let place = present(key)
        return place < 0 ? nil : try run.float(place)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try run.whole(place(key, type))
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        let place = present(key)
        return place < 0 ? nil : try run.whole(place)
    }
}
