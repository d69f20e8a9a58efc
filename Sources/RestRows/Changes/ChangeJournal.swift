// SPDX-License-Identifier: Apache-2.0

/// A record of which pending rows changed, by table and join table.
///
/// A reader that keeps a copy of the pending rows, such as temporary tables, notes ``version`` and
/// later asks for the rows that changed since.
package struct ChangeJournal {
    /// A recorded change.
    package enum Change {
        case row(key: Int64, table: Int)
        case pair(LinkPair)
        /// A change of some rows of a table, or of any with `nil`.
        case table(Int, keys: [Int64]?)
        /// A change of any rows.
        case many
    }

    /// The number of changes so far.
    package private(set) var version = 0
    /// The last change.
    package private(set) var last = Change.many
    private var tables: [Entries<Int64>]
    private var links: [Entries<LinkPair>]

    private struct Entries<Element: Hashable> {
        private static var limit: Int { 4096 }

        var elements: [Element] = []
        var versions: [Int] = []
        /// The version from which on the elements are known.
        var floor = 0

        mutating func append(_ element: Element, _ version: Int) {
            if elements.last == element {
                versions[versions.count - 1] = version
                return
            }
            // A copy of this many rows costs as much as building it again.
            if elements.count >= Self.limit { clear(version - 1) }
            elements.append(element)
            versions.append(version)
        }

        mutating func append(_ new: some Collection<Element>, _ version: Int) {
            if new.isEmpty { return }
            if new.count >= Self.limit { return clear(version) }
            if elements.count + new.count > Self.limit { clear(version - 1) }
            elements.append(contentsOf: new)
            versions.append(contentsOf: repeatElement(version, count: new.count))
        }

        mutating func clear(_ version: Int) {
            elements.removeAll(keepingCapacity: true)
            versions.removeAll(keepingCapacity: true)
            floor = version
        }

        func changed(since version: Int) -> Set<Element>? {
            guard version >= floor else { return nil }
            var start = versions.count
            while start > 0, versions[start - 1] > version { start -= 1 }
            return Set(elements[start...])
        }
    }

    package init(model: ManagedObjectModel) {
        tables = Array(repeating: Entries(), count: model.tables.count)
        links = Array(repeating: Entries(), count: model.links.count)
    }

    package mutating func record(_ key: Int64, _ table: Int) {
        version += 1
        last = .row(key: key, table: table)
        tables[table].append(key, version)
    }

    package mutating func record(_ pair: LinkPair, _ link: Int) {
        version += 1
        last = .pair(pair)
        links[link].append(pair, version)
    }

    /// Records that the rows of a table with some keys have changed; with `nil`, any of them may have.
    package mutating func recordAll(_ table: Int, keys: [Int64]? = nil) {
        version += 1
        last = .table(table, keys: keys)
        if let keys {
            tables[table].append(keys, version)
        } else {
            tables[table].clear(version)
        }
    }

    /// Records that the rows of changes have moved between layers, or have been added, saved or discarded.
    package mutating func record(_ changes: ChangeSet) {
        version += 1
        last = .many
        for table in tables.indices { tables[table].append(changes.tables[table].keys, version) }
        for link in links.indices { links[link].append(changes.links[link].pairs.keys, version) }
    }

    /// Records that any row of any table may have changed.
    package mutating func recordAll() {
        version += 1
        last = .many
        for table in tables.indices { tables[table].clear(version) }
        for link in links.indices { links[link].clear(version) }
    }

    /// Returns the keys that changed after a version; `nil` if any key may have.
    package func keys(of table: Int, since version: Int) -> Set<Int64>? {
        tables[table].changed(since: version)
    }

    /// Returns the pairs that changed after a version; `nil` if any pair may have.
    package func pairs(of link: Int, since version: Int) -> Set<LinkPair>? {
        links[link].changed(since: version)
    }
}
