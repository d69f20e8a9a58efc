// SPDX-License-Identifier: Apache-2.0

/// The order of the elements of sets and dictionaries, which is otherwise that of the hashes in the process.
extension EncodingSession {
    /// Encodes a set as an array, in the order of the texts of its elements.
    func write<Element: Encodable>(
        sorting elements: Set<Element>, in parent: Int, step: Int
    ) throws {
        var texts: [String] = []
        for element in elements { texts.append(try sortedText(of: element)) }
        write(texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, in: parent, step: step)
    }

    /// Encodes a dictionary as an array of keys and values, in the order of the texts of the keys.
    func write<Key: Encodable, Value: Encodable>(
        sorting members: [Key: Value], in parent: Int, step: Int
    ) throws {
        var texts: [(key: String, value: String)] = []
        for (key, value) in members {
            texts.append((try sortedText(of: key), try sortedText(of: value)))
        }
        texts.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        write(texts.flatMap { [$0.key, $0.value] }, in: parent, step: step)
    }

    /// Returns the text of a value, whose members are sorted as well.
    private func sortedText(of value: some Encodable) throws -> String {
        JSONWriter(sortsKeys: true).text(of: try encoder.encode(value))
    }

    /// Appends an array of values that are encoded.
    private func write(_ texts: [String], in parent: Int, step: Int) {
        let record = newRecord(in: parent, step: step)
        beginArray(record)
        for text in texts {
            _ = beginElement(of: record)
            self.text.appendPlain(text)
        }
        endValue(record)
    }
}

extension DocumentEncoder {
    /// An encoder of equal values as equal bytes, in every process.
    package static let sorted: DocumentEncoder = {
        var encoder = DocumentEncoder()
        encoder.sortsHashedValues = true
        encoder.writer = JSONWriter(sortsKeys: true)
        return encoder
    }()
}
