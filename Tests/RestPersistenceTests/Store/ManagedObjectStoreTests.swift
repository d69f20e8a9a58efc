// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectStoreTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func permissions(_ url: URL) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(
            atPath: url.path(percentEncoded: false))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test(.threat("T67"), arguments: [0o022, 0o000])
    func restrictsFilesToTheirOwner(_ mask: Int) async throws {
        let previous = umask(mode_t(mask))
        defer { umask(previous) }
        let directory = files.directory.appending(path: "new")
        let file = directory.appending(path: "objects.sqlite")
        let store = try await ManagedObjectStore(
            at: file, model: ManagedObjectModel(TemporaryStore.airportEntities))
        try await store.perform { context in
            try context.insert(Airline.self).code = "SK"
            try context.save()
        }
        #expect(try permissions(directory) == 0o700)
        for suffix in ["", "-wal", "-shm"] {
            #expect(
                try permissions(directory.appending(path: "objects.sqlite" + suffix)) == 0o600)
        }
        let copy = directory.appending(path: "copy.sqlite")
        try await store.backUp(to: copy)
        #expect(try permissions(copy) == 0o600)
    }

    @Test func reopensItsFile() async throws {
        let first = try await files.open()
        let id = try await first.perform { context in
            defer { context.rollback() }
            let airline = try context.insert(Airline.self)
            airline.code = "SK"
            try context.save()
            return airline.objectID
        }
        try first.close()
        let second = try await files.open()
        #expect(second.identity == first.identity)
        let found = try #require(second.objectID(for: id.uri))
        #expect(found == id)
        let code = try await second.perform { try $0.object(Airline.self, with: found).code }
        #expect(code == "SK")
        let fresh = try await second.insertAirline("LH")
        #expect(fresh.key > id.key)
    }

    @Test func resolvesItsOwnURIsOnly() async throws {
        let store = try await files.open()
        for text in [
            "restkit://00000000-0000-0000-0000-000000000000/Airline/1",
            "restkit://\(store.identity.uuidString)/Nothing/1",
            "restkit://\(store.identity.uuidString)/Airline/x",
            "restkit://\(store.identity.uuidString)/Airline",
            "https://\(store.identity.uuidString)/Airline/1",
        ] {
            #expect(store.objectID(for: try #require(URL(string: text))) == nil)
        }
    }

    @Test func reportsWhyFileCannotBeOpened() async throws {
        let model = try ManagedObjectModel(TemporaryStore.airportEntities)
        let places = [
            files.directory, files.directory.appending(path: "a/b/c.sqlite"),
            URL(string: "https://example.com/a.sqlite"),
        ]
        for place in places {
            let place = try #require(place)
            let error = await #expect(throws: PersistenceError.self) {
                try await ManagedObjectStore(at: place, model: model)
            }
            #expect(error?.code == .cannotOpen)
        }
    }

    @Test func performThrowsInCancelledTask() async throws {
        let store = try await files.open()
        let work = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await store.perform { context in
                try context.insert(Airline.self).code = "SK"
                try context.save()
            }
        }
        await #expect(throws: CancellationError.self) { try await work.value }
        #expect(try files.rows("SELECT * FROM Airline") == [])
    }

    // MARK: Closing

    @Test func closedFileIsCompleteWithoutLog() async throws {
        let store = try await files.open()
        try await store.insertAirline("SK")
        try store.close()
        let copy = files.directory.appending(path: "copy.sqlite")
        try FileManager.default.copyItem(at: files.file, to: copy)
        #expect(try files.rows("SELECT code FROM Airline", in: copy) == [["SK"]])
    }

    @Test func closedStoreThrows() async throws {
        let store = try await files.open()
        try store.close()
        try store.close()
        let error = await #expect(throws: PersistenceError.self) {
            try await store.insertAirline("SK")
        }
        #expect(error?.code == .storeClosed)
        await #expect(throws: PersistenceError.self) { try await store.reset() }
        await #expect(throws: PersistenceError.self) { _ = try await store.checkIntegrity() }
        #expect(try files.rows("SELECT * FROM Airline") == [])
    }

    /// Work that began before finishes whole or fails whole, and later work throws one error.
    @Test func closesWhileWorkIsUnderWay() async throws {
        for round in 0..<10 {
            let files = try TemporaryStore()
            let store = try await files.open()
            let outcomes = await withTaskGroup(of: (saved: Int, error: PersistenceError?).self) {
                group in
                for task in 0..<4 {
                    group.addTask {
                        for number in 0..<1_000 {
                            do {
                                try await store.insertAirlines(
                                    (0..<5).map { "\(task)-\(number)-\($0)" })
                                _ = try await store.airlineCodes()
                            } catch let error as PersistenceError {
                                return (number, error)
                            } catch {
                                return (number, PersistenceError(.databaseFailure))
                            }
                        }
                        return (1_000, nil)
                    }
                }
                try? await Task.sleep(for: .milliseconds(3 + round))
                #expect(throws: Never.self) { try store.close() }
                var outcomes: [(saved: Int, error: PersistenceError?)] = []
                for await outcome in group { outcomes.append(outcome) }
                return outcomes
            }
            for outcome in outcomes { #expect(outcome.error?.code == .storeClosed) }
            let batches = try files.rows(
                """
                SELECT count(*) FROM Airline
                GROUP BY substr(code, 1, length(code) - 2)
                """)
            #expect(batches.allSatisfy { $0 == ["5"] })
            // A batch whose following read failed was saved, too.
            #expect(batches.count >= outcomes.map(\.saved).reduce(0, +))
        }
    }

    /// The read ends on the actor that closing blocks.
    @Test @MainActor func closesOnActorOfReadInProgress() async throws {
        let store = try await files.open()
        let (starts, start) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let read = Task {
            try await store.read { _ in
                start.finish()
                gate.wait()
                return 1
            }
        }
        for await _ in starts {}
        gate.signal()
        try store.close()
        #expect(try await read.value == 1)
    }

    @Test func readingAndClosingInReadAreErrors() async throws {
        let store = try await files.open()
        try await store.insertAirline("SK")
        let codes = try await store.read { context throws in
            let read = #expect(throws: PersistenceError.self) {
                try store.makeContext().fetch(Airline.self)
            }
            let close = #expect(throws: PersistenceError.self) { try store.close() }
            #expect(try context.count(Airline.self) == 1)
            return [read?.code, close?.code]
        }
        #expect(codes == [.busy, .busy])
        #expect(try await store.airlineCodes() == ["SK"])
        try store.close()
    }

    // MARK: Choices

    @Test(.threat("T68"), arguments: [("trusted_schema", 0), ("cell_size_check", 1)])
    func connectionsDistrustFile(name: String, value: Int) async throws {
        let store = try await files.open()
        #expect(try store.pragmas(name) == [value, value, value])
    }

    /// With the defensive flag, SQLite ignores the pragma.
    @Test(.threat("T68")) func connectionsAreDefensive() async throws {
        let store = try await files.open()
        let statements = ("PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = sql")
        try ManagedObjectStore.executeByDefault(statements.0, statements.1)
        try store.execute(statements.0)
        #expect(throws: (any Error).self) { try store.execute(statements.1) }
    }

    @Test func synchronizesAsConfigured() async throws {
        for (synchronization, level) in [
            (StoreConfiguration.Synchronization.atCheckpoints, 1), (.atCommits, 2),
        ] {
            let files = try TemporaryStore()
            let store = try await files.open(
                StoreConfiguration(synchronization: synchronization))
            #expect(try store.pragma("synchronous") == level)
        }
        let temporary = try await ManagedObjectStore(
            temporaryFor: ManagedObjectModel(TemporaryStore.airportEntities))
        #expect(try temporary.pragma("synchronous") == 0)
    }

    @Test func readOnlyStoreReadsAndRefusesSaves() async throws {
        let store = try await files.open()
        try await store.insertAirline("SK")
        try store.close()
        let reader = try await files.open(StoreConfiguration(isReadOnly: true))
        #expect(try await reader.airlineCodes() == ["SK"])
        let code = try await reader.perform { context -> PersistenceError.Code? in
            defer { context.rollback() }
            try context.fetch(Airline.self)[0].code = "LH"
            do throws(PersistenceError) {
                try context.save()
                return nil
            } catch {
                #expect(context.hasChanges)
                return error.code
            }
        }
        #expect(code == .readOnly)
        let error = await #expect(throws: PersistenceError.self) { try await reader.reset() }
        #expect(error?.code == .readOnly)
        try reader.close()
        #expect(try files.rows("SELECT code FROM Airline") == [["SK"]])
    }

    @Test func readOnlyStoreCreatesNoFile() async throws {
        let error = await #expect(throws: PersistenceError.self) {
            try await files.open(StoreConfiguration(isReadOnly: true))
        }
        #expect(error?.code == .cannotOpen)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.directory.path) == [])
    }
}
