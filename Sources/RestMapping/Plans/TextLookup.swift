// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A hash table of the texts that the first matchers of a dynamic mapping compare with the value of one
/// key.
///
/// It serves the usual case of short texts without decoding or retaining anything.
final class TextLookup: Sendable {
    private let key: TextKey
    private let name: String
    private let texts: [(text: TextKey, candidate: Int)]
    /// The index of a text, or -1; the count is a power of two.
    private let slots: [Int32]

    /// Creates a table; `nil` if a text is too long.
    ///
    /// - Parameters:
    ///   - key: The key whose value is compared.
    ///   - texts: The texts, each with its candidate.
    init?(of key: String, _ texts: [(text: String, candidate: Int)]) {
        self.key = TextKey(key)
        name = key
        self.texts = texts.map { (TextKey($0.text), $0.candidate) }
        guard self.texts.allSatisfy(\.text.isWhole) else { return nil }
        var count = 4
        while count < texts.count * 2 { count *= 2 }
        var slots = [Int32](repeating: -1, count: count)
        for (index, entry) in self.texts.enumerated() {
            var slot = entry.text.tableHash & (count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (count - 1) }
            slots[slot] = Int32(index)
        }
        self.slots = slots
    }

    /// Returns the candidate for an object; `nil` if the tests have to decide.
    func candidate(in object: NodeView) -> Int? {
        guard let value = object.member(key, name), value.kind == .string else { return nil }
        let text = TextKey(value)
        var slot = text.tableHash & (slots.count - 1)
        while slots[slot] >= 0 {
            let entry = texts[Int(slots[slot])]
            if entry.text == text { return entry.candidate }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }
}
