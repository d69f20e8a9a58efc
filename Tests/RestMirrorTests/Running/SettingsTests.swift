// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestDocument
import RestKit
import RestMirror
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Settings of definitions, each followed by a run.
@Suite(.tags(.socket)) struct SettingsTests {
    static func definition(
        _ base: String, authentication: AuthenticationDefinition = .none,
        budget: BudgetDefinition = BudgetDefinition(), responses: [ResponseRule] = [],
        pagination: PaginationDefinition = PaginationDefinition(.singlePage),
        cursor: CursorDefinition? = nil
    ) -> Definition {
        Definition(
            api: APIDefinition(
                base: base, authentication: authentication, budget: budget, responses: responses,
                pagination: pagination),
            resources: [
                ResourceDefinition(
                    name: "items", path: Template(text: "items"), cursor: cursor,
                    entity: .one("Item"))
            ],
            entities: [
                EntityDefinition(
                    name: "Item", identity: ["id"],
                    attributes: [
                        AttributeDefinition("id", .integer),
                        AttributeDefinition("updated", .text),
                    ])
            ])
    }

    // MARK: Credentials

    /// A server whose access tokens are of one use, and which replaces refresh tokens.
    private final class TokenServer: Sendable {
        private let count = Mutex(0)
        private let sent = Mutex<[String]>([])
        var refreshTokens: [String] { sent.withLock(\.self) }

        func respond(to request: LoopbackRequest) -> LoopbackResponse {
            guard request.path == "/token" else {
                // The first access token is refused with a status that is no 401.
                return request.headers["authorization"] == "Bearer a1"
                    ? .json(#"{"error": "expired"}"#, status: 400) : .json(#"[{"id": 1}]"#)
            }
            let form = String(decoding: request.body, as: UTF8.self)
            let token = form.split(separator: "&").first { $0.hasPrefix("refresh_token=") }
            sent.withLock { $0.append(String(token?.dropFirst(14) ?? "")) }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .json(
                #"{"access_token": "a\#(number)", "token_type": "bearer", "refresh_token": "r\#(number + 1)"}"#
            )
        }
    }

    private static let expired = ResponseRule(
        conditions: [Condition(at: "error", .isOne(of: [.text("expired")]))], action: .refresh)

    @Test func refusedTokenIsRefreshedAndItsSuccessorSaved() async throws {
        let file = try MirrorFile()
        let folder = file.url.deletingLastPathComponent()
        let secret = folder.appending(path: "token")
        try Data("r1\n".utf8).write(to: secret)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: secret.path(percentEncoded: false))
        let tokens = TokenServer()
        _ = try await LoopbackServer.run {
            tokens.respond(to: $0)
        } body: { server in
            let definition = Self.definition(
                server.baseURL,
                authentication: .refreshToken(
                    .file("token"),
                    client: OAuthClient(tokenURL: "token", identifier: .text("me"))),
                responses: [Self.expired])
            let log = EventLog()
            for _ in 0..<2 {
                let summary = try await file.run(
                    definition, secrets: SecretReader(environment: [:], folder: folder),
                    clock: .system
                ) { log.append($0) }
                #expect(summary.isComplete)
            }
            // A process of its own begins with the token that the last one has received.
            #expect(tokens.refreshTokens == ["r1", "r2", "r3"])
            #expect(try String(contentsOf: secret, encoding: .utf8) == "r4\n")
            let attributes = try FileManager.default.attributesOfItem(
                atPath: secret.path(percentEncoded: false))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(log.warnings == [])
            let bytes = try Data(contentsOf: file.url)
            for secret in ["r1", "r4", "a1", "a2"] {
                #expect(bytes.range(of: Data("\"\(secret)\"".utf8)) == nil)
            }
        }
    }

    @Test func unsavedSuccessorOfATokenIsReported() async throws {
        let file = try MirrorFile()
        let tokens = TokenServer()
        let log = EventLog()
        _ = try await LoopbackServer.run {
            tokens.respond(to: $0)
        } body: { server in
            let definition = Self.definition(
                server.baseURL,
                authentication: .refreshToken(
                    .environment("TOKEN"),
                    client: OAuthClient(tokenURL: "token", identifier: .text("me"))),
                responses: [Self.expired])
            // A clock whose sleepers wake at once would end the refresh.
            let summary = try await file.run(
                definition, environment: ["TOKEN": "r1"], clock: .system
            ) { log.append($0) }
            #expect(summary.isComplete)
            #expect(tokens.refreshTokens == ["r1", "r2"])
            #expect(log.warnings == [.unsavedToken])
        }
    }

    // MARK: Pagination in code

    private static let weeks = MirrorPagination(first: ["week": "1"]) { page in
        guard let next = page.body?["next_week"]?.int64 else { return nil }
        return .parameters(["week": String(next)])
    }

    private static func runByWeeks(
        _ base: String, _ file: MirrorFile
    ) async throws -> MirrorSummary {
        try await file.run(
            definition(base, pagination: PaginationDefinition(.custom("weeks"))),
            paginations: ["weeks": weeks])
    }

    @Test func programFindsTheNextPage() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items?week=1"] = #"{"next_week": 4, "items": [{"id": 1}]}"#
            api["/items?week=4"] = #"{"next_week": null, "items": [{"id": 2}]}"#
            api.fail([400], at: "/items?week=4")
            let first = try await Self.runByWeeks(base, file)
            #expect(!first.isComplete)
            api.forgetRequests()
            // The position of the page is in the file.
            let second = try await Self.runByWeeks(base, file)
            #expect(second.isComplete)
            #expect(api.targets.first == "/items?week=4")
            #expect(try file.integers("SELECT id FROM Item ORDER BY id") == [1, 2])
        }
    }

    @Test func pathOfAMissingRuleIsNamed() async throws {
        let file = try MirrorFile()
        let definition = Self.definition(
            "http://localhost/", pagination: PaginationDefinition(.custom("weeks")))
        let error = await #expect(throws: MirrorError.self) { try await file.run(definition) }
        #expect(error?.code == .invalidDefinition)
        #expect(error?.details.first?.hasPrefix("api.pagination: the rule “weeks” is code") == true)
        #expect(!FileManager.default.fileExists(atPath: file.url.path(percentEncoded: false)))
    }

    // MARK: Ceiling

    private static func addPages(_ count: Int, to api: ScriptedAPI, at base: String) {
        for number in 1...count {
            let target = number == 1 ? "/items" : "/items?page=\(number)"
            api[target] = #"[{"id": \#(number)}]"#
            let link = "<\(base)items?page=\(number + 1)>; rel=\"next\""
            api.setHeaders(number < count ? [("Link", link)] : [], at: target)
        }
    }

    @Test func runEndsAtCeilingAndNextContinues() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            Self.addPages(5, to: api, at: base)
            let definition = Self.definition(
                base, budget: BudgetDefinition(ceiling: 3),
                pagination: PaginationDefinition(.linkHeader))
            let first = try await file.run(definition)
            #expect(first.resources[0].failure?.contains("ceilingReached") == true)
            #expect(api.targets == ["/items", "/items?page=2", "/items?page=3"])
            #expect(try file.integers("SELECT id FROM Item ORDER BY id") == [1, 2, 3])
            api.forgetRequests()
            #expect(try await file.run(definition).isComplete)
            #expect(api.targets == ["/items?page=4", "/items?page=5"])
        }
    }

    @Test func consentIsAskedForOnce() async throws {
        let file = try MirrorFile()
        let counts = Mutex<[Int]>([])
        try await ScriptedAPI.run { api, base in
            Self.addPages(5, to: api, at: base)
            let definition = Self.definition(
                base, pagination: PaginationDefinition(.linkHeader))
            let limit = RequestLimit(2) { count in
                counts.withLock { $0.append(count) }
                return true
            }
            let summary = try await file.run(definition, limit: limit)
            #expect(summary.isComplete)
            #expect(counts.withLock(\.self) == [2])
            #expect(api.targets.count == 5)
        }
    }

    @Test func mirrorsOfOneHostShareItsBudget() async throws {
        let (first, second) = (try MirrorFile(), try MirrorFile())
        try await ScriptedAPI.run { api, base in
            Self.addPages(2, to: api, at: base)
            let budget = BudgetDefinition(
                windows: [BudgetDefinition.Window(requestCount: 2, per: .seconds(100))])
            let definition = Self.definition(
                base, budget: budget, pagination: PaginationDefinition(.linkHeader))
            try await first.run(definition)
            #expect(first.clock.sleptDuration == .zero)
            #expect(try await second.run(definition, budgets: first.budgets).isComplete)
            #expect(second.clock.sleptDuration > .seconds(90))
        }
    }

    // MARK: Cursors

    @Test func integerStepsEndBehindTheLastRecord() async throws {
        let file = try MirrorFile()
        let cursor = CursorDefinition(
            .field("id"), parameter: "from", endParameter: "to", format: .integer,
            initialValue: .number("0"), step: .count(10))
        _ = try await LoopbackServer.run { request in
            let items = Dictionary(
                request.query.split(separator: "&").map { pair in
                    let parts = pair.split(separator: "=")
                    return (String(parts[0]), Int(parts[1]) ?? 0)
                }, uniquingKeysWith: { first, _ in first })
            let ids = [1, 9, 14, 23, 70].filter {
                $0 >= items["from"] ?? 0 && $0 < items["to"] ?? .max
            }
            return .json("[" + ids.map { #"{"id": \#($0)}"# }.joined(separator: ",") + "]")
        } body: { server in
            let definition = Self.definition(server.baseURL, cursor: cursor)
            let summary = try await file.run(definition)
            #expect(summary.isComplete)
            #expect(try file.integers("SELECT id FROM Item ORDER BY id") == [1, 9, 14, 23, 70])
            #expect(
                server.requests.map(\.query) == [
                    "from=0&to=10", "from=10&to=20", "from=20&to=30", "from=30&to=40", "from=40",
                ])
            #expect(try file.rows("SELECT cursor FROM restkit_mirror_list") == ["70"])
        }
    }

    /// A pause is the time since the last walk, not since the last one that has read everything.
    @Test func everythingIsReadAfterPauseBeyondRetention() async throws {
        let file = try MirrorFile()
        let cursor = CursorDefinition(
            .field("updated"), parameter: "since", format: .iso8601,
            retention: .seconds(30 * 86_400))
        let day = Duration.seconds(86_400)
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1, "updated": "2024-05-01T10:00:00Z"}]"#
            let definition = Self.definition(base, cursor: cursor)
            func targets(after days: Int) async throws -> [String] {
                try await file.clock.sleep(until: file.clock.now + day * days)
                api.forgetRequests()
                try await file.run(definition)
                return api.targets
            }
            let since = ["/items?since=2024-05-01T09%3A59%3A59Z"]
            let first = try await targets(after: 0)
            #expect(first == ["/items"])
            #expect(try await targets(after: 20) == since)
            #expect(try await targets(after: 20) == since)
            #expect(try await targets(after: 31) == ["/items"])
        }
    }

    @Test func parentsShareAPositionThatPassesNothing() async throws {
        let file = try MirrorFile()
        let lists = Mutex(["a": [5], "b": [7]])
        _ = try await LoopbackServer.run { request in
            let list = String(request.path.dropFirst(7))
            let since = request.query.split(separator: "=").last.flatMap { Int($0) } ?? 0
            let ids = lists.withLock { lists in
                let ids = (lists[list] ?? []).filter { $0 >= since }
                // A record appears in the first list after it was read, before that of the second one.
                if list == "b" { lists["a", default: []].append(6) }
                return ids
            }
            return .json(
                "[" + Set(ids).map { #"{"id": \#($0)}"# }.joined(separator: ",") + "]")
        } body: { server in
            var definition = Self.definition(server.baseURL)
            definition.api.budget.parallelRequestCount = 1
            definition.resources[0].path = Template(parts: [
                .text("items/"), .parent("list", path: "value"),
            ])
            definition.resources[0].parents = [
                ParentDefinition(name: "list", source: .values([.text("a"), .text("b")]))
            ]
            definition.resources[0].cursor = CursorDefinition(
                .field("id"), parameter: "since", format: .integer, isPerParent: false)
            for _ in 0..<3 {
                let summary = try await file.run(definition)
                #expect(summary.isComplete)
            }
            #expect(try file.integers("SELECT id FROM Item ORDER BY id") == [5, 6, 7])
            let queries = server.requests.map(\.query)
            // The first run has no position, and the second one has none that is known to be complete.
            #expect(queries == ["", "", "", "", "since=6", "since=6"])
            #expect(try MirrorStatus(of: file.url).resources[0].cursor == "7")
        }
    }
}
