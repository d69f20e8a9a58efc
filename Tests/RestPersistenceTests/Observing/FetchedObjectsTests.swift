// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence

@MainActor @Suite struct FetchedObjectsTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns when a property that the closure reads has changed.
    private func change(of read: () -> Void, by body: () async throws -> Void) async rethrows {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking(read) { continuation.finish() }
        try await body()
        for await _ in stream {}
        // The change is complete in a later turn.
        await Task.yield()
    }

    @Test func notifiesObserversOfNewObjects() async throws {
        let store = try await files.open()
        let airlines = FetchedObjects<Airline>(in: store, orderBy: [.ascending(\.code)])
        #expect(airlines.phase.isLoaded)
        await change(of: { _ = airlines.objects }) {
            try? await store.insertAirlines(["SK", "LH"])
        }
        #expect(airlines.objects.map(\.code) == ["LH", "SK"])
    }

    @Test func changedValueNotifiesObjectOnly() async throws {
        let store = try await files.open()
        let id = try await store.insertAirline("SK")
        let airlines = FetchedObjects<Airline>(in: store)
        let airline = airlines.objects[0]
        let isNotified = Flag()
        withObservationTracking {
            _ = airlines.objects
        } onChange: {
            isNotified.set()
        }
        await change(of: { _ = airline.alliance }) {
            try? await store.perform { context in
                try context.object(Airline.self, with: id).alliance = .star
                try context.save()
            }
        }
        #expect(airline.alliance == .star)
        #expect(!isNotified.isSet)
    }

    @Test func showsNewContentAfterReset() async throws {
        let store = try await files.open()
        try await store.insertAirline("SK")
        let airlines = FetchedObjects<Airline>(in: store)
        #expect(airlines.objects.count == 1)
        await change(of: { _ = airlines.objects }) { try? await store.reset() }
        #expect(airlines.objects.isEmpty)
        await change(of: { _ = airlines.objects }) {
            _ = try? await store.insertAirline("LH")
        }
        #expect(airlines.objects.map(\.code) == ["LH"])
        await change(of: { _ = airlines.phase }) { try? store.close() }
        #expect(!airlines.phase.isLoaded)
        #expect(airlines.objects.count == 1)
    }
}

/// A flag that closures of any isolation set.
private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock(\.self) }
    func set() { value.withLock { $0 = true } }
}
