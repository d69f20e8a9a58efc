// SPDX-License-Identifier: Apache-2.0

/// An encoding container that adds elements to an array.
struct ArrayEncodingContainer: UnkeyedEncodingContainer {
    let session: EncodingSession
    let record: Int

    var codingPath: [any CodingKey] { session.codingPath(of: record) }

    var count: Int { session[record].count }

    /// Begins an element whose encoding cannot fail.
    @inline(__always)
    private func begin() { _ = session.beginElement(of: record) }

    func encodeNil() throws {
        begin()
        session.text.append("null")
    }

    func encode(_ value: String) throws {
        begin()
        session.text.appendQuoted(value)
    }

    func encode(_ value: Double) throws {
        let text = try session.text(of: value, in: self)
        begin()
        session.append(value, or: text)
    }

    func encode(_ value: Float) throws {
        let text = try session.text(of: value, in: self)
        begin()
        session.append(value, or: text)
    }

    func encode<T: Encodable>(_ value: T) throws {
        let savepoint = session.savepoint(record)
        let step = session.beginElement(of: record)
        do {
            try session.write(value, in: record, step: step)
        } catch {
            session.rollBack(to: savepoint)
            throw error
        }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = beginNested()
        session.beginObject(nested)
        return KeyedEncodingContainer(
            ObjectEncodingContainer<NestedKey>(session: session, record: nested))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let nested = beginNested()
        session.beginArray(nested)
        return ArrayEncodingContainer(session: session, record: nested)
    }

    func superEncoder() -> any Encoder { ValueEncoder(session: session, record: beginNested()) }

    private func beginNested() -> Int {
        let step = session.beginElement(of: record)
        return session.newRecord(in: record, step: step)
    }

    func encode(_ value: Bool) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: Int) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: Int8) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: Int16) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: Int32) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: Int64) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: Int128) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: UInt) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: UInt8) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: UInt16) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: UInt32) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: UInt64) throws {
        begin()
        session.text.append(value)
    }

    func encode(_ value: UInt128) throws {
        begin()
        session.text.append(value)
    }
}
