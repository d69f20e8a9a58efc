// SPDX-License-Identifier: Apache-2.0

/// The place of one value, as a type's own code sees it.
struct ValueEncoder: Encoder {
    let run: EncodingRun
    let record: Int

    var codingPath: [any CodingKey] { run.codingPath(of: record) }

    var userInfo: [CodingUserInfoKey: Any] { run.encoder.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        run.beginObject(record)
        return KeyedEncodingContainer(MemberEncoding(run: run, record: record))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        run.beginArray(record)
        return ElementEncoding(run: run, record: record)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws {
        run.beginScalar(record)
        run.text.append("null")
    }

    func encode(_ value: String) throws {
        run.beginScalar(record)
        run.text.appendQuoted(value)
    }

    func encode(_ value: Double) throws {
        let text = try run.text(of: value, in: self)
        run.beginScalar(record)
        run.append(value, or: text)
    }

    func encode(_ value: Float) throws {
        let text = try run.text(of: value, in: self)
        run.beginScalar(record)
        run.append(value, or: text)
    }

    func encode<T: Encodable>(_ value: T) throws {
        try run.writeInPlace(value, of: record)
    }

    func encode(_ value: Bool) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: Int) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: Int8) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: Int16) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: Int32) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: Int64) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: Int128) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: UInt) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: UInt8) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: UInt16) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: UInt32) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: UInt64) throws {
        run.beginScalar(record)
        run.text.append(value)
    }

    func encode(_ value: UInt128) throws {
        run.beginScalar(record)
        run.text.append(value)
    }
}
