// SPDX-License-Identifier: Apache-2.0

import RestPersistence

/// Steps that change to-many relationships.
extension RandomContexts {
    func setBooks(_ level: Level) throws {
        guard let author = pick(level, "Author") else { return }
        let key = author.objectID.key
        let books = destinations(level, "Book", level.model.shown.books(ofAuthor: key))
        let keys = books.map(\.objectID.key)
        note("\(level.name) sets \(key).books = \(keys)")
        try author.setRelated("books", books)
        level.model.setBooks(keys, ofAuthor: key)
    }

    func setTags(_ level: Level) throws {
        let shown = level.model.shown
        if Bool.random(using: &random) {
            guard let book = pick(level, "Book") else { return }
            let key = book.objectID.key
            let tags = destinations(level, "Tag", shown.tags(ofBook: key))
            let keys = tags.map(\.objectID.key)
            note("\(level.name) sets \(key).tags = \(keys)")
            try book.setRelated("tags", tags)
            level.model.setTags(keys, ofBook: key)
        } else {
            guard let tag = pick(level, "Tag") else { return }
            let key = tag.objectID.key
            let books = destinations(level, "Book", shown.books(ofTag: key))
            let keys = books.map(\.objectID.key)
            note("\(level.name) sets \(key).books = \(keys)")
            try tag.setRelated("books", books)
            level.model.setBooks(keys, ofTag: key)
        }
    }

    /// Returns new destinations of a relationship: the current ones with one inserted, moved or removed
    /// if they have an order, or any others.
    private func destinations(
        _ level: Level, _ entity: String, _ current: [Int64]
    ) -> [ManagedObject] {
        guard isOrdered else { return pick(level, entity, upTo: 3) }
        var keys = current
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3:
            guard let key = pick(level, entity)?.objectID.key, !keys.contains(key) else { break }
            keys.insert(key, at: Int.random(in: 0...keys.count, using: &random))
        case 3..<6:
            guard let old = keys.indices.randomElement(using: &random) else { break }
            let key = keys.remove(at: old)
            keys.insert(key, at: Int.random(in: 0...keys.count, using: &random))
        case 6:
            guard let old = keys.indices.randomElement(using: &random) else { break }
            keys.remove(at: old)
        default: return pick(level, entity, upTo: 4)
        }
        return keys.compactMap { level.objects[$0] }
    }
}
