// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Requests of one object at the same time, and edits and saves while one runs.
@MainActor @Suite(.tags(.socket)) struct OverlappingRequestsTests {
    private nonisolated static let done = LoopbackResponse(status: 204)

    /// Calls a closure with the first of two saved humans, "a" and "b".
    private func withHuman(
        _ handler: @escaping LoopbackServer.Handler,
        _ body: (Human, HumanFixture) async throws -> Void
    ) async throws {
        try await HumanFixture.run(awaiting: handler) { fixture in
            try await fixture.save([1: "a", 2: "b"])
            let humans = try fixture.store.mainContext.fetch(Human.self, orderBy: \.railsID)
            try await body(humans[0], fixture)
        }
    }

    private func sent(_ fixture: HumanFixture) -> [String] {
        fixture.server.requests.map { $0.path + String(decoding: $0.body, as: UTF8.self) }
    }

    private func saveAtOnce(_ context: ManagedObjectContext) throws { try context.save() }

    // MARK: Turns

    @Test func requestRunsInIsolationOfCaller() async throws {
        try await withHuman({ _ in Self.done }) { human, fixture in
            human.name = "one"
            try await fixture.api.patch(human) { request in
                MainActor.preconditionIsolated()
                request.options.savesToPersistentStore = true
            }
            #expect(human.name == "one")
        }
    }

    @Test func requestsOfOneObjectAreSentInOrder() async throws {
        let gate = Gate()
        try await withHuman({ request in
            if request.path == "/humans/1" { await gate.pass() }
            return Self.done
        }) { human, fixture in
            let other = try #require(
                try fixture.store.mainContext.first(Human.self, where: { $0.railsID == 2 }))
            human.name = "one"
            let first = Task { _ = try await fixture.api.patch(human) }
            await gate.arrivals()
            human.name = "two"
            let second = Task { _ = try await fixture.api.patch(human) }
            // A request of another object, after the second one, does not wait.
            other.name = "other"
            let third = Task { _ = try await fixture.api.patch(other) }
            try await third.value
            #expect(
                sent(fixture) == [#"/humans/1{"name":"one"}"#, #"/humans/2{"name":"other"}"#])
            gate.open()
            try await first.value
            try await second.value
            #expect(sent(fixture).last == #"/humans/1{"name":"two"}"#)
            #expect(try fixture.humans() == ["1|two", "2|other"])
            #expect(human.name == "two" && !fixture.store.mainContext.hasChanges)
        }
    }

    @Test func newObjectIsUpdatedAfterItsInsertion() async throws {
        let gate = Gate()
        try await HumanFixture.run(awaiting: { request in
            guard request.method == "POST" else { return Self.done }
            await gate.pass()
            return .json(#"{"id":7,"name":"one"}"#, status: 201)
        }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let human = try fixture.store.mainContext.insert(Human.self)
            human.name = "one"
            let insertion = Task { _ = try await fixture.api.post(human) }
            await gate.arrivals()
            human.name = "two"
            let update = Task { _ = try await fixture.api.patch(human) }
            gate.open()
            try await insertion.value
            try await update.value
            #expect(sent(fixture).last == #"/humans/7{"name":"two"}"#)
            #expect(try fixture.humans() == ["7|two"])
        }
    }

    @Test func cancelledRequestLosesItsTurn() async throws {
        let gate = Gate()
        try await withHuman({ _ in
            await gate.pass()
            return Self.done
        }) { human, fixture in
            human.name = "one"
            let first = Task { _ = try await fixture.api.patch(human) }
            await gate.arrivals()
            human.name = "two"
            let second = Task { _ = try await fixture.api.patch(human) }
            let third = Task { _ = try await fixture.api.patch(human) }
            await Task.yield()
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            #expect(human.name == "two" && fixture.server.requests.count == 1)
            gate.open()
            try await first.value
            try await third.value
            #expect(sent(fixture).map { $0.suffix(5) } == ["one\"}", "two\"}"])
            #expect(try fixture.humans() == ["1|two", "2|b"])
        }
    }

    @Test func requestAfterFailedOneSendsAllEdits() async throws {
        let gate = Gate()
        let isFirst = Mutex(true)
        try await withHuman({ _ in
            await gate.pass()
            let fails = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return fails ? LoopbackResponse(status: 500) : Self.done
        }) { human, fixture in
            human.name = "one"
            let first = Task { _ = try await fixture.api.patch(human) }
            await gate.arrivals()
            human.favoriteCatID = 3
            let second = Task { _ = try await fixture.api.patch(human) }
            gate.open()
            let error = await #expect(throws: NetworkingError.self) { try await first.value }
            #expect(error?.code == .unexpectedStatus)
            try await second.value
            #expect(sent(fixture).last == #"/humans/1{"name":"one","favoriteCatID":3}"#)
            #expect(try fixture.humans().first == "1|one")
        }
    }

    /// Sends a PATCH request of an object before the PUT request of an object.
    private struct PreparingInterceptor: HTTPInterceptor {
        let prepare: @MainActor @Sendable (HTTPURL) async throws -> Void

        func send(
            _ request: TransportRequest, through next: InterceptorChain
        ) async throws -> TransportResponse {
            if request.method == .put { try await prepare(request.url) }
            return try await next.send(request)
        }
    }

    @Test func requestWithinRequestDoesNotWait() async throws {
        try await withHuman({ _ in Self.done }) { human, fixture in
            fixture.api.configure {
                $0.client.interceptors = [
                    PreparingInterceptor { [api = fixture.api] _ in _ = try await api.patch(human) }
                ]
            }
            human.name = "one"
            try await fixture.api.put(human)
            #expect(fixture.server.requests.map(\.method) == ["PATCH", "PUT"])
            #expect(try fixture.humans().first == "1|one")
        }
    }

    @Test func requestsWithinEachOthersRequestsDoNotWait() async throws {
        let gate = Gate()
        try await withHuman({ _ in Self.done }) { human, fixture in
            let other = try #require(
                try fixture.store.mainContext.first(Human.self, where: { $0.railsID == 2 }))
            fixture.api.configure {
                $0.client.interceptors = [
                    PreparingInterceptor { [api = fixture.api] url in
                        await gate.pass()
                        let isOther = url.requestText.hasSuffix("2")
                        try await api.patch(isOther ? human : other)
                    }
                ]
            }
            (human.name, other.name) = ("one", "two")
            let first = Task { _ = try await fixture.api.put(human) }
            let second = Task { _ = try await fixture.api.put(other) }
            // Both objects have a request in progress.
            await gate.arrivals(2)
            gate.open()
            try await first.value
            try await second.value
            #expect(try fixture.humans() == ["1|one", "2|two"])
        }
    }

    @Test func taskThatOutlivesItsRequestTakesTurns() async throws {
        let (gate, later) = (Gate(), Gate())
        let update = Mutex<Task<Void, any Error>?>(nil)
        try await withHuman({ request in
            if request.method == "POST" { await gate.pass() }
            return Self.done
        }) { human, fixture in
            fixture.api.configure {
                $0.client.interceptors = [
                    PreparingInterceptor { [api = fixture.api] _ in
                        let task = Task {
                            await later.pass()
                            _ = try await api.patch(human)
                        }
                        update.withLock { $0 = task }
                    }
                ]
            }
            try await fixture.api.put(human)
            let insertion = Task { _ = try await fixture.api.post(human) }
            await gate.arrivals()
            human.name = "later"
            later.open()
            await later.arrivals()
            await Task.yield()
            #expect(fixture.server.requests.map(\.method) == ["PUT", "POST"])
            gate.open()
            try await insertion.value
            try await update.withLock(\.self)?.value
            #expect(fixture.server.requests.map(\.method) == ["PUT", "POST", "PATCH"])
        }
    }

    // MARK: Edits while a request runs

    enum Save: CaseIterable { case blocking, waiting, ofChild }

    @Test(arguments: Save.allCases)
    func valueSavedWhileRequestRunsStays(_ save: Save) async throws {
        let gate = Gate()
        try await withHuman({ _ in
            await gate.pass()
            return Self.done
        }) { human, fixture in
            try fixture.api.add(
                RequestDescriptor(
                    RequestMapping(for: Human.self, ["name", "favoriteCatID", "friends"])))
            let context = fixture.store.mainContext
            let friend = try #require(
                try context.first(Human.self, where: { $0.railsID == 2 }))
            human.name = "one"
            human.favoriteCatID = 1
            human.friends = [friend]
            let request = Task { _ = try await fixture.api.patch(human) }
            await gate.arrivals()
            human.name = "two"
            human.friends = []
            switch save {
            case .blocking: try saveAtOnce(context)
            case .waiting: try await context.save()
            case .ofChild:
                let child = context.child()
                let copy = try child.object(with: human.objectID) as? Human
                try #require(copy).name = "three"
                try await child.saveToStore()
            }
            gate.open()
            try await request.value
            let name = save == .ofChild ? "three" : "two"
            #expect(human.name == name && human.favoriteCatID == 1 && human.friends.isEmpty)
            #expect(!context.hasChanges)
            let rows = try fixture.temporary.rows(
                "SELECT name, favoriteCatID FROM Human ORDER BY railsID")
            #expect(rows == ["\(name)|1", "b|0"])
            #expect(try fixture.temporary.rows("SELECT * FROM Human_friends").isEmpty)
        }
    }

    /// A new object that is saved while its POST request runs, and then changed again.
    @Test(arguments: ["three", "one"])
    func newObjectSavedWhileRequestRunsKeepsEdits(edit: String) async throws {
        let gate = Gate()
        try await HumanFixture.run(awaiting: { _ in
            await gate.pass()
            return Self.done
        }) { fixture in
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, railsID: 1, name: "one")
            let request = Task { _ = try await fixture.api.post(human) }
            await gate.arrivals()
            human.name = "two"
            try saveAtOnce(context)
            human.name = edit
            gate.open()
            try await request.value
            #expect(try fixture.humans() == ["1|two"])
            #expect(human.changedValues == ["name": .text(edit)])
            try saveAtOnce(context)
            #expect(try fixture.humans() == ["1|\(edit)"])
        }
    }

    /// The response has the value that was sent, and the program has saved a newer one.
    @Test func responseKeepsValueSavedSince() async throws {
        let gate = Gate()
        try await withHuman({ _ in
            await gate.pass()
            return .json(#"{"id":1,"name":"one","favoriteCatID":7}"#)
        }) { human, fixture in
            try fixture.api.add(
                ResponseDescriptor(
                    EntityMapping(
                        ObjectMapping(
                            for: Human.self,
                            [
                                "id": "railsID", "name": "name", "favoriteCatID": "favoriteCatID",
                            ]), rules: HumanMappings.rules)))
            let context = fixture.store.mainContext
            human.name = "one"
            let request = Task { _ = try await fixture.api.patch(human) }
            await gate.arrivals()
            human.name = "two"
            try saveAtOnce(context)
            gate.open()
            try await request.value
            #expect(human.name == "two" && human.favoriteCatID == 7 && !context.hasChanges)
            let rows = try fixture.temporary.rows(
                "SELECT name, favoriteCatID FROM Human ORDER BY railsID")
            #expect(rows == ["two|7", "b|0"])
        }
    }

    @Test func valueSetBackWhileRequestRunsIsSent() async throws {
        let gate = Gate()
        try await withHuman({ _ in
            await gate.pass()
            return Self.done
        }) { human, fixture in
            human.name = "one"
            let request = Task { _ = try await fixture.api.patch(human) }
            await gate.arrivals()
            human.name = "a"
            gate.open()
            try await request.value
            #expect(human.name == "a" && human.changedValues == ["name": .text("a")])
            #expect(try fixture.humans().first == "1|one")
            try await fixture.api.patch(human)
            #expect(sent(fixture).last == #"/humans/1{"name":"a"}"#)
            #expect(try fixture.humans().first == "1|a")
        }
    }

    @Test(arguments: [false, true])
    func laterOperationWins(isImportedFirst: Bool) async throws {
        try await withHuman({ _ in Self.done }) { human, fixture in
            @MainActor func patch(_ name: String) throws -> ObjectRequestOperation<ManagedResult> {
                human.name = name
                let request = ManagedRequest(
                    .patch, at: .object, object: human.requestObject)
                let operation = try fixture.api.operation(
                    for: request, updating: human, in: fixture.store.mainContext)
                try fixture.api.enqueue(operation)
                return operation
            }
            let (one, two) = (try patch("one"), try patch("two"))
            for operation in isImportedFirst ? [two, one] : [one, two] {
                _ = try await operation.value
                #expect(human.name == "two")
            }
            #expect(try fixture.humans().first == "1|two")
            #expect(!fixture.store.mainContext.hasChanges)
        }
    }
}
