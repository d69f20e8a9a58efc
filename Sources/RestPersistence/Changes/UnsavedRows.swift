// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The rows that unsaved changes of contexts concern.
///
/// A context belongs to one isolation region, so that an eviction cannot read its changes. Contexts that
/// outlast a transaction note the keys here instead: those of programs, of calls such as
/// ``ManagedObjectStore/perform(_:)``, and of bulk imports.
final class UnsavedRows: Sendable {
    private struct Entry: Sendable {
        weak let keys: UnsavedKeys?
    }

    /// The keys of each context, which releases them.
    private let entries = Mutex<[Entry]>([])

    /// Returns keys for a new context to own.
    func track() -> UnsavedKeys {
        let keys = UnsavedKeys()
        entries.withLock { entries in
            entries.removeAll { $0.keys == nil }
            entries.append(Entry(keys: keys))
        }
        return keys
    }

    /// The keys of all contexts.
    var keys: Set<Int64> {
        entries.withLock { entries in
            entries.reduce(into: []) { all, entry in
                if let keys = entry.keys { all.formUnion(keys.all) }
            }
        }
    }
}

/// The keys of the rows that the unsaved changes of a context concern, and possibly of some that they no
/// longer do.
final class UnsavedKeys: Sendable {
    private let keys = Mutex<Set<Int64>>([])

    var all: Set<Int64> { keys.withLock(\.self) }

    func insert(_ key: Int64) { keys.withLock { _ = $0.insert(key) } }

    func formUnion(_ other: Set<Int64>) { keys.withLock { $0.formUnion(other) } }

    func replace(by new: Set<Int64>) { keys.withLock { $0 = new } }
}
