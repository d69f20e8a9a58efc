// SPDX-License-Identifier: Apache-2.0

/// The members of an object, as a type's own code adds them.
struct MemberEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let run: EncodingRun
    let record: Int

    var codingPath: [any CodingKey] { run.codingPath(of: record) }

    /// Begins a member that cannot fail.
    @inline(__always)
    private func begin(_ key: Key) { _ = run.beginMember(key.stringValue, of: record) }

    func encodeNil(forKey key: Key) throws {
        begin(key)
        run.text.append("null")
    }

    func encode(_ value: String, forKey key: Key) throws {
        begin(key)
        run.text.appendQuoted(value)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        let text = try run.text(of: value, in: self, key)
        begin(key)
        run.append(value, or: text)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        let text = try run.text(of: value, in: self, key)
        begin(key)
        run.append(value, or: text)
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let mark = run.mark(record)
        let step = run.beginMember(key.stringValue, of: record)
        do {
            try run.write(value, in: record, step: step)
        } catch {
            run.takeBack(to: mark)
            throw error
        }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = run.nested(key.stringValue, of: record, .object)
        run.beginObject(nested)
        return KeyedEncodingContainer(MemberEncoding<NestedKey>(run: run, record: nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = run.nested(key.stringValue, of: record, .array)
        run.beginArray(nested)
        return ElementEncoding(run: run, record: nested)
    }

    func superEncoder() -> any Encoder { superEncoder("super") }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key.stringValue) }

    private func superEncoder(_ key: String) -> any Encoder {
        let step = run.beginMember(key, of: record)
        return ValueEncoder(run: run, record: run.newRecord(in: record, step: step))
    }

    func encode(_ value: Bool, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: Int8, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: Int16, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: Int32, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: Int64, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: Int128, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: UInt, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: UInt8, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: UInt16, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: UInt32, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: UInt64, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        begin(key)
        run.text.append(value)
    }
}
