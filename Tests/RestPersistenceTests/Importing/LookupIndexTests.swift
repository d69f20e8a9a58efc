// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import Testing

/// The indexes that identification attributes and deletion predicates of a mapping get when documents
/// are imported.
@Suite struct LookupIndexTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static let lookups: [(names: [String], index: String)] = [
        (["name"], "restkit_lookup_Airport_name"),
        (["name", "passengers"], "restkit_lookup_Airport_name_passengers"),
    ]

    private func plan(
        _ names: [String], in store: ManagedObjectStore
    ) async throws -> String {
        let conditions: [FetchPredicate] = names.map {
            $0 == "name" ? .attribute($0, .equal, "Oslo") : .attribute($0, .equal, 1)
        }
        return try await store.read { context in
            try context.explainQueryPlan(
                FetchRequest("Airport", where: conditions.dropFirst().reduce(conditions[0], &&)))
        }
    }

    @Test(arguments: lookups.indices)
    func importAddsIndexOfIdentification(_ index: Int) async throws {
        let (names, name) = Self.lookups[index]
        let store = try await files.open()
        #expect(try await plan(names, in: store).contains("SCAN"))
        let mapping = EntityMapping(
            Airport.self, rules: ["Airport": EntityRules(identification: names)])
        let importer = try EntityMappingPlan(mapping, in: store.model)
        let document = try Document(
            parsing: #"{"code": "OSL", "name": "Oslo", "passengers": 1}"#)
        let first = try await store.importObjects(from: document.root, by: importer)
        #expect(first.total.inserted == 1)
        let second = try await store.importObjects(from: document.root, by: importer)
        #expect(second.total.unchanged == 1)
        // The index is part of the file, and no difference from the model.
        try store.close()
        #expect(try await plan(names, in: try await files.open()).contains(name))
    }

    private static let deletions: [(predicate: FetchPredicate, index: String?)] = [
        (.attribute("name", .equal, "Gone"), "restkit_lookup_Airport_name"),
        (
            .attribute("passengers", .less, 1) && .attribute("name", .equal, "Gone"),
            "restkit_lookup_Airport_name"
        ),
        (.attribute("name", in: ["Gone", "Closed"]), "restkit_lookup_Airport_name"),
        (.isNull("openedAt"), "restkit_lookup_Airport_openedAt"),
        (!.isNull("openedAt"), "restkit_present_Airport_openedAt"),
        // The identity has an index; order and any of several conditions need all rows.
        (.attribute("code", .equal, "OSL"), nil),
        (.attribute("passengers", .less, 1), nil),
        (.attribute("name", .equal, "Gone") || .isNull("openedAt"), nil),
    ]

    /// Objects to delete are found by the index, however many the others are.
    @Test(arguments: deletions.indices)
    func importAddsIndexOfDeletionPredicate(_ index: Int) async throws {
        let (predicate, name) = Self.deletions[index]
        let store = try await files.open()
        let mapping = EntityMapping(
            Airport.self, rules: ["Airport": EntityRules(deletionPredicate: predicate)])
        let importer = try EntityMappingPlan(mapping, in: store.model)
        let document = try Document(
            parsing: #"{"code": "OSL", "name": "Gone", "passengers": 0}"#)
        for _ in 0..<2 { _ = try await store.importObjects(from: document.root, by: importer) }
        let added = try files.rows(
            """
            SELECT name FROM sqlite_schema
            WHERE name LIKE 'restkit_lookup%' OR name LIKE 'restkit_present%'
            """)
        #expect(added == (name.map { [[$0]] } ?? []))
        guard let name else { return }
        try store.close()
        let plan = try await files.open().read { context in
            try context.explainQueryPlan(FetchRequest("Airport", where: predicate))
        }
        #expect(plan.contains(name))
    }
}
