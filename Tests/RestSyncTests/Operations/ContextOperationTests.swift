// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Operations whose responses are imported into a context.
@MainActor @Suite(.tags(.socket)) struct ManagedObjectRequestOperationTests {
    private static let humans = LoopbackResponse.json(
        #"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#)

    private func operation(
        _ fixture: HumanFixture, in context: ManagedObjectContext,
        _ configure: (inout ManagedRequest) -> Void = { _ in }
    ) throws -> ManagedObjectRequestOperation {
        try fixture.api.add(ResponseDescriptor(HumanMappings.human))
        var request = ManagedRequest(at: "humans")
        configure(&request)
        return try fixture.api.managedOperation(for: request, in: context)
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
            await operation.operation.finished()
            #expect(context.hasChanges)
            let found = try await operation.objects(Human.self)
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
                $0.options.willSaveMappingContext = { _, _ in calls.add("import") }
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
                $0.options.willSaveMappingContext = { _, _ in order.add("import") }
            }
            let dependent = try fixture.api.operation(for: ObjectRequest<Void>(at: "dependent"))
            let states = dependent.states
            try dependent.addDependency(operation.operation)
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

    /// Imports outside of an actor, where the context belongs to the task.
    @concurrent
    private nonisolated func importOutsideOfActor(
        _ api: ObjectManager, _ store: ManagedObjectStore
    ) async throws -> ([String?], hadChanges: Bool) {
        let context = store.makeContext()
        let operation = try api.managedOperation(
            for: ManagedRequest(at: "humans"), in: context)
        try api.enqueue(operation)
        await operation.operation.finished()
        let before = try context.fetch(Human.self).isEmpty
        return (try await operation.objects(Human.self).map(\.name), !before)
    }

    @Test func taskImportsWhenItReadsValue() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let (names, hadChanges) = try await importOutsideOfActor(fixture.api, fixture.store)
            #expect(names == ["a", "b"])
            #expect(!hadChanges)
        }
    }

    @Test func readersShareErrorOfImport() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let calls = Journal()
            let operation = try operation(fixture, in: fixture.store.mainContext) {
                $0.options.willSaveMappingContext = { _, _ in
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

    @Test(.parity("P220", "K073")) func copyHasEverythingButHook() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let calls = Journal()
            let context = fixture.store.mainContext
            try await fixture.save([9: "kept"])
            let operation = try operation(fixture, in: context) {
                $0.options.deletesOrphanedObjects = false
                $0.options.fetchRequestRules = [FetchRequestRule { _ in FetchRequest("Human") }]
                $0.options.willSaveMappingContext = { _, _ in calls.add("hook") }
            }
            let copy = operation.copy()
            #expect(copy.context === context)
            #expect(copy.options.deletesOrphanedObjects == false)
            #expect(copy.options.fetchRequestRules?.count == 1)
            #expect(copy.options.savesToPersistentStore)
            #expect(copy.request.url == operation.request.url)
            try fixture.api.enqueue(copy)
            _ = try await copy.value
            #expect(calls.entries.isEmpty)
            #expect(operation.state == .ready)
            try fixture.api.enqueue(operation)
            _ = try await operation.value
            #expect(calls.entries == ["hook"])
            #expect(try fixture.humans() == ["1|a", "2|b", "9|kept"])
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
            let operation = try fixture.api.managedOperation(
                for: request, updating: human, in: context)
            try fixture.api.enqueue(operation)
            #expect(try await operation.value.objectIDs == [human.objectID])
            #expect(human.railsID == 7)
            #expect(try fixture.humans() == ["7|server"])
        }
    }
}

/// Pages that are imported into a context, or into the default store.
@MainActor @Suite(.tags(.socket)) struct ContextPagesTests {
    private nonisolated static func page(_ request: LoopbackRequest) -> LoopbackResponse {
        if request.target.contains("page=3") { return .json("[]") }
        let page = request.target.contains("page=2") ? 2 : 1
        return .json(#"[{"id":\#(page),"name":"p\#(page)"}]"#)
    }

    @Test func pageHasObjectsOfContext() async throws {
        try await HumanFixture.run(Self.page) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let context = fixture.store.mainContext
            var names: [String?] = []
            let pages = fixture.api.pages(
                of: Human.self, at: "humans", by: .pageNumber(), in: context)
            for try await page in pages {
                #expect(page.objects.allSatisfy { $0.managedObjectContext === context })
                #expect(page.objects.map(\.objectID) == page.page.objectIDs)
                names += page.objects.map(\.name)
            }
            #expect(names == ["p1", "p2"])
            #expect(try fixture.humans() == ["1|p1", "2|p2"])
        }
    }

    @Test func pagesUseDefaultStore() async throws {
        try await HumanFixture.run(Self.page) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let pages = fixture.api.pages(
                of: Human.self, at: "humans", by: .pageNumber())
            await #expect(throws: SyncError.self) {
                for try await _ in pages {}
            }
            #expect(fixture.server.requests.isEmpty)
            fixture.api.store = fixture.store
            for try await page in pages { #expect(page.objectIDs.count <= 1) }
            #expect(try fixture.humans() == ["1|p1", "2|p2"])
        }
    }
}
