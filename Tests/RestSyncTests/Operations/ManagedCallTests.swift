// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// A call whose response is imported, by its name.
struct ManagedCall: Sendable, CustomTestStringConvertible {
    let name: String
    let perform: @MainActor @Sendable (HumanFixture) async throws -> Void

    var testDescription: String { name }

    init(
        _ name: String,
        _ perform: @escaping @MainActor @Sendable (HumanFixture) async throws -> Void
    ) {
        self.name = name
        self.perform = perform
    }

    /// One call of each kind, all to paths that begin with `humans`.
    static let all: [ManagedCall] = [
        ManagedCall("into a store") {
            try await $0.api.getObjects(Human.self, at: "humans", into: $0.store)
        },
        ManagedCall("in a context") {
            _ = try await $0.api.getObjects(Human.self, at: "humans", in: $0.store.mainContext)
        },
        ManagedCall("a value in a context") {
            let _: [Human] = try await $0.api.get("humans", in: $0.store.mainContext)
        },
        ManagedCall("an object") {
            let human = try Human.insert(into: $0.store.mainContext, railsID: 1)
            try await $0.api.post(human, at: "humans")
        },
        ManagedCall("pages into a store") {
            let pages = $0.api.pages(
                of: Human.self, at: "humans", by: .linkHeader, into: $0.store)
            _ = try await pages.fetchAll()
        },
        ManagedCall("pages in a context") {
            let pages = $0.api.pages(
                of: Human.self, at: "humans", by: .linkHeader, in: $0.store.mainContext)
            for try await _ in pages {}
        },
        ManagedCall("a live list") {
            let list = try RemoteList(Human.self, at: "humans", by: $0.api, in: $0.store)
            try await list.refresh()
        },
        ManagedCall("live states") {
            for await state in try $0.api.live(Human.self, at: "humans", in: $0.store) {
                if let error = state.phase.error { throw error }
            }
        },
        ManagedCall("a request into a store") {
            try await $0.api.send(ManagedRequest(Human.self, at: "humans"), into: $0.store)
        },
        ManagedCall("all objects in a context") {
            let request = ManagedRequest(at: "humans")
            let _: MappingResult = try await $0.api.send(request, in: $0.store.mainContext)
        },
        ManagedCall("values of POST in a context") {
            let _: [Human] = try await $0.api.post("humans", in: $0.store.mainContext)
        },
        ManagedCall("an operation in a context") {
            let operation = try $0.api.operation(
                for: ManagedRequest(at: "humans"), in: $0.store.mainContext)
            _ = try await $0.api.enqueue(operation).value
        },
        ManagedCall("a batch into a store") {
            let batch = try $0.api.enqueueBatch(
                of: [ManagedRequest(at: "humans")], into: $0.store)
            _ = try await batch.results()[0].get()
        },
        ManagedCall("a plain value with a default store") {
            $0.api.store = $0.store
            _ = try await $0.api.getObjects(at: "humans") as MappingResult
        },
    ]
}

