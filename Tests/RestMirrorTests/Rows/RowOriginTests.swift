// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestDocument
import RestKit
import RestMirror
import RestTesting
import TestSupport
import Testing

/// The origins of rows.
@Suite(.tags(.socket)) struct RowOriginTests {
    private static func definition(_ base: String) -> Definition {
        Definition(
            api: APIDefinition(
                base: base,
                authentication: .key(
                    KeyCredential(name: "key", in: .query, secrets: [.environment("KEY")])),
                pagination: PaginationDefinition(.linkHeader)),
            resources: [
                ResourceDefinition(
                    name: "items", path: Template(text: "items"), deletion: .walk,
                    entity: .one("Item"))
            ],
            entities: [
                EntityDefinition(
                    name: "Item", identity: ["id"],
                    attributes: [
                        AttributeDefinition("id", .integer), AttributeDefinition("name", .text),
                        AttributeDefinition("size", .integer),
                    ], relations: [RelationDefinition("owner", to: "Owner")]),
                EntityDefinition(
                    name: "Owner", identity: ["login"],
                    attributes: [AttributeDefinition("login", .text)]),
            ])
    }

    private static func run(_ definition: Definition, _ file: MirrorFile) async throws {
        let mirror = try await APIMirror(
            definition, at: file.url, over: CurlTransport(),
            secrets: SecretReader(environment: ["KEY": "s3cret"]), clock: file.clock,
            explainsRows: true, budgets: file.budgets)
        defer { try? mirror.close() }
        #expect(try await mirror.run().isComplete)
    }

    @Test func namesPageRequestTimeAndRun() async throws {
        let file = try MirrorFile()
        let start = Date()
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1, "name": "a", "size": 1, "owner": {"login": "ada"}}]"#
            api.setHeaders([("Link", "<\(base)items?page=2>; rel=\"next\"")], at: "/items")
            api["/items?page=2&key=s3cret"] = #"[{"id": 2, "name": "b", "size": 2}]"#
            api.setHeaders([], at: "/items?page=2&key=s3cret")
            let definition = Self.definition(base)
            try await Self.run(definition, file)
            let first = try RowOrigin(of: "Item", identity: ["2"], in: file.url)
            #expect(first.pages.map(\.number) == [2])
            #expect(first.pages.map(\.url) == [base + "items?page=2"])
            #expect(first.pages[0].run?.number == 1)
            #expect(first.insertion?.url == base + "items?page=2")
            #expect(first.insertion?.status == 200)
            #expect(first.insertion?.run?.number == 1)
            let date = try #require(first.insertion?.date)
            #expect(date >= start.addingTimeInterval(-1))
            #expect(first.changes.isEmpty)
            // A part of another record is in no page, and its response is known.
            let owner = try RowOrigin(of: "Owner", identity: ["ada"], in: file.url)
            #expect(owner.pages.isEmpty)
            #expect(owner.insertion?.url == base + "items")

            api["/items?page=2&key=s3cret"] = #"[{"id": 2, "name": "b", "size": 3}]"#
            try await Self.run(definition, file)
            let second = try RowOrigin(of: "Item", identity: ["2"], in: file.url)
            #expect(second.pages[0].run?.number == 2)
            #expect(second.changes.keys.sorted() == ["size"])
            #expect(second.changes["size"]?.run?.number == 2)
            #expect(second.insertion == first.insertion)
            // A run that changes nothing writes nothing, no run either.
            let content = try file.content()
            try await Self.run(definition, file)
            #expect(try file.content() == content)
            let bytes = try Data(contentsOf: file.url)
            #expect(bytes.range(of: Data("s3cret".utf8)) == nil)
        }
    }

    @Test(arguments: [
        ("Item", ["7"], "no row"), ("Thing", ["1"], "write one of Item, Owner"),
        ("Item", ["1", "2"], "write 1 values"),
    ])
    func rowThatDoesNotExistIsSaid(
        _ entity: String, _ identity: [String], _ text: String
    ) async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = "[]"
            try await Self.run(Self.definition(base), file)
            let error = #expect(throws: MirrorError.self) {
                try RowOrigin(of: entity, identity: identity, in: file.url)
            }
            #expect(error?.code == .rowNotFound)
            #expect(error?.details.first?.contains(text) == true)
        }
    }
}
