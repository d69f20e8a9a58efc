// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

@Mapped private struct Crew {
    let name: String
    var lead: Human?
}

/// Work that is in progress when its store is reset.
@MainActor @Suite(.tags(.socket)) struct ResetDuringWorkTests {
    /// A kind of work that waits for a response.
    private enum Work: CaseIterable {
        case store, context, valueInContext, value, operation, contextOperation, batch, pages
        case contextPages, refresh
    }

    private nonisolated static func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        if request.path == "/crew" {
            return .json(#"{"name":"x","lead":{"id":1,"name":"a"}}"#)
        }
        return .json(#"[{"id":1,"name":"a"}]"#)
    }

    private func start(
        _ work: Work, _ fixture: HumanFixture, _ context: ManagedObjectContext
    ) throws -> Task<Void, any Error> {
        let (api, store) = (fixture.api, fixture.store)
        let humans = ManagedRequest(at: "humans")
        switch work {
        case .store:
            return Task { _ = try await api.getObjects(Human.self, at: "humans", into: store) }
        case .context:
            return Task { _ = try await api.getObjects(Human.self, at: "humans", in: context) }
        case .valueInContext:
            return Task { _ = try await api.get("crew", as: Crew.self, in: context) }
        case .value: return Task { _ = try await api.send(ObjectRequest<Crew>(at: "crew")) }
        case .operation:
            let operation = try api.operation(for: humans, into: store)
            try api.enqueue(operation)
            return Task { _ = try await operation.value }
        case .contextOperation:
            let operation = try api.operation(for: humans, in: context)
            try api.enqueue(operation)
            return Task { _ = try await operation.value }
        case .batch:
            let batch = try api.enqueueBatch(of: [humans], into: store)
            return Task { for await progress in batch { _ = try await progress.operation.value } }
        case .pages:
            let pages = api.pages(of: Human.self, at: "humans", by: .linkHeader, into: store)
            return Task { for try await _ in pages {} }
        case .contextPages:
            let pages = api.pages(of: Human.self, at: "humans", by: .linkHeader, in: context)
            return Task { for try await _ in pages {} }
        case .refresh:
            let list = try RemoteList(Human.self, at: "humans", by: api)
            return Task { try await list.refresh() }
        }
    }

    /// Starts work, calls a closure while its request waits for the response, and expects the work to fail.
    private func expectFailure(
        of work: Work, _ code: PersistenceError.Code,
        after reset: @escaping @MainActor (HumanFixture) async throws -> Void,
        then body: @escaping @MainActor (HumanFixture) async throws -> Void = { _ in }
    ) async throws {
        let gate = Gate()
        try await HumanFixture.run(awaiting: { request in
            await gate.pass()
            return Self.answer(request)
        }) { fixture in
            fixture.api.store = fixture.store
            // Operations are for what descriptors declare.
            try fixture.api.add(ResponseDescriptor(Human.self, at: "humans"))
            let task = try start(work, fixture, fixture.store.mainContext)
            await gate.arrivals()
            try await reset(fixture)
            gate.open()
            let error = await #expect(throws: SyncError.self) { try await task.value }
            #expect(error?.underlying?.code == code)
            #expect(try fixture.humans().isEmpty)
            #expect(fixture.server.requests.count == 1)
            try await body(fixture)
        }
    }

    @Test(arguments: Work.allCases)
    private func responseOfEarlierWorkIsNotImported(_ work: Work) async throws {
        try await expectFailure(
            of: work, .storeClosed,
            after: { fixture in try await fixture.store.reset() },
            then: { fixture in
                // Work that begins now has the new content.
                let result = try await fixture.api.getObjects(Human.self, at: "humans")
                #expect(result.objectIDs.count == 1)
                #expect(try fixture.humans() == ["1|a"])
            })
    }

    @Test(arguments: Work.allCases)
    private func resetByOtherStoreEndsWork(_ work: Work) async throws {
        try await expectFailure(
            of: work, .fileChanged,
            after: { fixture in
                let other = try await ManagedObjectStore(
                    at: fixture.store.url, model: ManagedObjectModel(HumanFixture.entities))
                try await other.reset()
            })
    }

    @Test(arguments: Sending.allCases)
    private func requestAfterForeignResetIsNotSent(_ sending: Sending) async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            try await fixture.save([1: "a"])
            let human = try #require(try fixture.store.mainContext.fetch(Human.self).first)
            human.name = "edit"
            let (operation, deletion) = try operations(fixture, human)
            let other = try await ManagedObjectStore(
                at: fixture.store.url, model: ManagedObjectModel(HumanFixture.entities))
            try await other.reset()
            await #expect(throws: (any Error).self) {
                try await send(sending, human, operation, deletion, fixture.api)
            }
            #expect(fixture.server.requests.isEmpty)
        }
    }

    @Test func walkEndsBetweenPages() async throws {
        try await HumanFixture.run({ request in
            .json(
                #"[{"id":\#(request.query.isEmpty ? 1 : 2),"name":"a"}]"#,
                headers: request.query.isEmpty ? [("Link", #"</humans?page=2>; rel="next""#)] : [])
        }) { fixture in
            let store = fixture.store
            let pages = fixture.api.pages(
                of: Human.self, at: "humans", by: .linkHeader, into: store)
            var iterator = pages.makeAsyncIterator()
            _ = try await iterator.next()
            try await store.reset()
            let error = await #expect(throws: SyncError.self) { _ = try await iterator.next() }
            #expect(error?.underlying?.code == .storeClosed)
            #expect(fixture.server.requests.count == 1)
            #expect(try fixture.humans().isEmpty)
        }
    }

    /// A request of an object of the content before.
    private enum Sending: CaseIterable { case delete, patch, post, get, deleteBatch, waiting, copy }

    /// Returns operations that get all humans into the store, and that delete one.
    private func operations(
        _ fixture: HumanFixture, _ human: Human
    ) throws -> (ObjectRequestOperation<ManagedResult>, ObjectRequestOperation<ManagedResult>) {
        (
            try fixture.api.operation(
                for: ManagedRequest(at: "humans"), into: fixture.store),
            try fixture.api.operation(
                for: ManagedRequest(.delete, at: "humans/1"), updating: human,
                in: fixture.store.mainContext)
        )
    }

    private func send(
        _ sending: Sending, _ human: Human, _ operation: ObjectRequestOperation<ManagedResult>,
        _ deletion: ObjectRequestOperation<ManagedResult>, _ api: ObjectManager
    ) async throws {
        switch sending {
        case .delete: try await api.delete(human)
        case .patch: try await api.patch(human)
        case .post: try await api.post(human)
        case .get: try await api.get(human)
        case .deleteBatch:
            let batch = try api.enqueueBatch(.delete, objects: [human])
            _ = try await batch.results()[0].get()
        case .waiting:
            try api.enqueue(deletion)
            _ = try await deletion.value
        case .copy:
            let copy = operation.copy()
            try api.enqueue(copy)
            _ = try await copy.value
        }
    }

    @Test(arguments: Sending.allCases)
    private func requestOfEarlierObjectIsNotSent(_ sending: Sending) async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            try await fixture.save([1: "a"])
            let human = try #require(try fixture.store.mainContext.fetch(Human.self).first)
            human.name = "edit"
            let (operation, deletion) = try operations(fixture, human)
            try await fixture.store.reset()
            let error = await #expect(throws: SyncError.self) {
                try await send(sending, human, operation, deletion, fixture.api)
            }
            #expect(error?.underlying?.code == .storeClosed)
            #expect(fixture.server.requests.isEmpty)
        }
    }
}
