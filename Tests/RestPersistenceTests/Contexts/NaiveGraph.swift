// SPDX-License-Identifier: Apache-2.0

import RestPersistence

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

    /// The positions of a pair: of the tag among those of the book, and of the book among those of the
    /// tag; `nil` for the last.
    struct Places: Equatable {
        var tag: Int64?
        var book: Int64?

        /// Returns the positions with those of an earlier change for the missing ones.
        func filled(from earlier: Places?) -> Places {
            Places(tag: tag ?? earlier?.tag, book: book ?? earlier?.book)
        }
    }

    /// The to-one relationships.
    static let references: Set<String> = ["author", "favourite"]

    var rows: [Int64: Row] = [:]
    var pairs: [Pair: Places] = [:]
    /// The pairs of the store, whose positions a pair has again if it is removed and added again.
    var storedPairs: [Pair: Places] = [:]

    /// Clears references to objects that do not exist.
    mutating func removeDangling() {
        for (key, row) in rows {
            for name in Self.references {
                if let target = row.values[name], rows[target] == nil {
                    rows[key]?.values[name] = nil
                }
            }
        }
        pairs = pairs.filter { rows[$0.key.book] != nil && rows[$0.key.tag] != nil }
    }

    func keys(_ entity: String) -> Set<Int64> {
        Set(rows.filter { $0.value.entity == entity }.keys)
    }

    /// Returns the objects whose to-one relationship has a destination.
    func sources(_ name: String, _ key: Int64) -> Set<Int64> {
        Set(rows.filter { $0.value.values[name] == key }.keys)
    }

    /// Returns the books of an author, in their order.
    func books(ofAuthor key: Int64) -> [Int64] {
        Self.ordered(sources("author", key).map { ($0, rows[$0]?.values["position"]) })
    }

    func books(ofTag key: Int64) -> [Int64] {
        Self.ordered(pairs.filter { $0.key.tag == key }.map { ($0.key.book, $0.value.book) })
    }

    func tags(ofBook key: Int64) -> [Int64] {
        Self.ordered(pairs.filter { $0.key.book == key }.map { ($0.key.tag, $0.value.tag) })
    }

    /// Returns keys in the order of their positions; those without one are the last.
    private static func ordered(_ members: [(key: Int64, place: Int64?)]) -> [Int64] {
        members.sorted { ($0.place ?? .max, $0.key) < ($1.place ?? .max, $1.key) }.map(\.key)
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
        /// A Boolean value that indicates whether saving adds the difference to the base.
        var isCounted = false

        /// Returns a number plus the difference to the base; `nil` if the difference does not count.
        func added(to number: Int64?) -> Int64? {
            guard isCounted, case .known(let base?) = base, let value, let number else {
                return nil
            }
            return number + value - base
        }

        /// The effect of a change on a value that others may have set.
        enum Effect: Equatable {
            case none
            case set(Int64?)
            /// Adds the difference to what others have set.
            case sum(Int64)
            case loses
            case conflicts
        }

        /// Returns the effect on a value.
        ///
        /// - Parameters:
        ///   - current: The value that is saved over.
        ///   - isUnchanged: A Boolean value that indicates whether others have left the value as it was.
        ///   - policy: The merge policy.
        /// - Returns: The effect.
        func effect(on current: Int64?, isUnchanged: Bool, _ policy: MergePolicy) -> Effect {
            guard case .known(let base) = base else { return .set(value) }
            if isUnchanged { return base == value ? .none : .set(value) }
            if let sum = added(to: current) { return .sum(sum) }
            if current == value { return .none }
            return policy == .fail ? .conflicts : policy == .storeWins ? .loses : .set(value)
        }
    }

    enum PairChange {
        case removed
        case added(NaiveGraph.Places)
        /// Has no effect if the pair does not exist.
        case moved(NaiveGraph.Places)

        var isRemoval: Bool { if case .removed = self { true } else { false } }

        /// Returns the change that follows an earlier one.
        func following(_ earlier: PairChange?) -> PairChange {
            switch (self, earlier) {
            case (.removed, _), (_, nil), (.added, .removed): self
            case (.moved, .removed): .removed
            case (.moved(let places), .moved(let known)): .moved(places.filled(from: known))
            case (.added(let places), .added(let known)), (.added(let places), .moved(let known)),
                (.moved(let places), .added(let known)):
                .added(places.filled(from: known))
            }
        }
    }

    var inserted: [Int64: String] = [:]
    var deleted: Set<Int64> = []
    /// The objects that were inserted and deleted without being saved.
    private(set) var dropped: Set<Int64> = []
    var values: [Int64: [String: Change]] = [:]
    private(set) var pairs: [NaiveGraph.Pair: PairChange] = [:]

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
        applyPairs(to: &graph)
        graph.removeDangling()
        return graph
    }

    func applyPairs(to graph: inout NaiveGraph) {
        for (pair, change) in pairs {
            switch change {
            case .removed: graph.pairs[pair] = nil
            case .added(let places):
                graph.pairs[pair] = places.filled(
                    from: graph.pairs[pair] ?? graph.storedPairs[pair])
            case .moved(let places):
                if let known = graph.pairs[pair] { graph.pairs[pair] = places.filled(from: known) }
            }
        }
    }

    mutating func set(_ change: PairChange, _ pair: NaiveGraph.Pair) {
        pairs[pair] = change.following(pairs[pair])
    }

    mutating func set(
        _ value: Int64?, _ name: String, of key: Int64, base: Base, isCounting: Bool = false
    ) {
        let (known, isNew) = (values[key]?[name], inserted[key] != nil)
        values[key, default: [:]][name] = Change(
            value: value, base: isNew ? .any : known?.base ?? base,
            isCounted: isCounting && !isNew && known?.isCounted != false)
    }

    mutating func delete(_ key: Int64) {
        values[key] = nil
        if inserted.removeValue(forKey: key) != nil {
            dropped.insert(key)
        } else if !dropped.contains(key) {
            deleted.insert(key)
        }
        pairs = pairs.filter {
            $0.value.isRemoval || ($0.key.book != key && $0.key.tag != key)
        }
    }

    /// Adds the changes of the level above, which win.
    mutating func absorb(_ upper: NaiveChanges) {
        inserted.merge(upper.inserted) { $1 }
        for (key, changes) in upper.values where !isDeleted(key) {
            for (name, change) in changes {
                let sum = change.added(to: values[key]?[name]?.value)
                set(
                    sum ?? change.value, name, of: key, base: change.base,
                    isCounting: change.isCounted)
            }
        }
        for key in upper.deleted { delete(key) }
        // The changes of other layers to an object that was never saved are void.
        dropped.formUnion(upper.dropped)
        for (pair, change) in upper.pairs { set(change, pair) }
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
        pairs = pairs.filter { pair, change in
            change.isRemoval || (graph.rows[pair.book] != nil && graph.rows[pair.tag] != nil)
        }
    }
}
