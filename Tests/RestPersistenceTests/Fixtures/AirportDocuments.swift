// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence

enum AirportDocuments {
    static let oslo = """
        [{"code": "OSL", "name": "Gardermoen", "opened_at": "1998-10-08T00:00:00Z",
          "city": {"name": "Oslo", "population": 709037, "mayor": {"name": "Anne"}},
          "terminals": [{"number": 1, "airlines": [{"code": "SK", "alliance": "star"}]},
                        {"number": 2, "airlines": [{"code": "SK"}, {"code": "DY"}]}]},
         {"code": "BGO", "name": "Flesland", "city": {"name": "Bergen"}, "terminals": []}]
        """
}

extension TemporaryStore {
    /// Imports airports from a document and saves them.
    func load(
        _ text: String, into store: ManagedObjectStore, policy: IssuePolicy = .standard
    ) async throws -> (result: ImportResult, saved: SaveReport) {
        let plan = try EntityMappingPlan(
            EntityMapping(Airport.self, policy: policy), in: store.model)
        let document = try Document(parsing: text)
        return try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            return (result, try context.save())
        }
    }
}
