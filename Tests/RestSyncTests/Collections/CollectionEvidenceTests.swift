// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import TestSupport
import Testing

/// Validators of collections whose rows something else has changed.
@Suite(.tags(.socket)) struct CollectionEvidenceTests {
    private enum Writer: CaseIterable, Sendable {
        case language, principal, path, detail, save, patch, document, otherStore, sql
    }

    /// Answers with names that depend on the language, the user and the path, with an entity tag for each.
    private static func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        if request.method == "PATCH" { return LoopbackResponse(status: 204) }
        let fields = request.headers["authorization"] ?? ""
        let name = "\(request.path)?\(request.query) \(fields)"
        let tag = "\"\(Data(name.utf8).base64EncodedString())\""
        let headers = [("ETag", tag), ("Cache-Control", "max-age=60")]
        if request.headers["if-none-match"] == tag {
            return LoopbackResponse(status: 304, headers: headers)
        }
        let human = #"{"id":1,"name":"\#(name.prefix(24))"}"#
        return .json(request.path == "/humans/1" ? human : "[\(human)]", headers: headers)
    }

    private func run(_ body: (HumanFixture) async throws -> Void) async throws {
        try await HumanFixture.run({ Self.answer($0) }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            fixture.api.store = fixture.store
            fixture.api.configure { $0.client.principal = Principal("a") }
            try await body(fixture)
        }
    }

    private func write(_ writer: Writer, _ fixture: HumanFixture) async throws {
        switch writer {
        case .language: try await fixture.load(at: "humans?lang=de")
        case .path: try await fixture.load(at: "people")
        case .detail: try await fixture.load(at: "humans/1")
        case .principal:
            fixture.api.configure { $0.client.principal = Principal("b") }
            fixture.api.configure { $0.client.defaultHeaders[.authorization] = "b" }
            try await fixture.load(at: "humans?lang=en")
            fixture.api.configure { $0.client.principal = Principal("a") }
            fixture.api.configure { $0.client.defaultHeaders[.authorization] = nil }
        case .save:
            try await fixture.store.write { context in
                try context.fetch(Human.self).first?.name = "edited"
            }
        case .patch:
            let context = fixture.store.makeContext()
            let human = try #require(try context.fetch(Human.self).first)
            human.name = "patched"
            try await fixture.api.patch(human)
        case .document:
            let plan = try EntityMappingPlan(HumanMappings.human, in: fixture.store.model)
            let document = try Document(parsing: #"{"id":1,"name":"pushed"}"#)
            try await fixture.store.importObjects(from: document.root, by: plan)
        case .otherStore:
            let other = try await ManagedObjectStore(
                at: fixture.store.url, model: fixture.store.model)
            try await other.write { try $0.fetch(Human.self).first?.name = "edited elsewhere" }
            try other.close()
        case .sql: try fixture.temporary.execute("UPDATE Human SET name = 'written by SQL'")
        }
    }

    @Test(arguments: Writer.allCases)
    private func changedRowsAreSentAgain(_ writer: Writer) async throws {
        try await run { fixture in
            try await fixture.load(at: "humans?lang=en")
            let names = try fixture.humans()
            try await fixture.load(at: "humans?lang=en")
            #expect(fixture.lastField("if-none-match") != nil)
            try await write(writer, fixture)
            #expect(try fixture.humans() != names)
            let stored = try await fixture.api.collection(at: "humans?lang=en")
            #expect(stored?.objectIDs.count == 1)
            // Neither fresh nor confirmed.
            let result = try await fixture.load(at: "humans?lang=en")
            #expect(!result.isNotModified && fixture.lastField("if-none-match") == nil)
            #expect(try fixture.humans() == names)
            try await fixture.load(at: "humans?lang=en")
            #expect(fixture.lastField("if-none-match") != nil)
        }
    }

    @Test func equalValuesOfAnotherListConfirmNothingLess() async throws {
        try await HumanFixture.run { fixture, served in
            try await fixture.load(at: "humans")
            try await fixture.load(at: "others")
            try await fixture.load(at: "humans")
            #expect(fixture.lastField("if-none-match") == "\"one\"")
        }
    }

    @Test func editOfUnsavedListIsNotConfirmed() async throws {
        try await run { fixture in
            let context = fixture.store.makeContext()
            let humans = try await fixture.api.getObjects(Human.self, at: "humans", in: context) {
                $0.options.savesToPersistentStore = false
            }
            try await context.save()
            humans[0].name = "edited"
            try await context.save()
            try await fixture.load(at: "humans")
            #expect(fixture.lastField("if-none-match") == nil)
        }
    }

    @Test func changedObjectInsideMembersIsSentAgain() async throws {
        let temporary = try await TemporaryStore()
        let body = #"""
            [{"id":1,"number":1,"title":"t","state":"open","created_at":"2024-01-01T00:00:00Z",
            "user":{"id":5,"login":"ann"}}]
            """#
        try await LoopbackServer.run({ request in
            let tag = "\"1\""
            if request.headers["if-none-match"] == tag { return LoopbackResponse(status: 304) }
            return .json(body, headers: [("ETag", tag)])
        }) { server in
            let api = try manager(at: server.baseURL)
            try await api.getObjects(Issue.self, at: "issues", into: temporary.store)
            try await temporary.store.write { context in
                try context.fetch(User.self).first?.login = "edited"
            }
            try await api.getObjects(Issue.self, at: "issues", into: temporary.store)
            #expect(try temporary.rows("SELECT login FROM User") == ["ann"])
        }
    }

    /// An object whose column refers to another one, which refers to a third one.
    @Test(arguments: ["list", "program"])
    func changedObjectTwoLevelsInsideIsSentAgain(_ writer: String) async throws {
        let temporary = try await TemporaryStore([Region.self, Harbour.self, Pier.self])
        let region = #"{"id":7,"name":"north"}"#
        let piers =
            #"[{"id":1,"harbour":{"id":5,"name":"h","region":\#(region)}},{"id":2}]"#
        try await LoopbackServer.run({ request in
            let tag = "\"\(request.path)\""
            if request.headers["if-none-match"] == tag { return LoopbackResponse(status: 304) }
            let body =
                request.path == "/piers"
                ? piers
                : request.path == "/regions"
                    ? #"[{"id":7,"name":"other"}]"# : #"[{"id":8,"name":"south"}]"#
            return .json(body, headers: [("ETag", tag)])
        }) { server in
            let api = try manager(at: server.baseURL)
            try await api.getObjects(Pier.self, at: "piers", into: temporary.store)
            // A region that no pier has changes nothing.
            try await api.getObjects(Region.self, at: "others", into: temporary.store)
            try await api.getObjects(Pier.self, at: "piers", into: temporary.store)
            #expect(server.requests.last?.headers["if-none-match"] == "\"/piers\"")
            if writer == "list" {
                try await api.getObjects(Region.self, at: "regions", into: temporary.store)
            } else {
                try await temporary.store.write { context in
                    try context.first(Region.self, where: { $0.id == 7 })?.name = "edited"
                }
            }
            try await api.getObjects(Pier.self, at: "piers", into: temporary.store)
            #expect(server.requests.last?.headers["if-none-match"] == nil)
            #expect(
                try temporary.rows("SELECT name FROM Region ORDER BY id") == ["north", "south"])
        }
    }

    /// A pier inside of its harbour that a program has deleted or moved.
    @Test(arguments: ["deletion", "move"])
    func lostObjectInsideMemberIsSentAgain(_ change: String) async throws {
        let temporary = try await TemporaryStore([Region.self, Harbour.self, Pier.self])
        let harbours = #"""
            [{"id":5,"name":"h","piers":[{"id":1},{"id":2}],"region":{"id":7,"name":"north"}},
            {"id":6,"name":"i","piers":[]}]
            """#
        try await LoopbackServer.run({ request in
            let tag = "\"1\""
            if request.headers["if-none-match"] == tag { return LoopbackResponse(status: 304) }
            return .json(harbours, headers: [("ETag", tag)])
        }) { server in
            let api = try manager(at: server.baseURL)
            let rows = "SELECT p.id, h.id FROM Pier p JOIN Harbour h ON h.restkit_key = p.harbour"
            for _ in 0..<2 {
                try await api.getObjects(Harbour.self, at: "harbours", into: temporary.store)
            }
            #expect(server.requests.last?.headers["if-none-match"] == "\"1\"")
            try await temporary.store.write { context in
                let pier = try #require(try context.first(Pier.self, where: { $0.id == 2 }))
                if change == "deletion" {
                    context.delete(pier)
                } else {
                    pier.harbour = try context.first(Harbour.self, where: { $0.id == 6 })
                }
            }
            try await api.getObjects(Harbour.self, at: "harbours", into: temporary.store)
            #expect(server.requests.last?.headers["if-none-match"] == nil)
            #expect(try temporary.rows(rows) == ["1|5", "2|5"])
            try await api.getObjects(Harbour.self, at: "harbours", into: temporary.store)
            #expect(server.requests.last?.headers["if-none-match"] == "\"1\"")
        }
    }
}

@Entity private final class Region: ManagedObject {
    @Identity var id: Int
    var name: String
}

@Entity private final class Harbour: ManagedObject {
    @Identity var id: Int
    var name: String
    var region: Region?
    @Inverse(\Pier.harbour) var piers: Set<Pier>
}

@Entity private final class Pier: ManagedObject {
    @Identity var id: Int
    var harbour: Harbour?
}
