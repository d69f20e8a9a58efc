// SPDX-License-Identifier: Apache-2.0

/// The elements of an array, as a type's own code adds them.
struct ElementEncoding: UnkeyedEncodingContainer {
    let run: EncodingRun
    let record: Int

    var codingPath: [any CodingKey] { run.codingPath(of: record) }

    var count: Int { run[record].count }

    /// Begins an element that cannot fail.
    @inline(__always)
    private func begin() { _ = run.beginElement(of: record) }

    func encodeNil() throws {
        begin()
        run.text.append("null")
    }

    func encode(_ value: String) throws {
        begin()
        run.text.appendQuoted(value)
    }

    func encode(_ value: Double) throws {
        let text = try run.text(of: value, in: self)
        begin()
        run.append(value, or: text)
    }

    func encode(_ value: Float) throws {
        let text = try run.text(of: value, in: self)
        begin()
        run.append(value, or: text)
    }

    func encode<T: Encodable>(_ value: T) throws {
        let mark = run.mark(record)
        let step = run.beginElement(of: record)
        do {
            try run.write(value, in: record, step: step)
        } catch {
            run.takeBack(to: mark)
            throw error
        }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = beginNested()
        run.beginObject(nested)
        return KeyedEncodingContainer(MemberEncoding<NestedKey>(run: run, record: nested))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let nested = beginNested()
        run.beginArray(nested)
        return ElementEncoding(run: run, record: nested)
    }

    func superEncoder() -> any Encoder { ValueEncoder(run: run, record: beginNested()) }

    private func beginNested() -> Int {
        let step = run.beginElement(of: record)
        return run.newRecord(in: record, step: step)
    }

    func encode(_ value: Bool) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: Int) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: Int8) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: Int16) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: Int32) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: Int64) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: Int128) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: UInt) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: UInt8) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: UInt16) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: UInt32) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: UInt64) throws {
        begin()
        run.text.append(value)
    }

    func encode(_ value: UInt128) throws {
        begin()
        run.text.append(value)
    }
}
