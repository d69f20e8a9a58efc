// SPDX-License-Identifier: Apache-2.0

import RestRows

extension ObjectEdits {
    /// Discards an entry.
    ///
    /// Its properties get the values that the entries before it leave, unless a later one carries them. A new
    /// object is discarded with all entries of it; the deletion of an object, so that it is as before.
    ///
    /// - Returns: The entries that are void; `nil` if a request of the entry may be executed, or the deletion is
    ///   not the last entry.
    mutating func discard(_ sequence: Int64, _ next: inout Int64) -> [OutboxEntry]? {
        guard let index = entries.firstIndex(where: { $0.sequence == sequence }) else { return nil }
        let entry = entries[index]
        if entry.attempt != nil, entry.state != .uncertain { return nil }
        switch entry.kind {
        case .command:
            entries.remove(at: index)
            return [entry]
        case .creation:
            let void = entries
            (local, entries, base, unknown) = (nil, [], [:], [])
            return void
        case .deletion:
            guard index == entries.indices.last else { return nil }
            local = entry.values.merging(left(before: index)) { $1 }
            entries.removeLast()
        case .update:
            let before = left(before: index)
            let later = carried(after: index)
            for property in values(at: index).keys where !later.contains(property) {
                if let value = before[property] { local?[property] = value }
            }
            entries.remove(at: index)
        }
        reconcile(by: entry.principal, &next)
        return [entry]
    }
}
