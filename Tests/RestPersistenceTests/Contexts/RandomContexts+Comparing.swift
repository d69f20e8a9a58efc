// SPDX-License-Identifier: Apache-2.0

import RestPersistence

extension RandomContexts {
    func compare(_ level: Level) throws {
        level.model.take()
        let (context, shown) = (level.context, level.model.shown)
        for entity in Self.attributes.keys.sorted() {
            let found = try context.fetch(FetchRequest(entity))
            for object in found { level.objects[object.objectID.key] = object }
            try equal(Set(found.map(\.objectID.key)), shown.keys(entity), level, entity)
        }
        for (key, object) in level.objects {
            guard let row = shown.rows[key] else {
                try equal(object.objectState, .deleted, level, "state of \(key)")
                continue
            }
            try compare(object, key, row, shown, level)
        }
        try equal(context.hasChanges, !level.model.changes.isEmpty, level, "hasChanges")
        try comparePredicates(level, shown)
        if isOrdered { try compareRelationshipPredicates(level, shown) }
    }

    private func compare(
        _ object: ManagedObject, _ key: Int64, _ row: NaiveGraph.Row, _ shown: NaiveGraph,
        _ level: Level
    ) throws {
        for name in Self.attributes[row.entity] ?? [] {
            try equal(
                object.value(name, as: Int64?.self), row.values[name], level, "\(key).\(name)")
        }
        func related(_ name: String, _ expected: [Int64]) throws {
            let keys = try object.related(name).map(\.objectID.key)
            try equal(
                isOrdered ? keys : keys.sorted(), isOrdered ? expected : expected.sorted(), level,
                "\(key).\(name)")
        }
        func single(_ name: String) -> [Int64] { [row.values[name]].compactMap(\.self) }
        switch row.entity {
        case "Author":
            try related("books", shown.books(ofAuthor: key))
            try related("favourite", single("favourite"))
        case "Book":
            try related("author", single("author"))
            try related("tags", shown.tags(ofBook: key))
        default:
            try related("books", shown.books(ofTag: key))
            // Until the save, another context may have given the tag a second author.
            try related("fan", [shown.sources("favourite", key).min()].compactMap(\.self))
        }
        let changes = level.model.changes
        let state: ManagedObjectState =
            changes.inserted[key] != nil
            ? .inserted
            : changes.values[key] != nil ? .updated : .saved
        try equal(object.objectState, state, level, "state of \(key)")
    }

    private func comparePredicates(_ level: Level, _ shown: NaiveGraph) throws {
        let limit = Int64.random(in: 1..<6, using: &random)
        let (entity, predicate, matches): (String, FetchPredicate, (Int64, NaiveGraph.Row) -> Bool)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            (entity, predicate) = ("Book", .attribute("pages", .less, limit))
            matches = { ($1.values["pages"] ?? .max) < limit }
        case 1:
            (entity, predicate) = ("Book", .relationship("author", nil))
            matches = { $1.values["author"] == nil }
        case 2:
            (entity, predicate) = ("Author", .count("books", .greater, 1))
            matches = { key, _ in shown.sources("author", key).count > 1 }
        case 3:
            (entity, predicate) = (
                "Book", .any("tags", .attribute("weight", .equal, limit))
            )
            matches = { key, _ in
                shown.tags(ofBook: key).contains { shown.rows[$0]?.values["weight"] == limit }
            }
        case 4:
            (entity, predicate) = ("Book", .attribute("author.age", .greater, limit))
            matches = { _, row in
                row.values["author"].flatMap { shown.rows[$0]?.values["age"] } ?? 0 > limit
            }
        default:
            (entity, predicate) = ("Tag", .count("books", .equal, 0))
            matches = { key, _ in shown.books(ofTag: key).isEmpty }
        }
        let expected = shown.rows.filter { $0.value.entity == entity && matches($0.key, $0.value) }
        let found = try level.context.fetchIDs(FetchRequest(entity, where: predicate))
        try equal(Set(found.map(\.key)), Set(expected.keys), level, "\(predicate)")
    }

    /// Compares the rows of the file.
    func compareRows() throws {
        let stored = try NaiveGraph(
            observer, RandomContexts.attributes, isOrdered: isOrdered)
        if stored != saved.graph {
            throw Difference(description: "rows \(stored) instead of \(saved.graph)")
        }
    }

    func equal<Value: Equatable>(
        _ found: Value, _ expected: Value, _ level: Level, _ name: String
    ) throws {
        if found == expected { return }
        throw Difference(
            description: "\(name) in \(level.name) is \(found) instead of \(expected)")
    }
}
