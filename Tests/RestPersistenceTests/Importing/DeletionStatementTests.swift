// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestDocument
import RestMapping
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence

/// The statements of an import whose deletion predicate many of its objects match.
@Suite struct DeletionStatementTests {
    private static let entities = [
        EntityDescription(
            "Item",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("state", .text, isOptional: true),
            ],
            relationships: [
                .toOne("owner", "Item", reference: ReferenceDescription(by: "id")),
                .toMany(
                    "labels", "Label", inverse: "items", reference: ReferenceDescription(by: "name")
                ),
                .toMany("parts", "Part", inverse: "item", deleteRule: .cascade),
            ]),
        EntityDescription(
            "Label", attributes: [AttributeDescription("name", .text, isIdentity: true)],
            relationships: [.toMany("items", "Item", inverse: "labels")]),
        EntityDescription(
            "Part", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
            relationships: [.toOne("item", "Item", inverse: "parts")]),
    ]

    /// Returns items that refer to one that waits, with a part and two labels.
    private static func items(_ count: Int) -> String {
        let items = (1...count).map { id in
            """
            {"id": \(id), "state": "new", "owner": 1000, "labels": ["x", "y"],
             "parts": [{"id": \(id)}]}
            """
        }
        return "[\(items.joined(separator: ","))]"
    }

    @Test func numberOfStatementsDoesNotGrowWithRows() async throws {
        var all: [[String]] = []
        for size in [5, 50] {
            let files = try TemporaryStore()
            let store = try await files.open(Self.entities)
            let table = try #require(store.model.properties(of: "Item"))
            let rules = [
                "Item": EntityRules(deletionPredicate: .attribute("state", .equal, "gone"))
            ]
            let plan = try EntityMappingPlan(
                EntityMapping(ObjectMapping(defaultFor: table), rules: rules), in: store.model)
            try await store.perform { context in
                for name in ["x", "y"] { _ = try context.insert("Label", ["name": name]) }
                try context.save()
            }
            let items = try Document(parsing: Self.items(size))
            #expect(try await store.importObjects(from: items.root, by: plan).total.inserted > size)
            let gone = (1...size).map { "{\"id\": \($0), \"state\": \"gone\"}" }
            let document = try Document(parsing: "[\(gone.joined(separator: ","))]")
            let (deleted, statements) = try await store.write { context in
                let statements = Mutex<[String]>([])
                let connection = try #require(context.transaction?.connection)
                connection.trace { event in
                    let text = "\(event)"
                    // SQLite names a statement again for each action of a foreign key.
                    if text.hasPrefix("--") || text.hasPrefix("DELETE FROM \"Item\"") { return }
                    statements.withLock { $0.append(text) }
                }
                defer { connection.trace() }
                let result = try context.importObjects(from: document.root, by: plan)
                try context.save()
                return (result.total.deleted, statements.withLock(\.self))
            }
            #expect(deleted == size)
            for name in ["Item", "Part", "restkit_pending"] {
                #expect(try files.rows("SELECT 1 FROM \(name)") == [])
            }
            all.append(statements)
        }
        #expect(all[0] == all[1])
    }
}