/// Calls that import their responses, as operations of the queue.
@MainActor @Suite(.tags(.socket), .timeLimit(.hang)) struct ManagedCallTests {
    private nonisolated static let humans = LoopbackResponse.json(#"[{"id":1,"name":"a"}]"#)

    @Test(.parity("S012", "S040"), arguments: ManagedCall.all)
    func callIsOperation(_ call: ManagedCall) async throws {
        let gate = Gate()
        try await HumanFixture.run(awaiting: { _ in
            await gate.pass()
            return Self.humans
        }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let performed = Journal()
            fixture.api.register(NotedOperations(performed: performed), for: .store)
            let task = Task { try await call.perform(fixture) }
            await gate.arrivals()
            let operations = try fixture.api.operations(matching: "humans")
            #expect(!operations.isEmpty)
            #expect(operations.allSatisfy { $0.kind is NotedOperations })
            try fixture.api.cancelAll(matching: "humans")
            let error = await #expect(throws: NetworkingError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            gate.open()
            #expect(Set(performed.entries) == ["/humans"])
            #expect(try fixture.humans().isEmpty)
        }
    }

    /// Passes requests on after it has noted their paths.
    private final class NotingTransport: HTTPTransport {
        let transport: any HTTPTransport
        let paths = Journal()

        init(_ transport: any HTTPTransport) { self.transport = transport }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            paths.add(request.url.path)
            return try await transport.send(request)
        }
    }

    @Test(.parity("S012", "S040"), arguments: ManagedCall.all)
    func callWaitsInQueueAndIsObserved(_ call: ManagedCall) async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let (api, queue) = (fixture.api, ObjectRequestQueue())
            try api.add(ResponseDescriptor(HumanMappings.human))
            api.configure { $0.operationQueue = queue }
            let transport = NotingTransport(api.client.transport)
            api.register(transport)
            queue.isSuspended = true
            var finished = queue.finishedOperations.makeAsyncIterator()
            let task = Task { try await call.perform(fixture) }
            while queue.operationCount == 0 { await Task.yield() }
            #expect(queue.operations.allSatisfy { $0.state == .ready })
            #expect(fixture.server.requests.isEmpty)
            queue.isSuspended = false
            try await task.value
            #expect(Set(transport.paths.entries) == ["/humans"])
            #expect(try fixture.humans() == ["1|a"])
            #expect(await finished.next()?.state == .finished(.succeeded))
        }
    }

    /// An operation that depends on an import starts when the objects are saved, though nobody awaits them.
    @Test(.parity("S012"), arguments: [false, true])
    func dependentsStartAfterImport(isInContext: Bool) async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let request = ManagedRequest(at: "humans")
            let operation =
                try isInContext
                ? fixture.api.operation(for: request, in: fixture.store.mainContext)
                : fixture.api.operation(for: request, into: fixture.store)
            let stored = Journal()
            let file = fixture.temporary
            fixture.api.register(
                Reading { stored.add((try? file.rows("SELECT name FROM Human").joined()) ?? "") })
            let dependent = try fixture.api.operation(for: ObjectRequest<Void>(at: "dependent"))
            try dependent.addDependency(operation)
            try fixture.api.enqueue(dependent)
            try fixture.api.enqueue(operation)
            await dependent.finished()
            #expect(stored.entries == ["a"])
        }
    }

    /// Calls a closure before each request.
    private struct Reading: OperationKind {
        let read: @Sendable () -> Void

        func canProcess(_ request: TransportRequest) -> Bool { request.url.path == "/dependent" }

        func response<Value>(
            of execution: OperationExecution<Value>
        ) async throws -> sending MappedResponse<Value> {
            read()
            return try await execution.map(execution.receive())
        }
    }

    @Test func queueWaitsForImportOfCall() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let states = Journal()
            let queue = fixture.api.operationQueue
            _ = try await fixture.api.getObjects(
                Human.self, at: "humans", in: fixture.store.mainContext
            ) {
                $0.options.willSave = { _, _ in
                    states.add("\(queue.operations.map(\.state))")
                }
            }
            #expect(states.entries == ["\([OperationState.executing(.mapping)])"])
            #expect(queue.operationCount == 0)
        }
    }

    /// The requests that prove the end of a walk are operations as well.
    @Test(.parity("S012")) func validationOfPagesIsOperation() async throws {
        try await HumanFixture.run(pages: 1...250) { fixture, served in
            _ = try await fixture.pages().fetchAll()
            served.change { $0.ids.removeLast() }
            let performed = Journal()
            fixture.api.register(NotedOperations(performed: performed), for: .store)
            let sent = fixture.server.requests.count
            let walk = try await fixture.pages().fetchAll()
            #expect(walk.orphanIDs.count == 1)
            // Three pages, and each of them again for the proof.
            #expect(fixture.server.requests.count - sent == 6)
            #expect(performed.entries.count == 6)
        }
    }

    @Test func cancelledValidationDeletesNothing() async throws {
        try await HumanFixture.run(pages: 1...250) { fixture, served in
            _ = try await fixture.pages().fetchAll()
            served.change { $0.ids.removeLast() }
            fixture.api.register(CancellingFourth(performed: Journal()), for: .store)
            let error = await #expect(throws: NetworkingError.self) {
                _ = try await fixture.pages().fetchAll()
            }
            #expect(error?.code == .cancelled)
            #expect(try fixture.stored() == Array(1...250))
        }
    }

    /// Cancels the fourth operation, the first one of the proof.
    private struct CancellingFourth: OperationKind {
        let performed: Journal

        func response<Value>(
            of execution: OperationExecution<Value>
        ) async throws -> sending MappedResponse<Value> {
            performed.add(execution.request.url.path)
            if performed.entries.count == 4 { execution.operation.cancel() }
            return try await execution.map(execution.receive())
        }
    }
}
