// SPDX-License-Identifier: Apache-2.0

import RestPersistence

extension RandomContexts {
    /// Compares fetches whose predicates lead over relationships.
    func compareRelationshipPredicates(_ level: Level, _ shown: NaiveGraph) throws {
        let limit = Int64.random(in: 1..<6, using: &random)
        let (entity, predicate, matches): (String, FetchPredicate, (Int64) -> Bool)
        func value(_ key: Int64, _ name: String) -> Int64? { shown.rows[key]?.values[name] }
        func books(_ author: Int64) -> [Int64] { shown.books(ofAuthor: author) }
        func weighs(_ tag: Int64) -> Bool { (value(tag, "weight") ?? 0) >= limit }
        let heavy = FetchPredicate.attribute("weight", .greaterOrEqual, limit)
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
            (entity, predicate) = ("Author", .none("books", .any("tags", heavy)))
            matches = { books($0).allSatisfy { !shown.tags(ofBook: $0).contains(where: weighs) } }
        case 1:
            (entity, predicate) = ("Book", .all("tags", heavy))
            matches = { shown.tags(ofBook: $0).allSatisfy(weighs) }
        case 2:
            (entity, predicate) = ("Author", .any("books.tags", heavy))
            matches = { books($0).contains { shown.tags(ofBook: $0).contains(where: weighs) } }
        case 3:
            (entity, predicate) = ("Tag", .any("books", .relationship("author", nil)))
            matches = { shown.books(ofTag: $0).contains { value($0, "author") == nil } }
        case 4:
            (entity, predicate) = ("Author", .any("books", .count("tags", .greater, 1)))
            matches = { books($0).contains { shown.tags(ofBook: $0).count > 1 } }
        case 5:
            (entity, predicate) = ("Book", .count("author.books", .greater, 1))
            matches = { value($0, "author").map { books($0).count > 1 } ?? false }
        case 6:
            guard let tag = pick(level, "Tag") else { return }
            let key = tag.objectID.key
            (entity, predicate) = ("Book", !.relationship("tags", tag.objectID))
            matches = { !shown.tags(ofBook: $0).contains(key) }
        case 7:
            (entity, predicate) = ("Tag", .none("fan", .attribute("age", .less, limit)))
            matches = { tag in
                !shown.sources("favourite", tag).contains { (value($0, "age") ?? .max) < limit }
            }
        default:
            (entity, predicate) = (
                "Author", .none("favourite.books", .attribute("pages", .greater, limit))
            )
            matches = { author in
                value(author, "favourite").map(shown.books(ofTag:))?
                    .allSatisfy { (value($0, "pages") ?? 0) <= limit } ?? true
            }
        }
        let expected = shown.keys(entity).filter(matches)
        let found = try level.context.fetchIDs(FetchRequest(entity, where: predicate))
        try equal(Set(found.map(\.key)), expected, level, "\(predicate)")
    }
}
