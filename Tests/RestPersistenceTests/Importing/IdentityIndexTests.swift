// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import Testing

/// The index that a mapping's identification attributes get when documents are imported.
@Suite struct IdentityIndexTests {
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
}
