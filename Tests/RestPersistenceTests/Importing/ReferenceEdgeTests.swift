// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// References in documents of another shape, and destinations that other programs insert.
@Suite struct ReferenceEdgeTests {
    private static let entities = [
        EntityDescription(
            "Airport",
            attributes: [
                AttributeDescription("code", .text, isIdentity: true),
                AttributeDescription("name", .text, isOptional: true),
            ]),
        EntityDescription(
            "Carrier",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("name", .text, isOptional: true),
            ],
            relationships: [
                .toOne("base", "Airport", reference: ReferenceDescription()),
                .toMany("served", "Airport", reference: ReferenceDescription()),
            ]),
    ]

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func load(
        _ text: String, into store: ManagedObjectStore,
        _ change: (inout ObjectMapping) -> Void = { _ in }
    ) async throws -> ImportResult {
        var mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: "Carrier")))
        change(&mapping)
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        let document = try Document(parsing: text)
        return try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
    }

    private func bases() throws -> [[String]] {
        try files.rows(
            """
            SELECT c.id, a.code FROM Carrier c LEFT JOIN Airport a ON c.base = a.restkit_key
            ORDER BY 1
            """)
    }

    // MARK: Objects in place of identities

    @Test(arguments: ["base", "served"])
    func objectInPlaceOfIdentityIsAnIssue(relationship: String) async throws {
        let store = try await files.open(Self.entities)
        let object = #"{"code": "OSL", "name": "Gardermoen"}"#
        let value = relationship == "base" ? object : "[\(object)]"
        let result = try await load(
            #"[{"id": 1, "name": "SAS", "\#(relationship)": \#(value)}]"#, into: store)
        #expect(result.objectIDs.count == 1)
        let issue = try #require(result.report.issues.first)
        #expect(result.report.issueCount == 1)
        #expect(issue.code == .typeMismatch)
        #expect(issue.expected == "an identity")
        #expect(issue.found == "object")
        #expect(issue.property == relationship)
        #expect("\(issue.path)".hasPrefix("[0].\(relationship)"))
        // The carrier is imported, and no airport without an identity.
        #expect(try files.rows("SELECT id, name FROM Carrier") == [["1", "SAS"]])
        #expect(try files.rows("SELECT count(*) FROM Airport") == [["0"]])
    }

    @Test func mappingAcceptsObjectsInPlaceOfIdentities() async throws {
        let store = try await files.open(Self.entities)
        let airport = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: "Airport")))
        _ = try await load(
            #"[{"id": 1, "base": {"code": "OSL", "name": "Gardermoen"}}]"#, into: store
        ) { mapping in
            mapping.remove(to: "base")
            mapping.add(RelationshipMapping("base", to: "base", mapping: airport))
        }
        #expect(try bases() == [["1", "OSL"]])
    }

    // MARK: Rows of other programs

    /// A plain insert cannot connect references; the next save does.
    @Test func nextSaveConnectsRowsOfOtherPrograms() async throws {
        let store = try await files.open(Self.entities)
        let result = try await load(
            #"[{"id": 1, "base": "OSL", "served": ["BGO", "TRD"]}]"#, into: store)
        #expect(result.total.pending == 3)
        try files.execute(
            """
            INSERT INTO Airport (restkit_key, code, name) VALUES (900001, 'OSL', 'Gardermoen');
            INSERT INTO Airport (restkit_key, code, name) VALUES (900002, 'BGO', 'Flesland')
            """)
        #expect(try bases() == [["1", "-"]])
        let unrelated = try await load(#"[{"id": 2, "name": "DY"}]"#, into: store)
        #expect(unrelated.total.inserted == 1)
        #expect(try bases() == [["1", "OSL"], ["2", "-"]])
        let pending = try await store.read { context in
            try context.pendingReferences(ofEntity: "Carrier").map {
                "\($0.relationship) \($0.identity)"
            }
        }
        #expect(pending == [#"served text("TRD")"#])
        let served = try await store.read { context in
            let carrier = try #require(
                try context.fetch(FetchRequest("Carrier", where: .attribute("id", .equal, 1))).first
            )
            return try carrier.related("served").map { try $0.value("code", as: String.self) }
        }
        #expect(served == ["BGO"])
    }
}
