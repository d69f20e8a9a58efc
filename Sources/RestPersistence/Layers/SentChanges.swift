// SPDX-License-Identifier: Apache-2.0

import RestMapping
import Synchronization

/// The unsaved values of an object at the time when a request sends them.
///
/// If the request succeeds, the server has them, so that they replace what the store has, except for
/// those that the same context has set and saved since.
package final class SentChanges: Sendable {
    private let values: Mutex<SentValues>
    /// The properties that the request contains, also those whose values are saved.
    let written: WrittenValues

    init(_ values: SentValues, writing written: WrittenValues, isOfNewObject: Bool) {
        self.isOfNewObject = isOfNewObject
        self.values = Mutex(values)
        self.written = written
    }

    /// A Boolean value that indicates whether the object was new when the request was sent.
    package let isOfNewObject: Bool

    /// The values that nothing has replaced since.
    var remaining: SentValues { values.withLock(\.self) }

    fileprivate func removeValues(replacedBy saved: ChangeSet, editsOnly: Bool) {
        values.withLock { $0.removeValues(replacedBy: saved, editsOnly: editsOnly) }
    }
}

extension WriteFence {
    /// Creates the fence of the response to a request, which keeps what its program has set and saved since the
    /// request was sent; returns `nil` if there is nothing to keep.
    ///
    /// The response has the values that were sent, and the program has newer ones.
    ///
    /// - Parameters:
    ///   - fence: What later requests have written; `nil` for nothing.
    ///   - sent: What the request has sent; `nil` for nothing.
    package init?(_ fence: WriteFence?, savedSince sent: SentChanges?) {
        var written = fence?.written ?? WrittenValues()
        if let sent { written.formUnion(sent.remaining.savedSince) }
        if written.isEmpty { return nil }
        self.init(written: written)
    }
}

/// The values that the requests in progress have sent, in the order in which they were assembled.
///
/// The references are weak, so that nothing keeps what failed requests have sent.
struct SentRequests {
    private struct Reference {
        weak var sent: SentChanges?
    }

    private var references: [Reference] = []

    mutating func append(_ sent: SentChanges) {
        references.removeAll { $0.sent == nil }
        references.append(Reference(sent: sent))
    }

    /// Returns the keys of the new rows that other requests are sending, whose responses save them.
    func insertions(except own: SentChanges?) -> Set<Int64> {
        var keys: Set<Int64> = []
        for case let sent? in references.map(\.sent) where sent !== own {
            for table in sent.remaining.changes.tables {
                for slot in 0..<table.count where table.states[slot] == .inserted {
                    keys.insert(table.keys[slot])
                }
            }
        }
        return keys
    }

    /// Returns a Boolean value that indicates whether a request has sent another value of a column.
    func haveSentOther(
        than value: StoredValue, _ column: Int, of key: Int64, _ table: Int
    ) -> Bool {
        references.contains { reference in
            let sent = reference.sent?.remaining.changes.tables[table]
            return sent?.changedValue(key, column).map { $0 != value } ?? false
        }
    }

    /// Forgets the values in whose place a program has set and saved others.
    func removeValues(replacedBy saved: ChangeSet) {
        for reference in references {
            reference.sent?.removeValues(replacedBy: saved, editsOnly: true)
        }
    }

    /// Forgets the values in whose place a later request has sent others, which were saved.
    func removeValues(replacedBy later: SentChanges) {
        let changes = later.remaining.changes
        for reference in references {
            if reference.sent === later { return }
            reference.sent?.removeValues(replacedBy: changes, editsOnly: false)
        }
    }
}
