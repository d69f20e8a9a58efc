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

    /// Documents of one carrier, and its airports afterwards.
    private static let expanded = [
        (#""base": {"code": "OSL", "name": "Gardermoen"}"#, ["OSL Gardermoen"], [String]()),
        (#""base": "OSL""#, ["OSL Old"], []),
        (
            #""served": ["BGO", {"code": "TRD", "name": "Værnes"}, {"code": "OSL"}]"#, [],
            ["OSL Old", "TRD Værnes"]
        ),
        (
            #""base": {"code": "OSL"}, "served": [{"code": "OSL", "name": "New"}, "OSL"]"#,
            ["OSL New"], ["OSL New"]
        ),
    ]

    /// The server expands a reference, or not.
    @Test(arguments: expanded.indices)
    func objectIsAcceptedInPlaceOfIdentity(_ index: Int) async throws {
        let (members, base, served) = Self.expanded[index]
        let store = try await files.open(Self.entities)
        try await store.load("Airport", #"[{"code": "OSL", "name": "Old"}]"#)
        for _ in 0..<2 {
            let result = try await load(#"[{"id": 1, \#(members)}]"#, into: store)
            #expect(result.report.issueCount == 0)
            let found = try await store.read { context in
                let carrier = try #require(try context.fetch(FetchRequest("Carrier")).first)
                return try ["base", "served"].map { relationship in
                    try carrier.related(relationship).map { airport in
                        let name = try airport.value("name", as: String?.self) ?? "-"
                        return "\(try airport.value("code", as: String.self)) \(name)"
                    }.sorted()
                }
            }
            #expect(found == [base, served])
        }
        // The identity without an object waits.
        try await store.load("Airport", #"[{"code": "BGO", "name": "Flesland"}]"#)
        let count = served.isEmpty ? 0 : index == 2 ? 3 : 1
        #expect(try files.rows("SELECT count(*) FROM Carrier_served") == [["\(count)"]])
    }

    /// An object without the identity would be inserted by each import.
    @Test(arguments: ["base", "served"])
    func objectForMappedIdentityIsAnIssue(relationship: String) async throws {
        let store = try await files.open(Self.entities)
        let object = #"{"code": "OSL", "name": "Gardermoen"}"#
        let value = relationship == "base" ? object : "[\(object)]"
        var identity = try store.mapping("Airport")
        identity.add("code", from: .whole)
        let result = try await load(
            #"[{"id": 1, "name": "SAS", "\#(relationship)": \#(value)}]"#, into: store
        ) { mapping in
            mapping.remove(to: relationship)
            mapping.add(
                RelationshipMapping(
                    SourcePath([.key(relationship)]), to: relationship, mapping: identity))
        }
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

    /// The default mappings of entities that refer to each other are finite.
    @Test func expandedObjectsExpandFurther() async throws {
        let id = AttributeDescription("id", .integer, isIdentity: true)
        let store = try await files.open([
            EntityDescription(
                "Person", attributes: [id],
                relationships: [
                    .toOne("boss", "Person", inverse: "staff", reference: ReferenceDescription()),
                    .toMany("staff", "Person", inverse: "boss", reference: ReferenceDescription()),
                ])
        ])
        let result = try await store.load(
            "Person", #"{"id": 1, "boss": {"id": 2, "boss": 3, "staff": [{"id": 4}, 1]}}"#)
        #expect(result.report.issueCount == 0)
        #expect(result.total.inserted == 3 && result.total.pending == 1)
        try await store.load("Person", #"{"id": 3, "staff": [2]}"#)
        #expect(
            try files.rows(
                """
                SELECT a.id, b.id FROM Person a JOIN Person b ON b.restkit_key = a.boss
                ORDER BY a.id
                """) == [["1", "2"], ["2", "3"], ["4", "2"]])
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
