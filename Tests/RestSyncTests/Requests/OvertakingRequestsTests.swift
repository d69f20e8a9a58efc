// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// GET requests whose responses arrive in another order than that of the requests.
@Suite(.tags(.socket)) struct OvertakingRequestsTests {
    /// Answers the first GET request with one list when a gate is open, and later ones with another list.
    private static func answer(
        _ gate: Gate, first: String, later: String, headers: [(String, String)] = []
    ) -> LoopbackServer.Handler {
        let count = Mutex(0)
        return { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number > 1 {
                if request.headers["if-none-match"] != nil { return LoopbackResponse(status: 304) }
                return .json(later, headers: headers)
            }
            await gate.pass()
            return .json(first)
        }
    }

    /// Sends two requests, of which the first is answered last.
    private func overtake(
        _ path: String, _ laterPath: String, first: String, later: String,
        _ check: (HumanFixture, ManagedResult) async throws -> Void
    ) async throws {
        let gate = Gate()
        let handler = Self.answer(gate, first: first, later: later)
        try await HumanFixture.run(awaiting: handler) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            try await fixture.save([1: "stored", 2: "b"])
            let slow = Task { try await fixture.load(at: path) }
            await gate.arrivals()
            try await fixture.load(at: laterPath)
            gate.open()
            try await check(fixture, try await slow.value)
        }
    }

    @Test(arguments: ["humans", "others"])
    func laterRequestWins(_ laterPath: String) async throws {
        try await overtake(
            "humans", laterPath, first: #"[{"id":1,"name":"old"}]"#,
            later: #"[{"id":1,"name":"new"}]"#
        ) { fixture, _ in
            let humans = try fixture.humans()
            #expect(humans == ["1|new", "2|b"])
        }
    }

    /// The later response changes nothing in the store, and is newer nevertheless.
    @Test(arguments: ["humans", "others"])
    func laterRequestWinsWithStoredValues(_ laterPath: String) async throws {
        try await overtake(
            "humans", laterPath, first: #"[{"id":1,"name":"old"}]"#,
            later: #"[{"id":1,"name":"stored"}]"#
        ) { fixture, _ in
            let humans = try fixture.humans()
            #expect(humans == ["1|stored", "2|b"])
        }
    }

    /// The later response has the list that is stored, and so says to which object its members belong.
    @Test func membersOfLaterListStay() async throws {
        let gate = Gate()
        let handler: LoopbackServer.Handler = { request in
            if request.path == "/cats" { await gate.pass() }
            return .json(
                request.path == "/cats"
                    ? #"[{"id":5,"name":"new","human":{"id":2}}]"#
                    : #"[{"id":1,"cats":[{"id":5}]}]"#)
        }
        try await HumanFixture.run(awaiting: handler) { fixture in
            let cat = ObjectMapping(for: Cat.self) {
                attribute("id", to: \.railsID)
                attribute("name", to: \.name)
                relationship(
                    "human", to: \.human,
                    mapping: ObjectMapping(for: Human.self, ["id": "railsID"]))
            }
            let human = ObjectMapping(for: Human.self) {
                attribute("id", to: \.railsID)
                relationship(
                    "cats", to: \.cats, mapping: ObjectMapping(for: Cat.self, ["id": "railsID"]))
            }
            let rules = HumanMappings.rules.mapValues {
                EntityRules(identification: $0.identification)
            }
            try fixture.api.add(
                ResponseDescriptor(EntityMapping(cat, rules: rules), at: "cats"))
            try fixture.api.add(
                ResponseDescriptor(EntityMapping(human, rules: rules), at: "humans"))
            try await fixture.save([1: "a", 2: "b"])
            try await fixture.load(at: "humans")
            let slow = Task {
                try await fixture.api.getObjects(Cat.self, at: "cats", into: fixture.store)
            }
            await gate.arrivals()
            let changes = try await fixture.load(at: "humans").changes
            #expect(changes.updated == 0)
            gate.open()
            _ = try await slow.value
            let cats = try fixture.temporary.rows(
                """
                SELECT c.name, h.railsID FROM Cat c JOIN Human h ON h.restkit_key = c.human
                """)
            #expect(cats == ["new|1"])
        }
    }

    @Test func olderListAddsNoMembers() async throws {
        try await overtake(
            "humans", "humans", first: #"[{"id":1,"name":"stored"},{"id":7,"name":"old"}]"#,
            later: #"[{"id":1,"name":"stored"}]"#
        ) { fixture, result in
            #expect(try fixture.humans() == ["1|stored", "2|b"])
            #expect(try await fixture.numbers(result.objectIDs) == [1])
            let list = try await fixture.api.collection(at: "humans", in: fixture.store)
            #expect(try await fixture.numbers(list?.objectIDs ?? []) == [1])
        }
    }

    @Test func olderValuesOfOtherObjectsAreWritten() async throws {
        try await overtake(
            "humans", "others", first: #"[{"id":1,"name":"old"},{"id":2,"name":"changed"}]"#,
            later: #"[{"id":1,"name":"new"}]"#
        ) { fixture, _ in
            let humans = try fixture.humans()
            #expect(humans == ["1|new", "2|changed"])
        }
    }

    /// An object that an older request has brought since is an orphan of the later one.
    @Test func laterRequestDeletesWhatOlderOneBrought() async throws {
        let gate = Gate()
        let handler: LoopbackServer.Handler = { request in
            if request.path == "/humans" { await gate.pass() }
            return .json(
                request.path == "/humans"
                    ? #"[{"id":1,"name":"a"}]"# : #"[{"id":7,"name":"old"}]"#)
        }
        try await HumanFixture.run(awaiting: handler) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            try await fixture.save([1: "a", 2: "b"])
            let list = Task {
                try await fixture.load(at: "humans") {
                    $0.options.fetchRequestRules = [
                        FetchRequestRule { _ in FetchRequest("Human") }
                    ]
                }
            }
            await gate.arrivals()
            // Sent later: its object stays.
            try await fixture.load(at: "other")
            gate.open()
            let result = try await list.value
            #expect(result.orphanIDs.count == 1)
            #expect(try fixture.humans() == ["1|a", "7|old"])
        }
    }

    @Test func olderWalkDoesNotReplaceLaterOne() async throws {
        let gate = Gate()
        let handler = Self.answer(
            gate, first: #"[{"id":1,"name":"old"}]"#, later: #"[{"id":2,"name":"new"}]"#)
        try await HumanFixture.run(awaiting: handler) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let slow = Task { try await fixture.pages(.keep).fetchAll() }
            await gate.arrivals()
            let later = try await fixture.pages(.keep).fetchAll()
            gate.open()
            #expect(try await slow.value.collection == nil)
            let list = try await fixture.api.collection(
                at: "humans", in: fixture.store, isPaged: true)
            #expect(list?.objectIDs == later.collection?.objectIDs)
        }
    }
}
