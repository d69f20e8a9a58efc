// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestDocument
import RestMirror
import RestTesting
import TestSupport
import Testing

/// Failures of servers, budgets and credentials.
@Suite(.tags(.socket)) struct FailureTests {
    private static func definition(
        _ base: String, _ names: [String] = ["items"],
        budget: BudgetDefinition = BudgetDefinition(),
        authentication: AuthenticationDefinition = .none, responses: [ResponseRule] = [],
        pagination: PaginationDefinition? = PaginationDefinition(.linkHeader),
        cursor: CursorDefinition? = nil, deletion: DeletionDefinition = .none
    ) -> Definition {
        Definition(
            api: APIDefinition(
                base: base, authentication: authentication, budget: budget, responses: responses,
                pagination: pagination),
            resources: names.map { name in
                ResourceDefinition(
                    name: name, path: Template(text: name), cursor: cursor, deletion: deletion,
                    entity: .one("Item"))
            },
            entities: [
                EntityDefinition(
                    name: "Item", identity: ["id"],
                    attributes: [
                        AttributeDefinition("id", .integer), AttributeDefinition("updated", .text),
                    ])
            ])
    }

    @Test func failingResourceDoesNotEndOthers() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1}]"#
            let summary = try await file.run(Self.definition(base, ["broken", "items"]))
            #expect(!summary.isComplete)
            #expect(summary.resources[0].failure?.contains("404") == true)
            #expect(summary.resources[1].failure == nil)
            #expect(try file.integers("SELECT id FROM Item") == [1])
        }
    }

    /// The page is not confirmed as the last one by the next run, which would delete the rest of the rows.
    @Test func pageBeforeAFailingLinkIsWritten() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            let second = [("Link", "<\(base)items?page=2>; rel=\"next\"")]
            api["/items"] = #"[{"id": 1}, {"id": 2}]"#
            api.setHeaders(second.map { (name: $0, value: $1) }, at: "/items")
            api["/items?page=2"] = #"[{"id": 3}]"#
            api.setHeaders([], at: "/items?page=2")
            #expect(try await file.run(Self.definition(base, deletion: .walk)).isComplete)
            api["/items"] = #"[{"id": 1}, {"id": 4}]"#
            api.setHeaders(
                [("Link", "<https://elsewhere.example/items?page=2>; rel=\"next\"")], at: "/items")
            for _ in 0..<2 {
                let summary = try await file.run(Self.definition(base, deletion: .walk))
                #expect(!summary.isComplete)
                #expect(summary.resources[0].failure?.contains("elsewhere.example") == true)
                #expect(try file.integers("SELECT id FROM Item ORDER BY id") == [1, 2, 3, 4])
            }
            api.setHeaders(second.map { (name: $0, value: $1) }, at: "/items")
            #expect(try await file.run(Self.definition(base, deletion: .walk)).isComplete)
            #expect(try file.integers("SELECT id FROM Item ORDER BY id") == [1, 3, 4])
        }
    }

    @Test func waitsAsLongAsTheServerSays() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1}]"#
            api.setHeaders([("Retry-After", "120")], at: "/items")
            api.fail([429], at: "/items")
            let summary = try await file.run(Self.definition(base))
            #expect(summary.isComplete)
            #expect(file.clock.sleptDuration >= .seconds(119))
            #expect(file.clock.sleptDuration < .seconds(200))
        }
    }

    @Test func endsIncompleteIfTheWaitIsTooLong() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1}]"#
            api.setHeaders([("Retry-After", "4000")], at: "/items")
            api.fail([429], at: "/items")
            let summary = try await file.run(
                Self.definition(base, budget: BudgetDefinition(maximumWait: .seconds(60))))
            #expect(summary.resources[0].failure?.contains("67 min") == true)
            #expect(api.targets.count == 1)
        }
    }

    @Test func waitsForTheEndOfASpentWindow() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/a"] = #"[{"id": 1}]"#
            api["/b"] = #"[{"id": 2}]"#
            api["/c"] = #"[{"id": 3}]"#
            let budget = BudgetDefinition(
                windows: [BudgetDefinition.Window(requestCount: 2, per: .seconds(100))],
                parallelRequestCount: 1)
            let summary = try await file.run(
                Self.definition(base, ["a", "b", "c"], budget: budget))
            #expect(summary.isComplete)
            #expect(file.clock.sleptDuration > .seconds(90))
        }
    }

    @Test func spentRemainingRequestsBlockUntilReset() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/a"] = #"[{"id": 1}]"#
            api["/b"] = #"[{"id": 2}]"#
            api.setHeaders([("X-Left", "0"), ("X-Reset", "50")], at: "/a")
            api.setHeaders([("X-Left", "0"), ("X-Reset", "50")], at: "/b")
            let budget = BudgetDefinition(
                remainingField: "X-Left", resetField: "X-Reset", resetFormat: .seconds,
                parallelRequestCount: 1)
            try await file.run(Self.definition(base, ["a", "b"], budget: budget))
            #expect(file.clock.sleptDuration > .seconds(45))
            #expect(file.clock.sleptDuration < .seconds(60))
        }
    }

    @Test func expiredPositionReadsEverything() async throws {
        let file = try MirrorFile()
        let cursor = CursorDefinition(.field("updated"), parameter: "since", format: .iso8601)
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1, "updated": "2024-05-01T10:00:00Z"}]"#
            try await file.run(Self.definition(base, cursor: cursor))
            let since = "/items?since=2024-05-01T09%3A59%3A59Z"
            api[since] = "[]"
            api.fail([410], at: since)
            api.forgetRequests()
            let summary = try await file.run(Self.definition(base, cursor: cursor))
            #expect(summary.isComplete)
            #expect(api.targets == [since, "/items"])
        }
    }

    @Test func futureRecordDoesNotMoveTheCursor() async throws {
        let file = try MirrorFile()
        let cursor = CursorDefinition(.field("updated"), parameter: "since", format: .iso8601)
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1, "updated": "2999-01-01T00:00:00Z"}]"#
            api.setHeaders([("Date", "Wed, 01 May 2024 10:00:00 GMT")], at: "/items")
            try await file.run(Self.definition(base, cursor: cursor))
            try await file.run(Self.definition(base, cursor: cursor))
            #expect(api.targets.last == "/items?since=2024-05-01T09%3A59%3A59Z")
        }
    }

    @Test func fullPageWithoutPaginationIsSaid() async throws {
        let file = try MirrorFile()
        let log = EventLog()
        try await ScriptedAPI.run { api, base in
            let items = (1...30).map { #"{"id": \#($0)}"# }.joined(separator: ",")
            api["/items"] = "[\(items)]"
            let summary = try await file.run(Self.definition(base, pagination: nil)) {
                log.append($0)
            }
            #expect(log.warnings == [.onlyOnePage])
            #expect(!summary.isComplete)
        }
    }

    @Test func linkToAnotherOriginIsNotFollowed() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1}]"#
            api.setHeaders([("Link", "<http://127.0.0.2:1/items>; rel=\"next\"")], at: "/items")
            let summary = try await file.run(Self.definition(base))
            #expect(summary.resources[0].failure?.contains("cannot be followed") == true)
        }
    }

    @Test func secretsAreSentAndNeverStored() async throws {
        let file = try MirrorFile()
        let key = AuthenticationDefinition.key(
            KeyCredential(name: "api_key", in: .query, secrets: [.environment("KEY")]))
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1}]"#
            api["/items?page=2&api_key=s3cret"] = #"[{"id": 2}]"#
            // Servers repeat the query in their links.
            api.setHeaders(
                [("Link", "<\(base)items?page=2&api_key=s3cret>; rel=\"next\"")], at: "/items")
            api.setHeaders([], at: "/items?page=2&api_key=s3cret")
            let definition = Self.definition(base, authentication: key)
            let summary = try await file.run(definition, environment: ["KEY": "s3cret"])
            #expect(summary.isComplete)
            #expect(api.targets == ["/items?api_key=s3cret", "/items?page=2&api_key=s3cret"])
            let bytes = try Data(contentsOf: file.url)
            #expect(bytes.range(of: Data("s3cret".utf8)) == nil)
            await #expect(throws: MirrorError.self) { try await file.run(definition) }
        }
    }
}
