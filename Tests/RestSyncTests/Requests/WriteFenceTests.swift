// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

@Mapped private struct Crew {
    var humans: [Human] = []
}

/// Responses that are imported after what a later request, or a save since, has written.
@MainActor @Suite(.tags(.socket)) struct WriteFenceTests {
    /// The destinations of a response.
    enum Destination: CaseIterable, Sendable {
        case store, context, unsaved, page, operation, contextOperation, values, plainImport, live
    }

    private nonisolated static let old = #"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#
    private nonisolated static let new = #"[{"id":1,"name":"new"}]"#

    /// Answers GET requests for "slow" with a list when a gate is open, those for "fast" with another list,
    /// and other requests with a status.
    private nonisolated static func answer(
        _ gate: Gate, _ body: String = old, status: Int = 204
    ) -> LoopbackServer.Handler {
        { request in
            if request.path == "/slow/crew" {
                await gate.pass()
                return .json(#"{"humans":\#(body)}"#)
            }
            if request.path == "/slow" {
                await gate.pass()
                return .json(body, headers: [("ETag", "\"old\"")])
            }
            if request.path == "/fast/crew" { return .json(#"{"humans":\#(new)}"#) }
            return request.path == "/fast" ? .json(new) : LoopbackResponse(status: status)
        }
    }

    /// Declares the list at a path, and the crew that has it.
    private func addList(at path: String, to api: ObjectManager) throws {
        try api.add(ResponseDescriptor(HumanMappings.human, at: path))
        try api.add(
            ResponseDescriptor(
                EntityMapping(
                    ObjectMapping(for: Crew.self) {
                        relationship("humans", to: \.humans, mapping: HumanMappings.humanAttributes)
                    }, rules: HumanMappings.rules), at: "\(path)/crew"))
    }

    /// Calls a closure with saved humans, and a GET request that is answered at the end of the closure.
    private func withSlowRequest(
        _ destination: Destination, answering body: String = old, status: Int = 204,
        leaves rows: [String], _ change: (HumanFixture, Human) async throws -> Void,
        then check: (HumanFixture) async throws -> Void = { _ in }
    ) async throws {
        let gate = Gate()
        try await HumanFixture.run(awaiting: Self.answer(gate, body, status: status)) { fixture in
            for path in ["slow", "fast"] { try addList(at: path, to: fixture.api) }
            fixture.api.store = fixture.store
            try await fixture.save([1: "a", 2: "b"])
            let humans = try fixture.store.mainContext.fetch(Human.self, orderBy: \.railsID)
            let slow = Task { try await get("slow", fixture, destination) }
            await gate.arrivals()
            try await change(fixture, humans[0])
            gate.open()
            try await slow.value
            let found = try fixture.humans()
            #expect(found == rows)
            try await check(fixture)
        }
    }

    private func get(
        _ path: String, _ fixture: HumanFixture, _ destination: Destination
    ) async throws {
        let (api, store) = (fixture.api, fixture.store)
        let request = ManagedRequest(at: path)
        switch destination {
        case .store: try await api.getObjects(Human.self, at: path, into: store)
        case .context: _ = try await api.getObjects(Human.self, at: path, in: store.mainContext)
        case .unsaved:
            let context = store.mainContext
            _ = try await api.getObjects(Human.self, at: path, in: context) {
                $0.options.savesToPersistentStore = false
            }
            try await context.save()
        case .page:
            let pages = api.pages(of: Human.self, at: path, by: .linkHeader, into: store)
            _ = try await pages.fetchAll()
        case .operation:
            let operation = try api.operation(for: request, into: store)
            try api.enqueue(operation)
            _ = try await operation.value
        case .contextOperation:
            let operation = try api.operation(for: request, in: store.mainContext)
            try api.enqueue(operation)
            _ = try await operation.value
        case .values:
            let crew: Crew = try await api.get("\(path)/crew", in: store.mainContext)
            #expect(crew.humans.count <= 2)
        case .plainImport:
            let crew: Crew = try await api.get("\(path)/crew")
            #expect(crew.humans.count <= 2)
        case .live:
            let list = try RemoteList(Human.self, at: path, by: api)
            try await list.refresh()
        }
    }

    // MARK: Properties

    @Test(arguments: Destination.allCases)
    func slowAnswerKeepsLaterPatch(_ destination: Destination) async throws {
        try await withSlowRequest(destination, leaves: ["1|new", "2|b"]) { fixture, human in
            human.name = "new"
            _ = try await fixture.api.patch(human)
        }
    }

    @Test(arguments: Destination.allCases)
    func slowAnswerKeepsLaterSave(_ destination: Destination) async throws {
        try await withSlowRequest(destination, leaves: ["1|new", "2|b"]) { fixture, human in
            human.name = "new"
            try fixture.store.mainContext.save()
        }
    }

    @Test(arguments: Destination.allCases, [false, true])
    func slowAnswerKeepsLaterResponse(
        _ destination: Destination, isSlow: Bool
    ) async throws {
        let (slow, later) = isSlow ? (destination, .store) : (.store, destination)
        try await withSlowRequest(slow, leaves: ["1|new", "2|b"]) { fixture, _ in
            try await get("fast", fixture, later)
        }
    }

    @Test func slowAnswerChangesOtherProperties() async throws {
        let body = #"[{"id":1,"name":"old"},{"id":2,"name":"other"}]"#
        try await withSlowRequest(.store, answering: body, leaves: ["1|new", "2|other"]) {
            fixture, human in
            human.name = "new"
            _ = try await fixture.api.patch(human)
        }
    }

    /// The store has the value already, so that the answer to the request that writes it has no commit.
    @Test func slowAnswerKeepsValueThatServerConfirms() async throws {
        let body = #"[{"id":1,"name":"old"}]"#
        try await withSlowRequest(.store, answering: body, leaves: ["1|a", "2|b"]) {
            fixture, human in
            _ = try await fixture.api.put(human)
        }
    }

    /// A PATCH request says nothing about the properties that it does not send.
    @Test func slowAnswerChangesWhatPatchLacks() async throws {
        let gate = Gate()
        let body =
            #"[{"id":1,"name":"old","favoriteCatID":7,"friends":[{"id":2,"name":"b","friends":[]}]}]"#
        try await HumanFixture.run(awaiting: Self.answer(gate, body)) { fixture in
            let mapping = ObjectMapping(
                for: Human.self,
                [
                    "id": "railsID", "name": "name", "favoriteCatID": "favoriteCatID",
                    "friends": "friends",
                ])
            try fixture.api.add(
                ResponseDescriptor(EntityMapping(mapping, rules: HumanMappings.rules)))
            try await fixture.save([1: "a", 2: "b"])
            let human = try #require(
                try fixture.store.mainContext.first(Human.self, where: { $0.railsID == 1 }))
            let slow = Task {
                try await fixture.api.getObjects(Human.self, at: "slow", into: fixture.store)
            }
            await gate.arrivals()
            human.name = "new"
            _ = try await fixture.api.patch(human)
            gate.open()
            _ = try await slow.value
            let rows = try fixture.temporary.rows(
                "SELECT name, favoriteCatID FROM Human ORDER BY railsID")
            #expect(rows == ["new|7", "b|0"])
            #expect(human.friends.map(\.railsID) == [2])
        }
    }

    /// The response to a write has a value that it may not change, which is no later word about the property.
    @Test func heldBackValueHoldsNothingBack() async throws {
        let (writeGate, readGate) = (Gate(), Gate())
        let handler: LoopbackServer.Handler = { request in
            switch request.path {
            case "/humans/2":
                await writeGate.pass()
                return .json(#"{"id":2,"name":"two","friends":[{"id":1,"name":"old"}]}"#)
            case "/humans/1": return .json(#"{"id":1,"name":"new"}"#)
            default:
                await readGate.pass()
                return .json(#"[{"id":1,"name":"newest"}]"#)
            }
        }
        try await HumanFixture.run(awaiting: handler) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.friends))
            try await fixture.save([1: "a", 2: "b"])
            let humans = try fixture.store.mainContext.fetch(Human.self, orderBy: \.railsID)
            humans[1].name = "two"
            let write = Task { _ = try await fixture.api.patch(humans[1]) }
            await writeGate.arrivals()
            humans[0].name = "new"
            _ = try await fixture.api.patch(humans[0])
            let read = Task {
                try await fixture.api.getObjects(Human.self, at: "list", into: fixture.store)
            }
            await readGate.arrivals()
            writeGate.open()
            try await write.value
            #expect(try fixture.humans() == ["1|new", "2|two"])
            readGate.open()
            _ = try await read.value
            #expect(try fixture.humans() == ["1|newest", "2|two"])
        }
    }

    @Test func editSinceRequestStaysInContext() async throws {
        let gate = Gate()
        let body = #"[{"id":1,"name":"old"},{"id":2,"name":"other"}]"#
        try await HumanFixture.run(awaiting: Self.answer(gate, body)) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            try await fixture.save([1: "a", 2: "b"])
            let context = fixture.store.mainContext
            let humans = try context.fetch(Human.self, orderBy: \.railsID)
            let slow = Task {
                _ = try await fixture.api.getObjects(Human.self, at: "slow", in: context) {
                    $0.options.savesToPersistentStore = false
                }
            }
            await gate.arrivals()
            humans[0].name = "edited"
            gate.open()
            try await slow.value
            #expect(humans.map(\.name) == ["edited", "other"])
        }
    }

    @Test func relationshipKeepsLaterMembers() async throws {
        let gate = Gate()
        let body = #"[{"id":1,"name":"a","friends":[]}]"#
        try await HumanFixture.run(awaiting: Self.answer(gate, body)) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.friends))
            try await fixture.save([1: "a", 2: "b"])
            let context = fixture.store.mainContext
            let humans = try context.fetch(Human.self, orderBy: \.railsID)
            let slow = Task {
                try await fixture.api.getObjects(Human.self, at: "slow", into: fixture.store)
            }
            await gate.arrivals()
            humans[0].friends = [humans[1]]
            try await context.save()
            gate.open()
            _ = try await slow.value
            #expect(try fixture.temporary.rows("SELECT count(*) FROM Human_friends") != ["0"])
        }
    }

    // MARK: Objects

    @Test(arguments: [204, 404, 410], Destination.allCases)
    func slowAnswerRevivesNoObject(_ status: Int, _ destination: Destination) async throws {
        try await withSlowRequest(destination, status: status, leaves: ["2|b"]) { fixture, human in
            _ = try await fixture.api.delete(human)
        }
    }

    @Test func slowAnswerRevivesNoLocallyDeletedObject() async throws {
        try await withSlowRequest(.store, leaves: ["2|b"]) { fixture, human in
            fixture.store.mainContext.delete(human)
            try fixture.store.mainContext.save()
        }
    }

    @Test func slowTombstoneKeepsLaterWrite() async throws {
        let gate = Gate()
        let body = #"[{"id":1,"name":"gone"}]"#
        try await HumanFixture.run(awaiting: Self.answer(gate, body)) { fixture in
            let rules = EntityRules(
                identification: ["railsID"],
                deletionPredicate: .attribute("name", .equal, "gone"))
            try fixture.api.add(
                ResponseDescriptor(
                    EntityMapping(
                        ObjectMapping(for: Human.self, ["id": "railsID", "name": "name"]),
                        rules: ["Human": rules])))
            try await fixture.save([1: "a"])
            let slow = Task {
                try await fixture.api.getObjects(Human.self, at: "slow", into: fixture.store)
            }
            await gate.arrivals()
            let human = try #require(try fixture.store.mainContext.fetch(Human.self).first)
            human.name = "new"
            try await fixture.store.mainContext.save()
            gate.open()
            _ = try await slow.value
            #expect(try fixture.humans() == ["1|new"])
        }
    }

    /// A list that keeps a newer value in place of its own is not confirmed as unmodified.
    @Test func listWithHeldValuesIsRequestedInFull() async throws {
        try await withSlowRequest(.store, leaves: ["1|new", "2|b"]) { fixture, human in
            human.name = "new"
            _ = try await fixture.api.patch(human)
        } then: { fixture in
            try await fixture.load(at: "slow")
            #expect(fixture.lastField("if-none-match") == nil)
            #expect(try fixture.humans() == ["1|a", "2|b"])
            try await fixture.load(at: "slow")
            #expect(fixture.lastField("if-none-match") == "\"old\"")
        }
    }

    @Test func valueOfUnhinderedResponseIsWritten() async throws {
        let body = #"[{"id":1,"name":"x"}]"#
        try await withSlowRequest(.store, answering: body, leaves: ["1|x", "2|b"]) { _, _ in
        } then: { fixture in
            let list = try await fixture.api.collection(at: "slow")
            #expect(list?.objectIDs.count == 1)
        }
    }
}
