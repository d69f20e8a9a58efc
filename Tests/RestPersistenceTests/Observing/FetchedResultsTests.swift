// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

@MainActor @Suite struct FetchedResultsTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test(.parity("P221", "K009"))
    func followsSavesOfChildContexts() async throws {
        let store = try await files.open()
        let id = try await store.insertAirline("human1")
        let results = try FetchedResults(
            Airline.self, orderBy: [.ascending(\.code)], in: store.mainContext)
        #expect(results.objects.map(\.code) == ["human1"])
        let changes = ChangeLog(results)
        try await store.perform { context in
            let child = context.child()
            try child.object(Airline.self, with: id).code = "Updated Human"
            try child.save()
            try context.save()
        }
        #expect(await changes.next().updated == [0])
        #expect(results.objects.map(\.code) == ["Updated Human"])
        #expect(results.objects.map(\.objectID) == [id])
    }

    @Test(.parity("K010"))
    func noticesChangesOfUnloadedObjects() async throws {
        let store = try await files.open()
        let id = try await store.insertAirline("SK")
        let results = try FetchedResults(
            Airline.self, where: { $0.alliance == .star }, in: store.mainContext)
        #expect(results.objects.isEmpty)
        let changes = ChangeLog(results)
        try await store.perform { context in
            try context.object(Airline.self, with: id).alliance = .star
            try context.save()
        }
        #expect(await changes.next().inserted == [0])
        #expect(results.objects.map(\.code) == ["SK"])
    }

    @Test(.parity("K009"))
    func followsUnsavedChangesAndIgnoresEcho() async throws {
        let store = try await files.open()
        let context = store.mainContext
        let results = try FetchedResults(
            Airline.self, orderBy: [.ascending(\.code)], in: context)
        let changes = ChangeLog(results)
        for code in ["SK", "LH", "AY"] { try context.insert(Airline.self).code = code }
        // One change for all of a turn.
        #expect(await changes.next().inserted == [0, 1, 2])
        #expect(results.objects.map(\.code) == ["AY", "LH", "SK"])
        // Saving changes no value; the next change is that of another context.
        try await context.save()
        try await store.insertAirline("BA")
        #expect(await changes.next().inserted == [1])
        results.objects[0].code = "ZZ"
        let moved = await changes.next()
        #expect(moved.moved == [ResultDifference.Move(from: 0, to: 3)])
        context.delete(results.objects[0])
        #expect(await changes.next().removed == [0])
        #expect(results.objects.map(\.code) == ["LH", "SK", "ZZ"])
    }

    @Test func keepsObjectsWhenStoreIsClosed() async throws {
        let store = try await files.open()
        try await store.insertAirline("SK")
        let results = try FetchedResults(Airline.self, in: store.mainContext)
        try store.close()
        results.refresh()
        #expect(results.error?.code == .storeClosed)
        #expect(results.objects.map(\.code) == ["SK"])
    }

    @Test func isEmptyAfterReset() async throws {
        let store = try await files.open()
        try await store.insertAirline("SK")
        let results = try FetchedResults(Airline.self, in: store.mainContext)
        let changes = ChangeLog(results)
        try await store.reset()
        #expect(await changes.next().removed == [0])
        #expect(results.objects.isEmpty)
        #expect(results.error?.code == .storeClosed)
    }

    @Test func closingIsReported() async throws {
        let store = try await files.open()
        try await store.insertAirline("SK")
        let results = try FetchedResults(Airline.self, in: store.mainContext)
        let changes = ChangeLog(results)
        try store.close()
        #expect(await changes.next().isEmpty)
        #expect(results.error?.code == .storeClosed)
        #expect(results.objects.map(\.code) == ["SK"])
    }

    @Test func isReleasedWithItsOwner() async throws {
        let store = try await files.open()
        weak var released: FetchedResults<Airline>?
        do {
            let results = try FetchedResults(Airline.self, in: store.mainContext)
            released = results
        }
        #expect(released == nil)
        try await store.insertAirline("SK")
    }
}

/// The changes of results, one after the other.
@MainActor private final class ChangeLog {
    private var changes: [ResultDifference] = []
    private var waiter: CheckedContinuation<ResultDifference, Never>?

    init<Object>(_ results: FetchedResults<Object>) {
        results.onChange = { [weak self] in self?.add($0) }
    }

    func next() async -> ResultDifference {
        if !changes.isEmpty { return changes.removeFirst() }
        return await withCheckedContinuation { waiter = $0 }
    }

    private func add(_ change: ResultDifference) {
        guard let waiter else { return changes.append(change) }
        self.waiter = nil
        waiter.resume(returning: change)
    }
}
