// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Objects whose identity an object of another entity of the hierarchy has.
@Suite struct EntityConflictTests {
    private static let entities = [
        EntityDescription(
            "Gear", inheriting: "Part",
            attributes: [AttributeDescription("teeth", .integer, isOptional: true)]),
        EntityDescription(
            "Part",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("name", .text, isOptional: true),
            ]),
        EntityDescription(
            "Bolt", inheriting: "Part",
            attributes: [AttributeDescription("width", .integer, isOptional: true)]),
    ]

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func rows() throws -> [[String]] {
        try files.rows("SELECT restkit_entity, id, name, width, teeth FROM Part ORDER BY id")
    }

    /// A mapping that chooses the entity by the kind of a representation.
    private func mapping(in store: ManagedObjectStore) throws -> DynamicMapping {
        func mapping(_ entity: String) throws -> ObjectMapping {
            ObjectMapping(
                defaultFor: try #require(store.model.properties(of: entity)),
                policy: IssuePolicy(invalidObject: .drop))
        }
        return try DynamicMapping([
            MappingMatcher(at: "kind", equals: "gear", mapping: mapping("Gear")),
            MappingMatcher(at: "kind", equals: "bolt", mapping: mapping("Bolt")),
            MappingMatcher(at: "kind", equals: "part", mapping: mapping("Part")),
        ])
    }

    @Test func objectKeepsItsEntity() async throws {
        let store = try await files.open(Self.entities)
        try await store.load("Bolt", #"[{"id": 1, "name": "a", "width": 5}]"#)
        let error = await #expect(throws: PersistenceError.self) {
            try await store.load("Gear", #"[{"id": 1, "teeth": 12}]"#)
        }
        #expect(error?.code == .invalidObject)
        #expect(
            error?.details == [
                "conflictingEntity at [0]: Gear.id expected the identity of Gear, not that of Bolt"
            ])
        let result = try await store.load(
            "Gear", #"[{"id": 1, "teeth": 12}, {"id": 2}]"#,
            policy: IssuePolicy(invalidObject: .drop))
        #expect(result.report.issues.map(\.code) == [.conflictingEntity])
        #expect(result.report.issues.map(\.path.description) == ["[0]"])
        #expect(result.counts["Gear"]?.discarded == 1)
        #expect(try rows() == [["Bolt", "1", "a", "5", "-"], ["Gear", "2", "-", "-", "-"]])
        // A representation of the super-entity is one of the object.
        try await store.load("Part", #"[{"id": 1, "name": "b"}]"#)
        #expect(try rows()[0] == ["Bolt", "1", "b", "5", "-"])
    }

    /// Both entities occur in one document.
    @Test(
        arguments: [
            (
                #"[{"kind": "bolt", "id": 1, "width": 5}, {"kind": "gear", "id": 1, "teeth": 9}]"#,
                ["Bolt", "1", "-", "5", "-"], ["[1]"]
            ),
            (
                #"[{"kind": "part", "id": 1, "name": "a"}, {"kind": "gear", "id": 1, "teeth": 9}]"#,
                ["Gear", "1", "a", "-", "9"], []
            ),
            (
                #"[{"kind": "bolt", "id": 1, "name": "a"}, {"kind": "part", "id": 1, "name": "b"}]"#,
                ["Bolt", "1", "b", "-", "-"], []
            ),
            (
                #"[{"kind": "part", "id": 1, "name": "a"}, {"kind": "bolt", "id": 1, "name": "b"}]"#,
                ["Bolt", "1", "b", "-", "-"], []
            ),
        ] as [(String, [String], [String])])
    func identityIsThatOfOneObject(
        text: String, row: [String], paths: [String]
    ) async throws {
        let store = try await files.open(Self.entities)
        let plan = try EntityMappingPlan(EntityMapping(try mapping(in: store)), in: store.model)
        let document = try Document(parsing: text)
        for count in [1, 0] {
            let result = try await store.importObjects(from: document.root, by: plan)
            #expect(result.report.issues.map(\.path.description) == paths)
            #expect(result.total.inserted == count)
            #expect(Set(result.objectIDs).count == 1)
            #expect(try rows() == [row])
        }
    }
}
