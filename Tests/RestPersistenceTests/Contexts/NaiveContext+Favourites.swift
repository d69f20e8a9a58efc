// SPDX-License-Identifier: Apache-2.0

import RestPersistence

/// The one-to-one relationship of authors and tags, which a merge may give two authors of one tag.
extension NaiveContext {
    /// Clears the other authors of a tag if this level has set one of them, and the object, which is
    /// refreshed, is that author or the tag.
    func takeFavourite(_ key: Int64) {
        let own = changes.values.compactMap { author, values in
            values["favourite"]?.value == key ? author : nil
        }
        let pair: (author: Int64, tag: Int64)
        if let tag = changes.values[key]?["favourite"]?.value {
            pair = (key, tag)
        } else if let author = own.max() {
            pair = (author, key)
        } else {
            return
        }
        for other in shown.sources("favourite", pair.tag) where other != pair.author {
            changes.set(nil, "favourite", of: other, base: .known(pair.tag))
        }
    }

    /// Returns the rows of this context with the authors of the unsaved changes, and of those of a child that
    /// is saved.
    func unsavedFavourites(_ saved: NaiveChanges) -> NaiveGraph {
        var graph = shown
        for (key, row) in graph.rows where row.entity == "Author" {
            let isUnsaved = unsavedValue(key, "favourite") != nil
            if !isUnsaved, !saved.changesFavourite(key) {
                graph.rows[key]?.values["favourite"] = nil
            }
        }
        for key in graph.rows.keys where saved.isDeleted(key) { graph.rows[key] = nil }
        for (key, entity) in saved.inserted { graph.rows[key] = .init(entity: entity) }
        return graph
    }

    /// Discards the tags of authors that lose against stored ones.
    func discardFavourites(
        _ all: inout NaiveChanges, _ graph: NaiveGraph, _ policy: MergePolicy
    ) {
        for (author, values) in all.values {
            guard let change = values["favourite"], let row = graph.rows[author],
                case let stored = row.values["favourite"], policy == .storeWins,
                case .known = change.base, !isUnchanged(stored, change, "favourite", all)
            else { continue }
            all.removeFavourite(of: author)
        }
    }

    /// Applies a policy to authors that a save gives the tag of another one, in the store or in a parent.
    func resolveFavourites(
        _ all: inout NaiveChanges, _ graph: NaiveGraph, _ policy: MergePolicy
    ) -> Set<PersistenceError.Code> {
        var conflicts: Set<Int64> = []
        while let (tag, authors) = contested(all, graph, except: conflicts) {
            let written = authors.filter { all.changesFavourite($0) }
            let winner = written.last { all.replacesFavourite($0) }
            if winner == nil, policy == .fail {
                conflicts.insert(tag)
            } else if winner == nil, policy == .storeWins, written.count < authors.count {
                for author in written { all.removeFavourite(of: author) }
            } else {
                for author in authors where author != winner ?? written.last {
                    all.values[author, default: [:]]["favourite"] = .init(value: nil, base: .any)
                }
            }
        }
        return conflicts.isEmpty ? [] : [.saveConflict]
    }

    /// Returns a tag with several authors, of which changes set one, and the authors in order.
    private func contested(
        _ all: NaiveChanges, _ graph: NaiveGraph, except known: Set<Int64>
    ) -> (Int64, [Int64])? {
        var authors: [Int64: [Int64]] = [:]
        for (key, row) in graph.rows where row.entity == "Author" {
            let tag =
                all.changesFavourite(key)
                ? all.values[key]?["favourite"]?.value : row.values["favourite"]
            if let tag { authors[tag, default: []].append(key) }
        }
        let found = authors.filter { tag, keys in
            keys.count > 1 && !known.contains(tag) && keys.contains { all.changesFavourite($0) }
        }
        return found.min { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
    }
}

extension NaiveChanges {
    fileprivate func changesFavourite(_ author: Int64) -> Bool {
        values[author]?["favourite"] != nil
    }

    /// Returns a Boolean value that indicates whether saving replaces any author of the tag.
    fileprivate func replacesFavourite(_ author: Int64) -> Bool {
        inserted[author] == nil && values[author]?["favourite"]?.base == .any
    }

    fileprivate mutating func removeFavourite(of author: Int64) {
        values[author]?["favourite"] = nil
        if values[author]?.isEmpty == true { values[author] = nil }
    }
}
