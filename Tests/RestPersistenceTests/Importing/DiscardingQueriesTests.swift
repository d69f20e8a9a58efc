// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@testable import RestPersistence

/// The queries of an import that discards new objects.
@Suite struct DiscardingQueriesTests {
    /// Returns the number of statements of an import whose owners are invalid, each with a label and two
    /// items that are deleted with it.
    private func statements(discarding count: Int) async throws -> Int {
        let files = try TemporaryStore()
        let number = AttributeDescription("number", .integer, isIdentity: true)
        let store = try await files.open([
            EntityDescription(
                "Parcel",
                attributes: [
                    number,
                    AttributeDescription("code", .text, isOptional: true, maximumLength: 2),
                ],
                relationships: [
                    .toMany("items", "Item", inverse: "parcel", deleteRule: .cascade),
                    .toOne("label", "Label", deleteRule: .cascade),
                ]),
            EntityDescription(
                "Item", attributes: [number], relationships: [.toOne("parcel", "Parcel")]),
            EntityDescription("Label", attributes: [number]),
        ])
        func mapping(_ entity: String, _ names: [SourcePath]) throws -> ObjectMapping {
            var mapping = try store.mapping(entity)
            mapping.policy = IssuePolicy(invalidElement: .drop, invalidObject: .drop)
            mapping.add(names)
            return mapping
        }
        var parcel = try mapping("Parcel", ["number", "code"])
        parcel.add(
            RelationshipMapping("items", to: "items", mapping: try mapping("Item", ["number"])))
        parcel.add(
            RelationshipMapping("label", to: "label", mapping: try mapping("Label", ["number"])))
        let plan = try EntityMappingPlan(EntityMapping(parcel), in: store.model)
        let parcels = (1...count).map { number in
            """
            {"number": \(number), "code": "too long", "label": {"number": \(number)},
             "items": [{"number": \(2 * number)}, {"number": \(2 * number + 1)}]}
            """
        }
        let document = try Document(parsing: "[\(parcels.joined(separator: ","))]")
        let (discarded, statements) = try store.tracing { connection in
            let context = ManagedObjectContext(store.database, role: .snapshot(connection))
            return try context.importObjects(from: document.root, by: plan).total.discarded
        }
        #expect(discarded == 4 * count)
        return statements.count
    }

    @Test func discardingRunsConstantQueries() async throws {
        let few = try await statements(discarding: 2)
        #expect(few > 0)
        #expect(try await statements(discarding: 40) == few)
    }
}
