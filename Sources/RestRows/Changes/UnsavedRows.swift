// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The rows that unsaved changes of contexts concern.
///
/// A context belongs to one isolation region, so that an eviction cannot read its changes. Contexts that
/// outlast a transaction note the keys here instead: those of programs, of calls such as
/// ``ManagedObjectStore/perform(_:)``, and of bulk imports.
package final class UnsavedRows: Sendable {
    fileprivate struct Entry: Sendable {
        weak let keys: UnsavedKeys?
    }

    /// The keys of each context, which releases them.
    fileprivate let entries = Mutex<[Entry]>([])

    /// Returns keys for a new context to own.
    package func track() -> UnsavedKeys {
        let keys = UnsavedKeys()
        entries.withLock { entries in
            entries.removeAll { $0.keys == nil }
            entries.append(Entry(keys: keys))
        }
        return keys
    }

    /// The keys of all contexts.
    package var keys: Set<Int64> {
        entries.withLock { entries in
            entries.reduce(into: []) { all, entry in
                if let keys = entry.keys { all.formUnion(keys.all) }
            }
        }
    }
}

extension UnsavedRows {
    /// Returns the number of contexts with unsaved changes, except for those with the given keys.
    package func changedContextCount(except own: [UnsavedKeys?]) -> Int {
        entries.withLock { entries in
            entries.count { entry in
                guard let keys = entry.keys, keys.hasChanges else { return false }
                return !own.contains { $0 === keys }
            }
        }
    }
}

/// The keys of the rows that the unsaved changes of a context concern, and possibly of some that they no
/// longer do.
package final class UnsavedKeys: Sendable {
    private let keys = Mutex<Set<Int64>>([])
    private let changed = Atomic<Bool>(false)

    /// A Boolean value that indicates whether the context has unsaved changes.
    package var hasChanges: Bool {
        get { changed.load(ordering: .relaxed) }
        set { changed.store(newValue, ordering: .relaxed) }
    }

    var all: Set<Int64> { keys.withLock(\.self) }

    package func insert(_ key: Int64) { keys.withLock { _ = $0.insert(key) } }

    package func formUnion(_ other: Set<Int64>) { keys.withLock { $0.formUnion(other) } }

    package func replace(by new: Set<Int64>) { keys.withLock { $0 = new } }
}
