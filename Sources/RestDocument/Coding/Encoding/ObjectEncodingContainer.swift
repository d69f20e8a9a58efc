// SPDX-License-Identifier: Apache-2.0

/// An encoding container that adds members to an object.
struct ObjectEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let session: EncodingSession
    let record: Int

    var codingPath: [any CodingKey] { session.codingPath(of: record) }

    /// Begins a member whose encoding cannot fail.
    @inline(__always)
    private func begin(_ key: Key) { _ = session.beginMember(key.stringValue, of: record) }

    func encodeNil(forKey key: Key) throws {
        begin(key)
        session.text.append("null")
    }

    func encode(_ value: String, forKey key: Key) throws {
        begin(key)
        session.text.appendQuoted(value)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        let text = try session.text(of: value, in: self, key)
        begin(key)
        session.append(value, or: text)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        let text = try session.text(of: value, in: self, key)
        begin(key)
        session.append(value, or: text)
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let savepoint = session.savepoint(record)
        let step = session.beginMember(key.stringValue, of: record)
        do {
            try session.write(value, in: record, step: step)
        } catch {
            session.rollBack(to: savepoint)
            throw error
        }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = session.nested(key.stringValue, of: record, .object)
        session.beginObject(nested)
        return KeyedEncodingContainer(
            ObjectEncodingContainer<NestedKey>(session: session, record: nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = session.nested(key.stringValue, of: record, .array)
        session.beginArray(nested)
        return ArrayEncodingContainer(session: session, record: nested)
    }

    func superEncoder() -> any Encoder { superEncoder("super") }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key.stringValue) }

    private func superEncoder(_ key: String) -> any Encoder {
        let step = session.beginMember(key, of: record)
        return ValueEncoder(session: session, record: session.newRecord(in: record, step: step))
    }

    func encode(_ value: Bool, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: Int8, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: Int16, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: Int32, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: Int64, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: Int128, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: UInt, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: UInt8, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: UInt16, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: UInt32, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: UInt64, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        begin(key)
        session.text.append(value)
    }
}
