// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

@Suite struct ImportPlacementTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test func nestedListsOfOneRelationshipAreStable() async throws {
        let store = try await files.open()
        let json = #"[{"code":"SK","partners":[{"code":"DY","partners":[]}]}]"#
        for _ in 0..<3 {
            try await load(Airline.self, json, into: store)
            #expect(
                try files.rows(
                    """
                    SELECT a.code, b.code FROM Airline_partners p
                    JOIN Airline a ON a.restkit_key = p.source
                    JOIN Airline b ON b.restkit_key = p.target ORDER BY 1
                    """) == [["DY", "SK"], ["SK", "DY"]])
        }
    }

    @Test func memberKeepsOwnerThatItNames() async throws {
        let store = try await files.open()
        let json = #"""
            [{"code":"A","name":"a","terminals":[
            {"number":1,"airport":{"code":"B","name":"b","terminals":[]}}]}]
            """#
        for _ in 0..<3 {
            try await load(Airport.self, json, into: store)
            #expect(
                try files.rows(
                    """
                    SELECT t.number, a.code FROM Terminal t
                    LEFT JOIN Airport a ON a.restkit_key = t.airport
                    """) == [["1", "B"]])
        }
    }

    @Test func clearsOneToOneRelationshipFromInverseSide() async throws {
        let store = try await files.open()
        for (json, expected) in [
            (#"[{"name":"M","city":{"name":"Y"}}]"#, [["Y", "M"]]),
            (#"[{"name":"M","city":{"name":"X"}}]"#, [["X", "M"], ["Y", "-"]]),
            (#"[{"name":"M","city":null}]"#, [["X", "-"], ["Y", "-"]]),
        ] {
            try await load(Mayor.self, json, into: store)
            #expect(
                try files.rows(
                    """
                    SELECT c.name, m.name FROM City c LEFT JOIN Mayor m ON m.restkit_key = c.mayor
                    ORDER BY 1
                    """) == expected)
        }
    }

    @Test(arguments: [
        #"[{"code":"A","name":"a","city":{"name":"X"},"city":null}]"#,
        #"[{"code":"A","name":"a","city":{"name":"X"}},{"code":"A","name":"a","city":null}]"#,
    ]) func laterOfTwoToOneValuesWins(json: String) async throws {
        let store = try await files.open()
        try await load(Airport.self, json, into: store)
        #expect(try files.rows("SELECT city FROM Airport") == [["-"]])
    }

    @Test(arguments: [
        #"[{"code":"A","name":"a","terminals":[{"number":1}],"terminals":[{"number":2}]}]"#,
        #"""
        [{"code":"A","name":"a","terminals":[{"number":1}]},
        {"code":"A","name":"a","terminals":[{"number":2}]}]
        """#,
    ]) func laterOfTwoListsWins(json: String) async throws {
        let store = try await files.open()
        try await load(Airport.self, json, into: store)
        #expect(
            try files.rows("SELECT number FROM Terminal WHERE airport IS NOT NULL") == [["2"]])
    }

    private func load<Object: ManagedEntity>(
        _ type: Object.Type, _ json: String, into store: ManagedObjectStore
    ) async throws {
        let plan = try EntityMappingPlan(EntityMapping(type), in: store.model)
        let document = try Document(parsing: json)
        try await store.perform { context in
            _ = try context.importObjects(from: document.root, by: plan)
            try context.save()
        }
    }
}
