// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RestDocument
import RestMapping
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence

/// Imports of a store, each of which is one transaction.
///
/// Serialized: mappings that wait for other tasks block a thread of the pool, which has as many as cores.
@Suite(.tags(.concurrency), .serialized) struct ManagedObjectStoreImportingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static func plan(_ store: ManagedObjectStore) throws -> EntityMappingPlan {
        try EntityMappingPlan(EntityMapping(Airport.self), in: store.model)
    }

    /// Returns a mapping of airports that calls a closure for each name.
    private static func plan(
        _ store: ManagedObjectStore, name note: @escaping @Sendable () throws -> Void
    ) throws -> EntityMappingPlan {
        let transform = ValueTransform<String>("note") { node in
            try note()
            return node.string ?? ""
        }
        let mapping = ObjectMapping(for: Airport.self) {
            attribute("code", to: \.code)
            attribute("name", to: \.name, using: transform)
        }
        return try EntityMappingPlan(EntityMapping(mapping), in: store.model)
    }

    private static func airport(_ code: String, _ name: String = "n") throws -> Node {
        try Document(parsing: #"[{"code": "\#(code)", "name": "\#(name)"}]"#).root
    }

    @Test func returnsReportAndSavedChanges() async throws {
        let store = try await files.open()
        let document = try Document(parsing: AirportDocuments.oslo)
        let plan = try Self.plan(store)
        let first = try await store.importObjects(from: document.root, by: plan)
        #expect(first.objectIDs.map(\.entityName) == ["Airport", "Airport"])
        #expect(first.counts["Airport"]?.inserted == 2)
        #expect(first.total.inserted == 9)
        #expect(first.changes.inserted == 9)
        #expect(try files.rows("SELECT code FROM Airport ORDER BY 1") == [["BGO"], ["OSL"]])
        let again = try await store.importObjects(from: document.root, by: plan)
        #expect(again.objectIDs == first.objectIDs)
        #expect(again.total.unchanged == 9)
        #expect(again.changes == SaveReport(unchanged: 9))
    }

    @Test func readsMetadataOfPushedDocument() async throws {
        let store = try await files.open()
        let mapping = ObjectMapping(for: Airport.self) {
            attribute("code", to: \.code)
            attribute("@metadata.event.title", to: \.name)
        }
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        let metadata = try Document(parsing: #"{"event": {"title": "opened"}}"#)
        try await store.importObjects(
            from: Document(parsing: #"{"code": "OSL"}"#).root, by: plan,
            in: MappingEnvironment(metadata: [metadata]))
        #expect(try files.rows("SELECT code, name FROM Airport") == [["OSL", "opened"]])
    }

    @Test func mapsWhileOtherImportCommits() async throws {
        let store = try await files.open()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let committed = DispatchSemaphore(value: 0)
        let hasSeenCommit = Mutex(false)
        let slow = try Self.plan(store) {
            begin.yield()
            let outcome = committed.wait(timeout: .now() + 300)
            hasSeenCommit.withLock { $0 = outcome == .success }
        }
        async let second = store.importObjects(from: Self.airport("BGO"), by: slow)
        for await _ in begun { break }
        try await store.importObjects(from: Self.airport("OSL"), by: Self.plan(store))
        #expect(try files.rows("SELECT code FROM Airport") == [["OSL"]])
        committed.signal()
        _ = try await second
        let isBeside = hasSeenCommit.withLock { $0 }
        #expect(isBeside)
        #expect(try files.rows("SELECT code FROM Airport ORDER BY 1") == [["BGO"], ["OSL"]])
    }

    /// The document was mapped for the content before the reset.
    @Test func resetDuringMappingEndsImport() async throws {
        let store = try await files.open()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let isReset = DispatchSemaphore(value: 0)
        let slow = try Self.plan(store) {
            begin.yield()
            #expect(isReset.wait(timeout: .now() + 300) == .success)
        }
        let document = try Self.airport("BGO")
        let work = Task { try await store.importObjects(from: document, by: slow) }
        for await _ in begun { break }
        try await store.reset()
        isReset.signal()
        let error = await #expect(throws: PersistenceError.self) { try await work.value }
        #expect(error?.code == .storeClosed)
        #expect(try files.rows("SELECT code FROM Airport") == [])
        try await store.importObjects(from: Self.airport("OSL"), by: Self.plan(store))
        #expect(try files.rows("SELECT code FROM Airport") == [["OSL"]])
    }

    @MainActor @Test func mapsOutsideOfMainActor() async throws {
        let store = try await files.open()
        let isFree = Mutex(false)
        let plan = try Self.plan(store) {
            // The main actor cannot run other work if the mapping occupies it.
            let done = DispatchSemaphore(value: 0)
            Task { @MainActor in done.signal() }
            let outcome = done.wait(timeout: .now() + 300)
            isFree.withLock { $0 = outcome == .success }
        }
        try await store.importObjects(from: Self.airport("OSL"), by: plan)
        let result = isFree.withLock { $0 }
        #expect(result)
        #expect(try files.rows("SELECT code FROM Airport") == [["OSL"]])
    }

    // MARK: Conflicts

    /// Imports of the same new and old objects by tasks of two store objects of one file and by
    /// contexts with unsaved changes.
    @Test(.parity("P205"), .threat("T57")) func conflictingImportsMakeNoDuplicates() async throws {
        let stores = [try await files.open(), try await files.open()]
        let plans = try stores.map { try Self.plan($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let (store, plan) = (stores[task % 2], plans[task % 2])
                    let context = store.makeContext()
                    for round in 0..<20 {
                        let node = try Document(
                            parsing: """
                                [{"code": "A\(round)", "name": "\(task)", "passengers": \(task)},
                                 {"code": "A\(round + 1)", "name": "\(task)"}]
                                """
                        ).root
                        if task < 6 {
                            try await store.importObjects(from: node, by: plan)
                        } else {
                            let mapped = try MappedRepresentation(node, by: plan)
                            _ = try await context.performChildAndSave {
                                try $0.importObjects(mapped)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let rows = try files.rows("SELECT count(*), count(DISTINCT code) FROM Airport")
        #expect(rows == [["21", "21"]])
        // Both values of the last code that all tasks set are of one import.
        let last = try files.rows("SELECT name = passengers FROM Airport WHERE code = 'A0'")
        #expect(last == [["1"]])
        for store in stores { #expect(try await store.checkIntegrity() == []) }
    }

    @Test func importBesideSaveMerges() async throws {
        let store = try await files.open()
        let plan = try Self.plan(store)
        async let saves: Void = {
            let context = store.makeContext()
            for number in 0..<50 {
                let airport = try context.insert(Airport.self)
                (airport.code, airport.name) = ("A\(number)", "saved")
                airport.passengers = number
                do {
                    try await context.save()
                } catch let error as PersistenceError {
                    // The import was first, which a context that inserts has to handle.
                    guard error.code == .identityConflict else { throw error }
                    context.rollback()
                }
            }
        }()
        for number in 0..<50 {
            try await store.importObjects(from: Self.airport("A\(number)", "imported"), by: plan)
        }
        try await saves
        let rows = try files.rows(
            "SELECT count(*), count(DISTINCT code), sum(name = 'imported') FROM Airport")
        #expect(rows == [["50", "50", "50"]])
    }

    @Test func processesImportSameObjects() async throws {
        let path = files.file.path(percentEncoded: false)
        let store = try await files.open()
        async let other: Void = Self.importInOtherProcess(path)
        try await Self.importAll(into: store)
        await other
        let rows = try files.rows("SELECT count(*), count(DISTINCT code) FROM Airport")
        #expect(rows == [["100", "100"]])
        #expect(try await store.checkIntegrity() == [])
    }

    private static func importInOtherProcess(_ path: String) async {
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try await ManagedObjectStore(
                at: URL(filePath: path), model: ManagedObjectModel(TemporaryStore.airportEntities))
            try await ManagedObjectStoreImportingTests.importAll(into: store)
            try store.close()
        }
    }

    private static func importAll(into store: ManagedObjectStore) async throws {
        let plan = try plan(store)
        for number in 0..<100 {
            let result = try await store.importObjects(from: airport("A\(number)"), by: plan)
            #expect(result.objectIDs.count == 1)
        }
    }

    // MARK: Transactions

    @Test func writeSeesUncommittedSavesOnce() async throws {
        let store = try await files.open()
        var commits = store.commits.makeAsyncIterator()
        try await store.write { context in
            let first = try context.insert(Airline.self)
            first.code = "SK"
            let second = try context.insert(Airline.self)
            second.code = "DY"
            #expect(try context.fetch(Airline.self, where: { $0.code == "SK" }) == [first])
            #expect(try context.save() == SaveReport(inserted: 2))
            #expect(try context.fetch(Airline.self, where: { $0.code == "SK" }) == [first])
            let child = context.child()
            child.delete(try child.object(with: second.objectID))
            #expect(try child.fetch(Airline.self).map(\.objectID) == [first.objectID])
            #expect(try context.fetch(Airline.self).count == 2)
            try child.save()
            first.alliance = .star
            #expect(try context.fetch(Airline.self) == [first])
            #expect(try files.rows("SELECT * FROM Airline") == [])
        }
        #expect(try files.rows("SELECT code, alliance FROM Airline") == [["SK", "star"]])
        // One transaction has one commit, in which an object was inserted only.
        let commit = await commits.next()
        #expect(commit?.insertedIDs.count == 1)
        #expect(commit?.updatedIDs == [])
        #expect(commit?.deletedIDs == [])
        try await store.insertAirline("LH")
        #expect(await commits.next()?.insertedIDs.count == 1)
    }

    @Test func failedWriteLeavesNothing() async throws {
        let store = try await files.open()
        try await store.insertAirline("SK")
        await #expect(throws: CocoaError.self) {
            try await store.write { context in
                try context.insert(Airline.self).code = "DY"
                try context.save()
                throw CocoaError(.coderInvalidValue)
            }
        }
        // A save that failed in part cannot be committed, whatever the closure does.
        let error = await #expect(throws: PersistenceError.self) {
            try await store.write { context in
                for code in ["AA", "SK"] { try context.insert(Airline.self).code = code }
                _ = try? context.save()
                context.rollback()
            }
        }
        #expect(error?.code == .identityConflict)
        #expect(try await store.airlineCodes() == ["SK"])
    }

    @Test func keysOfFailedWriteAreNotReused() async throws {
        let store = try await files.open()
        let seen = Mutex<Set<Int64>>([])
        for _ in 0..<2 {
            await #expect(throws: CocoaError.self) {
                try await store.write { context in
                    for _ in 0..<10_000 {
                        let key = try context.insert(Airline.self).objectID.key
                        #expect(seen.withLock { $0.insert(key).inserted })
                    }
                    throw CocoaError(.coderInvalidValue)
                }
            }
        }
        let id = try await store.insertAirline("SK")
        #expect(seen.withLock { !$0.contains(id.key) })
    }

    @Test func otherWritesInTransactionAreErrors() async throws {
        let store = try await files.open()
        try await store.write { context in
            try context.insert(Airline.self).code = "SK"
            let other = ManagedObjectContext(context.database)
            let error = #expect(throws: PersistenceError.self) {
                try other.insert(Airline.self).code = "DY"
                try other.save()
            }
            #expect(error?.code == .busy)
            #expect(throws: PersistenceError.self) { try store.close() }
            // Reading is possible, of what has been committed.
            #expect(try ManagedObjectContext(context.database).count(Airline.self) == 0)
        }
        #expect(try await store.airlineCodes() == ["SK"])
    }

    @Test(.threat("T57")) func cancelledImportLeavesNothing() async throws {
        let store = try await files.open()
        await #expect(throws: CancellationError.self) {
            try await CancellableWork { cancel in
                let plan = try Self.plan(store, name: cancel)
                try await store.importObjects(from: Self.airport("OSL"), by: plan)
            }.task.value
        }
        await #expect(throws: CancellationError.self) {
            try await CancellableWork { cancel in
                let mapped = try MappedRepresentation(Self.airport("BGO"), by: Self.plan(store))
                try await store.write { context in
                    _ = try context.importObjects(mapped)
                    try context.save()
                    cancel()
                }
            }.task.value
        }
        #expect(try files.rows("SELECT code FROM Airport") == [])
    }
}
