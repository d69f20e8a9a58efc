// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Operations whose responses are imported into a context.
@MainActor @Suite(.tags(.socket)) struct ContextOperationTests {
    private static let humans = LoopbackResponse.json(
        #"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#)

    private func operation(
        _ fixture: HumanFixture, in context: ManagedObjectContext,
        _ configure: (inout ManagedRequest) -> Void = { _ in }
    ) throws -> ObjectRequestOperation<ManagedResult> {
        try fixture.api.add(ResponseDescriptor(HumanMappings.human))
        var request = ManagedRequest(at: "humans")
        configure(&request)
        return try fixture.api.operation(for: request, in: context)
    }

    @Test(.parity("K063")) func importsIntoPrivateChildOfContext() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let context = fixture.store.mainContext.child()
            let operation = try operation(fixture, in: context) {
                $0.options.savesToPersistentStore = false
            }
            #expect(operation.state == .ready)
            operation.priority = .high
            try fixture.api.enqueue(operation)
            await operation.finished()
            #expect(context.hasChanges)
            let found = try context.objects(Human.self, with: await operation.value.objectIDs)
            #expect(found.map(\.name) == ["a", "b"])
            #expect(found.allSatisfy { $0.managedObjectContext === context })
            #expect(found.allSatisfy { $0.objectState == .inserted })
            #expect(!fixture.store.mainContext.hasChanges)
            let again = try await operation.value
            #expect(again.objectIDs == found.map(\.objectID))
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test func concurrentReadersImportOnce() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let calls = Journal()
            let operation = try operation(fixture, in: fixture.store.mainContext) {
                $0.options.willSave = { _, _ in calls.add("import") }
            }
            try fixture.api.enqueue(operation)
            let readers = (0..<4).map { _ in
                Task { @MainActor in try await operation.value.objectIDs }
            }
            var results: [[ManagedObjectID]] = []
            for reader in readers { results.append(try await reader.value) }
            #expect(calls.entries == ["import"])
            #expect(Set(results).count == 1 && results[0].count == 2)
            #expect(try fixture.humans() == ["1|a", "2|b"])
        }
    }

    @Test(.parity("S012")) func importsWithoutReaderBeforeDependents() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let order = Journal()
            let context = fixture.store.mainContext
            let operation = try operation(fixture, in: context) {
                $0.options.willSave = { _, _ in order.add("import") }
            }
            let dependent = try fixture.api.operation(for: ObjectRequest<Void>(at: "dependent"))
            let states = dependent.states
            try dependent.addDependency(operation)
            try fixture.api.enqueue(dependent)
            try fixture.api.enqueue(operation)
            for await state in states where state.isExecuting {
                order.add("dependent")
                break
            }
            #expect(order.entries == ["import", "dependent"])
            #expect(try context.fetch(Human.self, orderBy: \.railsID).map(\.name) == ["a", "b"])
            #expect(operation.state == .finished(.succeeded))
            await dependent.finished()
        }
    }

    /// Creates an operation outside of an actor, where the context belongs to the task.
    @concurrent
    private nonisolated func createOutsideOfActor(
        _ api: ObjectManager, _ store: ManagedObjectStore
    ) async throws {
        _ = try api.operation(for: ManagedRequest(at: "humans"), in: store.makeContext())
    }

    @Test func contextOfTaskNeedsCall() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let error = await #expect(throws: NetworkingError.self) {
                try await createOutsideOfActor(fixture.api, fixture.store)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.description.contains("await a call") == true)
            #expect(fixture.server.requests.isEmpty)
        }
    }

    /// An actor that owns a context.
    private actor Owner {
        let context: ManagedObjectContext

        init(_ store: ManagedObjectStore) { context = store.makeContext() }

        func enqueue(_ api: ObjectManager) throws -> ObjectRequestOperation<ManagedResult> {
            let operation = try api.operation(for: ManagedRequest(at: "humans"), in: context)
            try api.enqueue(operation)
            return operation
        }

        func names() throws -> [String?] {
            try context.fetch(Human.self, orderBy: \.railsID).map(\.name)
        }
    }

    @Test func actorOwnsContextOfOperation() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let owner = Owner(fixture.store)
            let operation = try await owner.enqueue(fixture.api)
            #expect(try await operation.value.objectIDs.count == 2)
            #expect(try await owner.names() == ["a", "b"])
        }
    }

    /// Cancels operations whose work has ended.
    private struct Cancelling: OperationKind {
        func willFinish(_ operation: RequestOperation) { operation.cancel() }
    }

    @Test(arguments: [false, true]) func savedImportIsNotCancelled(isInContext: Bool) async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            fixture.api.register(Cancelling(), for: .store)
            let request = ManagedRequest(at: "humans")
            let operation =
                try isInContext
                ? fixture.api.operation(for: request, in: fixture.store.mainContext)
                : fixture.api.operation(for: request, into: fixture.store)
            try fixture.api.enqueue(operation)
            #expect(try await operation.value.objectIDs.count == 2)
            #expect(operation.state == .finished(.succeeded))
            #expect(try fixture.humans() == ["1|a", "2|b"])
        }
    }

    @Test func readersShareErrorOfImport() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let calls = Journal()
            let operation = try operation(fixture, in: fixture.store.mainContext) {
                $0.options.willSave = { _, _ in
                    calls.add("import")
                    if calls.entries.count == 1 { throw CocoaError(.fileWriteUnknown) }
                }
            }
            try fixture.api.enqueue(operation)
            let readers = (0..<3).map { _ in
                Task { @MainActor in try? await operation.value.objectIDs.count }
            }
            var counts: [Int?] = []
            for reader in readers { counts.append(await reader.value) }
            #expect(counts == [nil, nil, nil])
            #expect(calls.entries.count == 1)
            #expect(operation.state == .finished(.failed))
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test(.parity("P220", "K073"), arguments: [false, true])
    func copyHasEverythingButHook(isInContext: Bool) async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let calls = Journal()
            let context = fixture.store.mainContext.child()
            try await fixture.save([8: "kept", 9: "orphan"])
            var request = ManagedRequest(at: "humans")
            request.options.savesToPersistentStore = !isInContext
            request.options.maximumOrphanShare = 0.4
            request.options.fetchRequestRules = [
                FetchRequestRule { _ in
                    calls.add("rule")
                    return FetchRequest(Human.self, where: { $0.railsID == 9 })
                }
            ]
            request.options.willSave = { _, _ in calls.add("hook") }
            let operation =
                try isInContext
                ? fixture.api.operation(for: request, in: context)
                : fixture.api.operation(for: request, into: fixture.store)
            let copy = operation.copy()
            #expect(copy.request.url == operation.request.url)
            try fixture.api.enqueue(copy)
            // One object of one found is more than the maximum share.
            #expect(try await copy.value.keptOrphanCount == 1)
            #expect(calls.entries == ["rule"])
            #expect(context.hasChanges == isInContext)
            let saved = ["1|a", "2|b", "8|kept", "9|orphan"]
            #expect(try fixture.humans() == (isInContext ? Array(saved[2...]) : saved))
            #expect(operation.state == .ready)
            try fixture.api.enqueue(operation)
            #expect(try await operation.value.objectIDs == copy.value.objectIDs)
            #expect(calls.entries == ["rule", "rule", "hook"])
        }
    }

    @Test func cancelledOperationLeavesContextUnchanged() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let context = fixture.store.mainContext
            let operation = try operation(fixture, in: context)
            operation.cancel()
            try fixture.api.enqueue(operation)
            await #expect(throws: (any Error).self) { _ = try await operation.value }
            #expect(!context.hasChanges)
            #expect(try fixture.humans().isEmpty)
            #expect(fixture.server.requests.isEmpty)
        }
    }

    @Test func responseUpdatesTarget() async throws {
        let answer = LoopbackResponse.json(#"{"id":7,"name":"server"}"#, status: 201)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, name: "draft")
            let request = ManagedRequest(
                .post, at: .object, object: RequestObject(human))
            let operation = try fixture.api.operation(
                for: request, updating: human, in: context)
            try fixture.api.enqueue(operation)
            #expect(try await operation.value.objectIDs == [human.objectID])
            #expect(human.railsID == 7)
            #expect(try fixture.humans() == ["7|server"])
        }
    }

    @Test(.parity("N198", "S033")) func objectNeedsNoDescriptorAndNoStore() async throws {
        let answer = LoopbackResponse.json(#"{"id":7,"name":"server"}"#, status: 201)
        try await HumanFixture.run(answering: answer) { fixture in
            let kinds = Journal()
            fixture.api.register(Noting(kinds: kinds), for: .store)
            #expect(fixture.api.responseDescriptors.isEmpty && fixture.api.store == nil)
            // Not the main context: that of the object is used.
            let context = fixture.store.mainContext.child()
            let human = try Human.insert(into: context, name: "draft")
            let operation = try fixture.api.operation(for: human, method: .post, at: "humans") {
                $0.options.savesToPersistentStore = false
            }
            try fixture.api.enqueue(operation)
            #expect(try await operation.value.objectIDs == [human.objectID])
            #expect(kinds.entries == ["/humans"])
            #expect(human.railsID == 7 && human.name == "server")
            #expect(context.hasChanges && !fixture.store.mainContext.hasChanges)
            #expect(try fixture.humans().isEmpty)
        }
    }

    /// Notes the paths of the operations that it performs.
    private struct Noting: OperationKind {
        let kinds: Journal

        func willMap(_ response: ObjectResponse, of operation: RequestOperation) {
            kinds.add(operation.request.url.path)
        }
    }
}
