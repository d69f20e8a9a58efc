// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

/// Objects of the main context that other threads release.
@Suite struct ManagedObjectLifetimeTests {
    /// A holder of objects, as a model of a view is.
    @MainActor private final class Holder {
        let airlines: [Airline]

        init(_ airlines: [Airline]) { self.airlines = airlines }
    }

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// The context is used while the last references to objects, and to holders of them, are released
    /// elsewhere: neither has a `deinit` that would touch the context.
    @Test @MainActor func holdersAreFreedByOtherThreads() async throws {
        let store = try await files.open()
        let context = store.mainContext
        for number in 0..<100 {
            let airline = try context.insert(Airline.self)
            airline.code = "\(100 + number)"
        }
        try await context.save()
        weak var last: Holder?
        for round in 0..<50 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    let holder = Holder((try? context.fetch(Airline.self)) ?? [])
                    last = holder
                    group.addTask {
                        await Task.yield()
                        _ = holder
                    }
                }
                // The group releases the holders while the context reads and changes objects.
                for airline in (try? context.fetch(Airline.self)) ?? [] {
                    airline.alliance = round.isMultiple(of: 2) ? .star : nil
                }
            }
            try await context.save()
        }
        #expect(last == nil)
        let airlines = try context.fetch(Airline.self, orderBy: \.code)
        #expect(airlines.map(\.code) == (100..<200).map(String.init))
        #expect(airlines.allSatisfy { $0.alliance == nil })
    }
}
