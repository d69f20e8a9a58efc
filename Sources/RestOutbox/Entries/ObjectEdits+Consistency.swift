// SPDX-License-Identifier: Apache-2.0

extension ObjectEdits {
    /// Returns the rules that the edits of an object break, each in a few words; none unless the outbox has a
    /// defect.
    ///
    /// - Complexity: O(*n* · *m*) for *n* entries and *m* properties.
    package func inconsistencies() -> [String] {
        var found: [String] = []
        if entries.dropFirst().contains(where: { $0.attempt != nil }) {
            found.append("a later entry has an attempt")
        }
        if zip(entries, entries.dropFirst()).contains(where: { $0.sequence >= $1.sequence }) {
            found.append("entries are out of order")
        }
        if entries.dropLast().contains(where: { !$0.isClosed }) {
            found.append("an open entry is before another one")
        }
        if entries.last?.kind == .deletion, local != nil {
            found.append("the object is shown in spite of its deletion")
        }
        var carried: Set<String> = []
        // What an abandoned entry leaves is not known, and read once its request has ended.
        for index in entries.indices
        where entries[index].kind != .deletion && entries[index].state != .abandoned {
            let values = values(at: index)
            if entries[index].kind == .update, values.isEmpty {
                found.append("an update has no values")
            }
            carried.formUnion(values.keys)
        }
        for property in base.keys.sorted() where !carried.contains(property) {
            found.append("no entry sends the edit of \(property)")
        }
        for property in carried.sorted() where base[property] == nil && !awaitsCreation {
            found.append("the edit of \(property) has no base")
        }
        return found
    }
}
