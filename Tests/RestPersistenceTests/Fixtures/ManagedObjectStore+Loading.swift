// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import Testing

extension ManagedObjectStore {
    /// Imports a document by the default mapping of an entity, and saves it.
    @discardableResult
    func load(
        _ entity: String, _ text: String, policy: IssuePolicy = .standard
    ) async throws -> ImportResult {
        let mapping = ObjectMapping(
            defaultFor: try #require(model.properties(of: entity)), policy: policy)
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: model)
        let document = try Document(parsing: text)
        return try await perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
    }
}
