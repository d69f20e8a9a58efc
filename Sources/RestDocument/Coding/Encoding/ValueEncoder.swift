// SPDX-License-Identifier: Apache-2.0

/// An encoder for one value.
struct ValueEncoder: Encoder {
    let session: EncodingSession
    let record: Int

    var codingPath: [any CodingKey] { session.codingPath(of: record) }

    var userInfo: [CodingUserInfoKey: Any] { session.encoder.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        session.beginObject(record)
        return KeyedEncodingContainer(ObjectEncodingContainer(session: session, record: record))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        session.beginArray(record)
        return ArrayEncodingContainer(session: session, record: record)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws {
        session.beginScalar(record)
        session.text.append("null")
    }

    func encode(_ value: String) throws {
        session.beginScalar(record)
        session.text.appendQuoted(value)
    }

    func encode(_ value: Double) throws {
        let text = try session.text(of: value, in: self)
        session.beginScalar(record)
        session.append(value, or: text)
    }

    func encode(_ value: Float) throws {
        let text = try session.text(of: value, in: self)
        session.beginScalar(record)
        session.append(value, or: text)
    }

    func encode<T: Encodable>(_ value: T) throws {
        try session.writeInPlace(value, of: record)
    }

    func encode(_ value: Bool) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: Int) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: Int8) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: Int16) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: Int32) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: Int64) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: Int128) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: UInt) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: UInt8) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: UInt16) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: UInt32) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: UInt64) throws {
        session.beginScalar(record)
        session.text.append(value)
    }

    func encode(_ value: UInt128) throws {
        session.beginScalar(record)
        session.text.append(value)
    }
}
