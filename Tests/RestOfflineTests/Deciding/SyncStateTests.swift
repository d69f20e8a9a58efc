// SPDX-License-Identifier: Apache-2.0

import Observation
import RestKit
import RestOffline
import RestTesting
import Synchronization
import TestSupport
import Testing

/// The observable state of an object.
@MainActor @Suite struct SyncStateTests {
    /// Returns the states of an object until one of them is expected, each once it has changed.
    private func states(
        of object: ManagedObject, until isLast: (SyncState) -> Bool
    ) async -> [SyncState] {
        var states: [SyncState] = []
        while true {
            let changed = AsyncStream.makeStream(of: Void.self)
            let state = withObservationTracking {
                object.syncState
            } onChange: {
                changed.continuation.yield()
            }
            if states.last != state { states.append(state) }
            if isLast(state) { return states }
            for await _ in changed.stream { break }
        }
    }

    @Test func observersSeeTheWayOfAnEdit() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        let gate = fixture.gate(before: .patch)
        #expect(note.syncState == .synced)
        note.title = "B"
        #expect(note.syncState == .synced)
        try fixture.save()
        let beginning = await states(of: note) { $0 == .sending }
        #expect(beginning.last == .sending)
        gate.open()
        let end = await states(of: note) { $0 == .synced }
        #expect(end == [.sending, .synced] || end == [.synced])
    }

    @Test func observersSeeRefusal() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.server.fail("PATCH", .status(422))
        note.title = "B"
        try fixture.save()
        let refused = await states(of: note) { if case .refused = $0 { true } else { false } }
        guard case .refused(let problem) = refused.last else { return }
        #expect(problem.status == 422)
        let entry = try await fixture.entry
        try await fixture.outbox.discard(entry.id)
        #expect(await states(of: note) { $0 == .synced }.last == .synced)
    }

    @Test func observersSeeSavesOfOtherContexts() async throws {
        var configuration = OfflineFixture.quick
        configuration.startsPaused = true
        let fixture = try await OfflineFixture(configuration)
        let note = try await fixture.load(1, ["title": .string("A")])
        let id = note.objectID
        #expect(note.syncState == .synced)
        let store = fixture.store
        let task = Task {
            try await store.write { context in
                try context.object(Note.self, with: id).title = "B"
                try context.save()
            }
        }
        #expect(await states(of: note) { $0 == .waiting }.last == .waiting)
        try await task.value
    }

    @Test func objectsWithoutOutboxAreSynced() async throws {
        let store = try await ManagedObjectStore(temporaryFor: Folder.self, Note.self)
        let note = try Note.insert(into: store.mainContext, title: "A")
        try await store.mainContext.save()
        #expect(note.syncState == .synced)
    }
}
