// SPDX-License-Identifier: Apache-2.0

/// The to-many relationships, which have an order in some stores.
extension NaiveContext {
    /// Sets the author of a book, which becomes the last one of the author's books.
    func setAuthor(_ author: Int64?, ofBook book: Int64) {
        if store.isOrdered, shown.rows[book]?.values["author"] != author {
            set(nil, "position", of: book)
        }
        set(author, "author", of: book)
    }

    func setBooks(_ books: [Int64], ofAuthor author: Int64) {
        for book in shown.sources("author", author).subtracting(books) {
            set(nil, "author", of: book)
        }
        for (index, book) in books.enumerated() {
            set(author, "author", of: book)
            if store.isOrdered { set(Int64(index), "position", of: book) }
        }
    }

    func setTags(_ tags: [Int64], ofBook book: Int64) {
        let known = shown.pairs.filter { $0.key.book == book }
        setPairs(tags.map { .init(book: book, tag: $0) }, known, at: \.tag)
    }

    func setBooks(_ books: [Int64], ofTag tag: Int64) {
        let known = shown.pairs.filter { $0.key.tag == tag }
        setPairs(books.map { .init(book: $0, tag: tag) }, known, at: \.book)
    }

    /// Replaces pairs by others, whose positions at one end are those in the list.
    private func setPairs(
        _ pairs: [NaiveGraph.Pair], _ known: [NaiveGraph.Pair: NaiveGraph.Places],
        at path: WritableKeyPath<NaiveGraph.Places, Int64?>
    ) {
        for pair in known.keys where !pairs.contains(pair) { changes.set(.removed, pair) }
        for (index, pair) in pairs.enumerated() {
            var places = NaiveGraph.Places()
            if store.isOrdered { places[keyPath: path] = Int64(index) }
            guard let current = known[pair] else {
                changes.set(.added(places), pair)
                continue
            }
            if current[keyPath: path] != places[keyPath: path] { changes.set(.moved(places), pair) }
        }
    }
}
