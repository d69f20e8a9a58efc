// SPDX-License-Identifier: Apache-2.0

import RestPersistence

/// The rows that have been saved.
final class NaiveStore {
    var graph = NaiveGraph()
    /// A Boolean value that indicates whether to-many relationships have an order.
    let isOrdered: Bool

    init(isOrdered: Bool) { self.isOrdered = isOrdered }
}

/// The codes with which an operation may fail.
struct NaiveFailure: Error {
    var codes: Set<PersistenceError.Code>
    /// The unsaved changes.
    var changes: NaiveChanges
}

/// The expected content of a context: its changes above what the level below had when the context
/// last took the changes of others.
final class NaiveContext {
    let parent: NaiveContext?
    let store: NaiveStore
    private(set) var below = NaiveGraph()
    var changes = NaiveChanges()

    init(parent: NaiveContext?, store: NaiveStore) {
        self.parent = parent
        self.store = store
        take()
    }

    var shown: NaiveGraph { changes.applied(to: below) }

    /// The context and its parents, the root last.
    var chain: [NaiveContext] { [self] + (parent?.chain ?? []) }

    /// Takes the changes of others.
    func take() {
        parent?.take()
        below = parent?.shown ?? store.graph
        changes.removeDangling(shown)
    }

    // MARK: Editing

    func insert(_ key: Int64, _ entity: String) { changes.inserted[key] = entity }

    func set(_ value: Int64?, _ name: String, of key: Int64, isCounting: Bool = false) {
        let old = shown.rows[key]?.values[name]
        guard old != value else { return }
        // What others have set as well is no longer an edit.
        if let change = changes.values[key]?[name], case .known = change.base, !change.isCounted,
            below.rows[key]?.values[name] == old
        {
            changes.values[key]?[name]?.base = .known(old)
        }
        changes.set(value, name, of: key, base: .known(old), isCounting: isCounting)
        endEdit(name, of: key)
    }

    /// Ends an edit that is set back to what the level below has.
    private func endEdit(_ name: String, of key: Int64) {
        guard changes.inserted[key] == nil, let change = changes.values[key]?[name],
            change.base == .known(change.value)
        else { return }
        let edited = changes
        changes.values[key]?[name] = nil
        if changes.values[key]?.isEmpty == true { changes.values[key] = nil }
        guard let row = shown.rows[key], row.values[name] == change.value else {
            changes = edited
            return
        }
    }

    /// Sets the destination of the one-to-one relationship.
    func setFavourite(_ tag: Int64?, of author: Int64) {
        if let tag {
            for other in shown.sources("favourite", tag) where other != author {
                set(nil, "favourite", of: other)
            }
        }
        set(tag, "favourite", of: author)
    }

    /// Deletes an object and, with an author, its books.
    func delete(_ key: Int64) {
        let graph = shown
        let books = graph.rows[key]?.entity == "Author" ? graph.sources("author", key) : []
        // The deletion of a book whose row others have deleted discards its changes.
        let gone = Set(chain.flatMap(\.changes.values.keys)).filter { book in
            graph.rows[book] == nil && unsavedValue(book, "author") == key
                && !chain.contains { $0.changes.isDeleted(book) }
        }
        for book in gone { deleteGone(book) }
        for deleted in [key] + books {
            for (source, row) in graph.rows where source != deleted {
                for name in NaiveGraph.references where row.values[name] == deleted {
                    // References that are stored are cleared when the deletion is saved.
                    if changes.deleted.contains(source) || unsavedValue(source, name) == nil {
                        continue
                    }
                    changes.set(nil, name, of: source, base: .any)
                }
            }
            changes.delete(deleted)
        }
    }

    /// Discards the changes of an object that others have deleted, here and in the parents.
    func deleteGone(_ key: Int64) {
        if !chain.contains(where: { $0.changes.isDeleted(key) }),
            chain.dropFirst().contains(where: { $0.changes.values[key] != nil })
        {
            changes.delete(key)
        } else {
            changes.values[key] = nil
        }
    }

    func rollback() {
        changes = NaiveChanges()
        take()
    }

    func refresh(_ key: Int64, keepingChanges: Bool) {
        take()
        guard keepingChanges else {
            if changes.inserted[key] == nil { changes.values[key] = nil }
            return
        }
        if changes.inserted[key] == nil, let row = below.rows[key] {
            for (name, change) in changes.values[key] ?? [:] {
                if let sum = change.added(to: row.values[name]) {
                    changes.values[key]?[name]?.value = sum
                }
                changes.values[key]?[name]?.base = .known(row.values[name])
            }
        }
        takeFavourite(key)
    }

    /// Returns the value that this level or one below has changed; `nil` if none has.
    func unsavedValue(_ key: Int64, _ name: String) -> Int64?? {
        for level in chain {
            if let change = level.changes.values[key]?[name] { return .some(change.value) }
            if level.changes.inserted[key] != nil { return .some(nil) }
        }
        return nil
    }

