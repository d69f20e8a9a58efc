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

    /// Applies a policy to authors that a save to the parent gives the tag of another one.
    func resolveFavourites(
        _ resolved: inout NaiveChanges, of parent: NaiveContext, _ policy: MergePolicy
    ) -> Set<PersistenceError.Code> {
        let changed = resolved
        var codes: Set<PersistenceError.Code> = []
        var kept: Set<Int64> = []
        let authors = changed.favourites
        let unsaved = Set(parent.chain.flatMap(\.changes.values.keys))
        for (author, tag) in authors {
            let others = unsaved.filter { other in
                other != author && parent.unsavedValue(other, "favourite") == tag
                    && changed.values[other]?["favourite"] == nil && !changed.isDeleted(other)
                    && !parent.chain.contains { $0.changes.isDeleted(other) }
            }
            if others.isEmpty { continue }
            let wins = changed.replacesFavourite(author)
            switch policy {
            case .fail where !wins: codes.insert(.saveConflict)
            case .storeWins where !wins: kept.insert(tag)
            default:
                for other in others { resolved.set(nil, "favourite", of: other, base: .any) }
            }
        }
        var lost: Set<Int64> = []
        while let (author, _) = authors.first(where: { kept.contains($1) && !lost.contains($0) }) {
            lost.insert(author)
            resolved.removeFavourite(of: author)
            if let tag = parent.shown.rows[author]?.values["favourite"] { kept.insert(tag) }
        }
        return codes
    }

    /// Applies a policy to authors that a save to the store gives the tag of another one.
    func resolveFavourites(
        _ all: inout NaiveChanges, _ graph: NaiveGraph, _ policy: MergePolicy
    ) -> Set<PersistenceError.Code> {
        var conflicts: Set<Int64> = []
        if policy == .storeWins {
            for (author, values) in all.values {
                guard case .known(let base)? = values["favourite"]?.base,
                    let row = graph.rows[author], case let stored = row.values["favourite"],
                    stored != base, !isCleared(stored, base, "favourite", all)
                else { continue }
                all.removeFavourite(of: author)
            }
        }
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
    /// The authors whose tag is changed.
    fileprivate var favourites: [Int64: Int64] {
        values.keys.reduce(into: [:]) { found, author in
            if changesFavourite(author) { found[author] = values[author]?["favourite"]?.value }
        }
    }

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
