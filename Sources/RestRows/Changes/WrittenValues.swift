// SPDX-License-Identifier: Apache-2.0

/// The properties and objects that transactions have written, or have found to be written already.
///
/// Keys are unique in a store, so that they need no tables.
package struct WrittenValues: Sendable {
    /// The members of the rows of a join table.
    package struct Links: Sendable {
        var pairs: Set<LinkPair> = []
        /// The sources and targets whose members are all known.
        var sources: Set<Int64> = []
        var targets: Set<Int64> = []

        /// Returns the keys at one end whose members are all known.
        package func owners(areSources: Bool) -> Set<Int64> { areSources ? sources : targets }

        package func contains(_ pair: LinkPair) -> Bool {
            pairs.contains(pair) || sources.contains(pair.source) || targets.contains(pair.target)
        }
    }

    /// A list of which all members are known, that is stored in a column of their rows.
    package struct List: Hashable, Sendable {
        package let table: Int
        package let column: Int
        package let owner: Int64

        package init(table: Int, column: Int, owner: Int64) {
            self.table = table
            self.column = column
            self.owner = owner
        }
    }

    /// The columns by row.
    private(set) var columns: [Int64: ColumnMask] = [:]
    /// The rows of which all columns are written.
    private(set) var rows: Set<Int64> = []
    package private(set) var links: [Int: Links] = [:]
    package private(set) var lists: Set<List> = []
    /// The rows that do not exist any more, by table.
    private(set) var removed: [Int: [[StoredValue]]] = [:]
    /// The collections that responses have brought or confirmed.
    private(set) var collections: Set<CollectionRequest> = []

    package init() {}

    package var isEmpty: Bool {
        columns.isEmpty && rows.isEmpty && links.isEmpty && lists.isEmpty && removed.isEmpty
            && collections.isEmpty
    }

    /// The keys of the rows with written columns.
    package var keys: Dictionary<Int64, ColumnMask>.Keys { columns.keys }

    /// Returns a Boolean value that indicates whether anything of an object is written.
    package func contains(_ key: Int64) -> Bool {
        columns[key] != nil || rows.contains(key)
            || links.values.contains { links in
                links.sources.contains(key) || links.targets.contains(key)
                    || links.pairs.contains { $0.source == key || $0.target == key }
            }
    }

    /// Returns those of some columns of a row that are written, or are one place with a written one.
    package func columns(
        of key: Int64, among mask: ColumnMask, in table: TableLayout
    ) -> ColumnMask {
        if rows.contains(key) { return mask }
        guard var other = columns[key] else { return ColumnMask() }
        for place in table.places { other = place.completing(other) }
        other.formIntersection(mask)
        return other
    }

    /// Returns the identities of the rows of a table that do not exist any more.
    package func removedIdentities(of table: Int, by columns: [Int]) -> Set<IdentityKey> {
        Set(
            (removed[table] ?? []).compactMap { row in
                let identity = columns.map { row[$0] }
                return identity.contains(.null) ? nil : IdentityKey(identity)
            })
    }

    // MARK: Adding

    package mutating func add(_ mask: ColumnMask, of key: Int64) {
        columns[key, default: ColumnMask()].formUnion(mask)
    }

    package mutating func add(row key: Int64) { rows.insert(key) }

    package mutating func add(_ list: List) { lists.insert(list) }

    package mutating func add(members link: Int, of key: Int64, isSource: Bool) {
        if isSource {
            links[link, default: Links()].sources.insert(key)
        } else {
            links[link, default: Links()].targets.insert(key)
        }
    }

    mutating func add(_ pair: LinkPair, _ link: Int) {
        links[link, default: Links()].pairs.insert(pair)
    }

    package mutating func add(removed row: [StoredValue], _ table: Int) {
        removed[table, default: []].append(row)
    }

    package mutating func add(_ collection: CollectionRequest) { collections.insert(collection) }

    package mutating func formUnion(_ other: WrittenValues) {
        for (key, mask) in other.columns { add(mask, of: key) }
        rows.formUnion(other.rows)
        for (link, written) in other.links {
            links[link, default: Links()].pairs.formUnion(written.pairs)
            links[link]?.sources.formUnion(written.sources)
            links[link]?.targets.formUnion(written.targets)
        }
        lists.formUnion(other.lists)
        removed.merge(other.removed) { $0 + $1 }
        collections.formUnion(other.collections)
    }

    /// Removes what others contain, apart from the rows that do not exist any more and the collections.
    package mutating func subtract(_ other: WrittenValues) {
        rows.subtract(other.rows)
        for (key, mask) in columns {
            var rest = mask
            if let known = other.columns[key] { rest.subtract(known) }
            columns[key] = rest.isEmpty || other.rows.contains(key) ? nil : rest
        }
        lists.subtract(other.lists)
        for (link, known) in other.links {
            links[link]?.pairs.subtract(known.pairs)
            links[link]?.sources.subtract(known.sources)
            links[link]?.targets.subtract(known.targets)
        }
    }

    /// Removes an object, of which a request has its own knowledge.
    mutating func remove(_ key: Int64) {
        columns[key] = nil
        rows.remove(key)
        lists = lists.filter { $0.owner != key }
        links = links.mapValues { members in
            var members = members
            members.sources.remove(key)
            members.targets.remove(key)
            members.pairs = members.pairs.filter { $0.source != key && $0.target != key }
            return members
        }
    }
}