    // MARK: Saving

    /// Saves one level.
    func save(_ policy: MergePolicy) throws(NaiveFailure) {
        take()
        guard let parent else { return try write([self], policy) }
        var resolved = changes
        var codes: Set<PersistenceError.Code> = []
        for (key, values) in changes.values where changes.inserted[key] == nil {
            if parent.shown.rows[key] == nil {
                if policy != .storeWins { codes.insert(.objectNotFound) }
                resolved.values[key] = nil
                continue
            }
            for (name, change) in values {
                guard let current = parent.unsavedValue(key, name) else { continue }
                let isUnchanged = change.base == .known(current)
                switch change.effect(on: current, isUnchanged: isUnchanged, policy) {
                case .none, .set: break
                case .sum(let sum):
                    if parent.changes.values[key]?[name] == nil {
                        resolved.values[key]?[name]?.value = sum
                        resolved.values[key]?[name]?.base = .known(current)
                    }
                case .loses: resolved.values[key]?[name] = nil
                case .conflicts: codes.insert(.saveConflict)
                }
            }
            if resolved.values[key]?.isEmpty == true { resolved.values[key] = nil }
        }
        let graph = parent.unsavedFavourites(resolved)
        codes.formUnion(resolveFavourites(&resolved, graph, policy))
        if !codes.isEmpty { throw NaiveFailure(codes: codes, changes: changes) }
        // What the parent has added to deleted authors since is deleted with them.
        let shown = parent.shown
        let added = resolved.deleted.flatMap { shown.sources("author", $0) }
        parent.changes.absorb(resolved)
        parent.changes.removeDangling(parent.shown)
        for book in added.sorted() where parent.shown.rows[book] != nil { parent.delete(book) }
        changes = NaiveChanges()
        below = parent.shown
    }

    /// Saves all levels.
    func saveToStore(_ policy: MergePolicy) throws(NaiveFailure) {
        take()
        try write(chain, policy)
    }

    private func write(_ levels: [NaiveContext], _ policy: MergePolicy) throws(NaiveFailure) {
        var all = NaiveChanges()
        for level in levels.reversed() { all.absorb(level.changes) }
        store.graph = try written(all, policy)
        for level in levels { level.changes = NaiveChanges() }
        take()
    }

    private func written(
        _ all: NaiveChanges, _ policy: MergePolicy
    ) throws(NaiveFailure) -> NaiveGraph {
        var graph = store.graph
        var codes: Set<PersistenceError.Code> = []
        let cascaded = booksOfDeletedAuthors(all)
        for key in all.deleted.union(cascaded) { graph.rows[key] = nil }
        graph.removeDangling()
        for (key, entity) in all.inserted { graph.rows[key] = .init(entity: entity) }
        var all = all
        discardFavourites(&all, graph, policy)
        codes.formUnion(resolveFavourites(&all, graph, policy))
        for (key, values) in all.values where !cascaded.contains(key) {
            guard let row = graph.rows[key] else {
                // A value that has been changed back is not lost with the row.
                let changed = values.contains { $0.value.base != .known($0.value.value) }
                if changed, policy != .storeWins { codes.insert(.objectNotFound) }
                continue
            }
            for (name, change) in values {
                let stored = row.values[name]
                switch change.effect(
                    on: stored, isUnchanged: isUnchanged(stored, change, name, all), policy)
                {
                case .none, .loses: break
                case .set(let value): graph.rows[key]?.values[name] = value
                case .sum(let sum): graph.rows[key]?.values[name] = sum
                case .conflicts: codes.insert(.saveConflict)
                }
            }
        }
        all.applyPairs(to: &graph)
        if !codes.isEmpty { throw NaiveFailure(codes: codes, changes: all) }
        graph.removeDangling()
        graph.storedPairs = graph.pairs
        return graph
    }

    /// Returns the books that others have saved for deleted authors, which are deleted with them.
    private func booksOfDeletedAuthors(_ all: NaiveChanges) -> Set<Int64> {
        let books = all.deleted.flatMap { store.graph.sources("author", $0) }
        return Set(books.filter { all.values[$0]?["author"] == nil && !all.deleted.contains($0) })
    }

    /// Returns a Boolean value that indicates whether a stored value is that before a change, or a reference
    /// that the save itself has cleared.
    func isUnchanged(
        _ stored: Int64?, _ change: NaiveChanges.Change, _ name: String, _ all: NaiveChanges
    ) -> Bool {
        guard case .known(let base) = change.base else { return false }
        if stored == base { return true }
        guard NaiveGraph.references.contains(name), stored == nil, let base else { return false }
        return all.deleted.contains(base)
    }
}
