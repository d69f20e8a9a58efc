// SPDX-License-Identifier: Apache-2.0

/// Objects, their values and a many-to-many relationship, as plain dictionaries.
struct NaiveGraph: Equatable {
    struct Row: Equatable {
        let entity: String
        /// The values and the keys of destinations, without nulls.
        var values: [String: Int64] = [:]
    }

    /// A book and a tag.
    struct Pair: Hashable {
        let book: Int64
        let tag: Int64
    }

    /// The to-one relationships.
    static let references: Set<String> = ["author", "favourite"]

    var rows: [Int64: Row] = [:]
    var pairs: Set<Pair> = []

    /// Clears references to objects that do not exist.
    mutating func removeDangling() {
        for (key, row) in rows {
            for name in Self.references {
                if let target = row.values[name], rows[target] == nil {
                    rows[key]?.values[name] = nil
                }
            }
        }
        pairs = pairs.filter { rows[$0.book] != nil && rows[$0.tag] != nil }
    }

    func keys(_ entity: String) -> Set<Int64> {
        Set(rows.filter { $0.value.entity == entity }.keys)
    }

    /// Returns the objects whose to-one relationship has a destination.
    func sources(_ name: String, _ key: Int64) -> Set<Int64> {
        Set(rows.filter { $0.value.values[name] == key }.keys)
    }

    func books(ofTag key: Int64) -> Set<Int64> {
        Set(pairs.filter { $0.tag == key }.map(\.book))
    }

    func tags(ofBook key: Int64) -> Set<Int64> {
        Set(pairs.filter { $0.book == key }.map(\.tag))
    }
}

/// Unsaved changes of one level.
struct NaiveChanges {
    enum Base: Equatable {
        case known(Int64?)
        /// Saving replaces any value.
        case any
    }

    struct Change {
        var value: Int64?
        var base: Base
    }

    var inserted: [Int64: String] = [:]
    var deleted: Set<Int64> = []
    /// The objects that were inserted and deleted without being saved.
    private(set) var dropped: Set<Int64> = []
    var values: [Int64: [String: Change]] = [:]
    var pairs: [NaiveGraph.Pair: Bool] = [:]

    var isEmpty: Bool {
        inserted.isEmpty && deleted.isEmpty && values.isEmpty && pairs.isEmpty
    }

    func isDeleted(_ key: Int64) -> Bool { deleted.contains(key) || dropped.contains(key) }

    func applied(to below: NaiveGraph) -> NaiveGraph {
        var graph = below
        for (key, entity) in inserted { graph.rows[key] = .init(entity: entity) }
        for (key, changes) in values where graph.rows[key] != nil {
            for (name, change) in changes { graph.rows[key]?.values[name] = change.value }
        }
        for key in deleted { graph.rows[key] = nil }
        for (pair, isMember) in pairs {
            if isMember { graph.pairs.insert(pair) } else { graph.pairs.remove(pair) }
        }
        graph.removeDangling()
        return graph
    }

    mutating func set(_ value: Int64?, _ name: String, of key: Int64, base: Base) {
        let known = values[key]?[name]?.base
        values[key, default: [:]][name] = Change(
            value: value, base: inserted[key] == nil ? known ?? base : .any)
    }

    mutating func delete(_ key: Int64) {
        values[key] = nil
        if inserted.removeValue(forKey: key) != nil {
            dropped.insert(key)
        } else if !dropped.contains(key) {
            deleted.insert(key)
        }
        pairs = pairs.filter { !($0.value && ($0.key.book == key || $0.key.tag == key)) }
    }

    /// Adds the changes of the level above, which win.
    mutating func absorb(_ upper: NaiveChanges) {
        inserted.merge(upper.inserted) { $1 }
        for (key, changes) in upper.values where !isDeleted(key) {
            for (name, change) in changes { set(change.value, name, of: key, base: change.base) }
        }
        for key in upper.deleted { delete(key) }
        // The changes of other layers to an object that was never saved are void.
        dropped.formUnion(upper.dropped)
        pairs.merge(upper.pairs) { $1 }
    }

    /// Clears unsaved references to objects that a graph does not have.
    mutating func removeDangling(_ graph: NaiveGraph) {
        for (key, changes) in values {
            for (name, change) in changes where NaiveGraph.references.contains(name) {
                if let target = change.value, graph.rows[target] == nil {
                    values[key]?[name]?.value = nil
                }
            }
        }
        pairs = pairs.filter { pair, isMember in
            !isMember || (graph.rows[pair.book] != nil && graph.rows[pair.tag] != nil)
        }
    }
}
