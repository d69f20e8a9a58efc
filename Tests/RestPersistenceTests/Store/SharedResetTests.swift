// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import GRDB
import TestSupport
import Testing

@testable import RestPersistence
@testable import RestRows

/// Resets of a file that other stores have open.
@Suite struct SharedResetTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static func saveAirline(in context: ManagedObjectContext) throws {
        try context.insert(Airline.self).code = "LH"
        try context.save()
    }

    /// Work of a store whose content another store has replaced.
    private enum Work: CaseIterable {
        case read, write, perform, context, fetch, unsaved, save, savedAsynchronously, backUp
        case collections, eviction, search

        func run(
            in store: ManagedObjectStore, _ context: ManagedObjectContext, _ url: URL
        ) async throws {
            switch self {
            case .read: _ = try await store.read { try $0.fetch(Airline.self).count }
            case .write: try await store.write { try $0.insert(Airline.self).code = "LH" }
            case .perform: try await store.perform { try SharedResetTests.saveAirline(in: $0) }
            case .context: _ = try store.makeContext().fetch(Airline.self)
            case .fetch: _ = try context.fetch(Airline.self)
            case .unsaved:
                try context.insert(Airline.self).code = "LH"
                // With unsaved changes, a context has a connection of its own.
                _ = try context.fetch(Airline.self)
            case .save: try SharedResetTests.saveAirline(in: context)
            case .savedAsynchronously:
                try context.insert(Airline.self).code = "LH"
                try await context.save()
            case .backUp: try await store.backUp(to: url)
            case .collections: _ = try await store.collections()
            case .eviction: try await store.evictCollections(confirmedBefore: .distantFuture)
            case .search: try await store.rebuildSearchIndex()
            }
        }
    }

    @Test(arguments: Work.allCases)
    private func otherStoreNeitherReadsNorWrites(_ work: Work) async throws {
        let (store, other) = (try await files.open(), try await files.open())
        try await other.insertAirline("Blake")
        let context = other.makeContext()
        let airline = try #require(try context.fetch(Airline.self).first)
        airline.code = "edited"
        // The connection for unsaved changes is open.
        #expect(try context.fetch(Airline.self).count == 1)
        context.rollback()
        try await store.reset()
        try await store.insertAirline("Sarah")
        let copy = files.directory.appending(path: "copy.sqlite")
        for _ in 0..<2 {
            let error = await #expect(throws: RestPersistence.PersistenceError.self) {
                try await work.run(in: other, context, copy)
            }
            #expect(error?.code == .fileChanged)
            #expect(
                error?.details.first
                    == "another store has reset the file while this one was open")
            #expect(error?.recoverySuggestion?.hasPrefix("Close the store") == true)
        }
        try other.close()
        #expect(try await store.airlineCodes() == ["Sarah"])
        let reopened = try await files.open()
        #expect(try await reopened.airlineCodes() == ["Sarah"])
        #expect(try await store.checkIntegrity() == [])
        try reopened.close()
        try store.close()
        #expect(try files.names == ["objects.sqlite"])
    }

    @Test func readInProgressEndsWithOldContent() async throws {
        let store = try await files.open(StoreConfiguration(busyTimeout: .milliseconds(50)))
        let other = try await files.open()
        try await other.insertAirline("Blake")
        let (hasRead, isReset) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let codes = other.read { context in
            var codes = [try context.fetch(Airline.self).map(\.code)]
            hasRead.signal()
            isReset.wait()
            codes.append(try context.fetch(Airline.self, orderBy: \.code).map(\.code))
            return codes
        }
        try await BlockingWork.run { hasRead.wait() }
        try await store.reset()
        #expect(try await store.airlineCodes() == [])
        isReset.signal()
        #expect(try await codes == [["Blake"], ["Blake"]])
    }

    @Test func resetOfResetFileKeepsKeysApart() async throws {
        let seed = files.directory.appending(path: "seed.sqlite")
        try await ManagedObjectStore(
            at: seed, model: ManagedObjectModel(TemporaryStore.airportEntities)
        ).close()
        let configuration = StoreConfiguration(seed: seed)
        let store = try await files.open(configuration)
        let other = try await files.open(configuration)
        var ids = [try await store.insertAirline("A"), try await other.insertAirline("B")]
        for store in [store, other, other, store] {
            try await store.reset()
            ids.append(try await store.insertAirline("C"))
            #expect(try await store.airlineCodes() == ["C"])
        }
        #expect(Set(ids).count == ids.count)
        #expect(Set(ids.map(\.store)).count == 1)
    }

    /// A reset waits for nobody but a writer, and loses nothing if it fails.
    @Test func refusalLeavesContextsOpen() async throws {
        let store = try await files.open(StoreConfiguration(busyTimeout: .milliseconds(50)))
        try await store.insertAirline("Blake")
        let context = store.makeContext()
        let airline = try #require(try context.fetch(Airline.self).first)
        airline.code = "edited"
        // A transaction that ends in a later access.
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let writer = try DatabaseQueue(
            path: files.file.path(percentEncoded: false), configuration: configuration)
        try await writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let error = await #expect(throws: RestPersistence.PersistenceError.self) {
            try await store.reset()
        }
        #expect(error?.code == .busy)
        #expect(error?.path == files.file.path(percentEncoded: false))
        try await writer.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try await context.save()
        #expect(try await store.airlineCodes() == ["edited"])
        // A connection that only reads is no reason to wait.
        try await store.reset()
        #expect(try await store.airlineCodes() == [])
        try writer.close()
    }

    @Test func seedWithOtherPagesReplacesSharedContent() async throws {
        let seed = files.directory.appending(path: "seed.sqlite")
        let original = try await ManagedObjectStore(
            at: seed, model: ManagedObjectModel(TemporaryStore.airportEntities))
        try await original.insertAirline("Blake")
        try original.close()
        _ = try SQLiteShell.run(
            "PRAGMA journal_mode = DELETE; PRAGMA page_size = 8192; VACUUM", in: seed)
        let other = try await files.open()
        let store = try await files.open(StoreConfiguration(seed: seed))
        try await store.reset()
        #expect(try await store.airlineCodes() == ["Blake"])
        #expect(try await store.checkIntegrity() == [])
        try other.close()
    }
}
