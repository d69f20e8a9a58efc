// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// Full disks, failing writes and damaged files.
@Suite struct StoreFaultTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Saves many rows and expects the save to fail; then repairs the cause and saves again with the
    /// same context.
    static func expectFailure(
        _ code: PersistenceError.Code, of store: ManagedObjectStore,
        whileSaving body: @Sendable (() throws -> Void) throws -> Void
    ) async throws {
        let text = String(repeating: "x", count: 500)
        try await store.perform { context in
            defer { context.rollback() }
            for number in 0..<2_000 {
                try context.insert(Airline.self).code = "\(number) \(text)"
            }
            let kept = try #require(
                context.fetch(Airline.self, where: { $0.code == "kept" }).first)
            kept.alliance = .star
            try body {
                let error = #expect(throws: PersistenceError.self) { try context.save() }
                #expect(error?.code == code)
                #expect(context.hasChanges)
                #expect(kept.alliance == .star)
                let count = try context.fetch(Airline.self).count
                #expect(count == 2_001)
                #expect(kept.objectState == .updated)
            }
        }
        #expect(try await store.airlineCodes() == ["kept"])
        #expect(try await store.checkIntegrity() == [])
    }

    @Test func fullDatabaseFailsSave() async throws {
        let store = try await files.open()
        try await store.insertAirline("kept")
        try await Self.expectFailure(.storageFull, of: store) { failingSave in
            try store.setPragma("max_page_count", 60)
            try failingSave()
            try store.setPragma("max_page_count", 1_000_000)
        }
        try await store.insertAirline("later")
        #expect(try await store.airlineCodes() == ["kept", "later"])
    }

    @Test func failingWriteFailsSave() async throws {
        let path = files.file.path(percentEncoded: false)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try await ManagedObjectStore(
                at: URL(filePath: path), model: ManagedObjectModel(TemporaryStore.airportEntities))
            try await store.insertAirline("kept")
            // Writes beyond the limit fail with EFBIG instead of a signal.
            signal(SIGXFSZ, SIG_IGN)
            @Sendable func limit(_ count: UInt) {
                var limit = rlimit(rlim_cur: count, rlim_max: .max)
                unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            }
            try await StoreFaultTests.expectFailure(.ioFailure, of: store) { failingSave in
                limit(300_000)
                try failingSave()
                limit(.max)
            }
            try await store.insertAirline("later")
            #expect(try await store.airlineCodes() == ["kept", "later"])
        }
    }

    /// The process has no file descriptor for another connection.
    @Test func reportsTooManyOpenFiles() async throws {
        let path = files.file.path(percentEncoded: false)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try await ManagedObjectStore(
                at: URL(filePath: path), model: ManagedObjectModel(TemporaryStore.airportEntities))
            try await store.insertAirline("kept")
            var limit = rlimit()
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            unsafe getrlimit(files, &limit)
            var none = rlimit(rlim_cur: 3, rlim_max: limit.rlim_max)
            unsafe setrlimit(files, &none)
            let context = store.makeContext()
            let unsaved = try context.insert(Airline.self)
            unsaved.code = "unsaved"
            let errors: [(any Error)?] = [
                await #expect(throws: PersistenceError.self) {
                    // One connection may be open already.
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for _ in 0..<4 {
                            group.addTask {
                                try await store.read { context in
                                    usleep(200_000)
                                    return try context.count(Airline.self)
                                }
                            }
                        }
                        for try await _ in group {}
                    }
                },
                #expect(throws: PersistenceError.self) { try context.fetch(Airline.self) },
                await #expect(throws: PersistenceError.self) {
                    _ = try await ManagedObjectStore(
                        at: URL(filePath: path + "-other"),
                        model: ManagedObjectModel(TemporaryStore.airportEntities))
                },
            ]
            for error in errors {
                let error = error as? PersistenceError
                #expect(error?.code == .tooManyOpenFiles)
                #expect(error?.recoverySuggestion?.contains("limit of open files") == true)
            }
            unsafe setrlimit(files, &limit)
            #expect(try await store.airlineCodes() == ["kept"])
        }
    }

    /// The suggestion for a file that cannot be created speaks of no unsaved changes.
    @Test func suggestionFitsFailedOpening() async throws {
        let path = files.file.path(percentEncoded: false)
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 5_000, rlim_max: .max)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let error = await #expect(throws: PersistenceError.self) {
                _ = try await ManagedObjectStore(
                    at: URL(filePath: path),
                    model: ManagedObjectModel(TemporaryStore.airportEntities))
            }
            #expect(error?.code == .ioFailure)
            #expect(error?.path == path)
            let suggestion = error?.recoverySuggestion
            #expect(suggestion?.hasPrefix("Check the disk, and try again") == true)
            #expect(suggestion?.contains("still in its context") == false)
        }
    }

    /// The process gives up the rights of the superuser, which no permission restricts.
    @Test func reportsReadOnlyFile() async throws {
        let store = try await files.open()
        try await store.insertAirline("SK")
        let copy = files.directory.appending(path: "copy.sqlite")
        try await store.backUp(to: copy)
        unsafe chmod(copy.path(percentEncoded: false), 0o444)
        unsafe chmod(files.directory.path(percentEncoded: false), 0o555)
        defer { unsafe chmod(files.directory.path(percentEncoded: false), 0o755) }
        await #expect(processExitsWith: .success) {
            [path = copy.path(percentEncoded: false) as String] in
            if getuid() == 0 { setuid(65_534) }
            let model = try ManagedObjectModel(TemporaryStore.airportEntities)
            let error = await #expect(throws: PersistenceError.self) {
                try await ManagedObjectStore(at: URL(filePath: path), model: model)
            }
            #expect(error?.code == .readOnly)
            // The copy has no log, so it can be opened where no file can be created.
            let reader = try await ManagedObjectStore(
                at: URL(filePath: path), model: model,
                configuration: StoreConfiguration(isReadOnly: true))
            #expect(try await reader.airlineCodes() == ["SK"])
        }
    }

    /// SQLite creates the log beside the file, for readers of a file with a log as well.
    @Test func reportsReadOnlyDirectory() async throws {
        try await files.open().close()
        unsafe chmod(files.file.path(percentEncoded: false), 0o666)
        unsafe chmod(files.directory.path(percentEncoded: false), 0o555)
        defer { unsafe chmod(files.directory.path(percentEncoded: false), 0o755) }
        await #expect(processExitsWith: .success) {
            [path = files.file.path(percentEncoded: false) as String] in
            if getuid() == 0 { setuid(65_534) }
            let model = try ManagedObjectModel(TemporaryStore.airportEntities)
            for (name, isReadOnly, words) in [
                (path, false, "creates files beside the database"),
                (path + "-new", false, "creates files beside the database"),
                (path, true, "open a copy that backUp(to:) has written"),
            ] {
                let error = await #expect(throws: PersistenceError.self) {
                    try await ManagedObjectStore(
                        at: URL(filePath: name), model: model,
                        configuration: StoreConfiguration(isReadOnly: isReadOnly))
                }
                #expect(error?.code == .readOnly)
                #expect(error?.path == name)
                #expect(error?.details.first?.hasPrefix("the directory cannot be written") == true)
                #expect(error?.details.first?.hasSuffix(words) == true)
            }
        }
    }

    // MARK: Damaged files

    @Test(.threat("T68"))
    func damagedPagesFailWithTypedError() async throws {
        let store = try await files.open()
        try await store.insertAirlines((0..<3_000).map { "A\($0)" })
        try store.close()
        var bytes = try Data(contentsOf: files.file)
        let root = try #require(
            Int(files.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'Airline'")[0][0]))
        for offset in (root - 1) * 4_096..<root * 4_096 { bytes[offset] = 0xA5 }
        try bytes.write(to: files.file)

        let damaged = try await files.open()
        try await damaged.perform { context in
            defer { context.rollback() }
            let city = try context.insert(City.self)
            city.name = "Oslo"
            for _ in 0..<2 {
                let fetching = #expect(throws: PersistenceError.self) {
                    try context.fetch(Airline.self)
                }
                #expect(fetching?.code == .corrupt)
            }
            try context.insert(Airline.self).code = "B"
            let saving = #expect(throws: PersistenceError.self) { try context.save() }
            #expect(saving?.code == .corrupt)
            #expect(context.hasChanges)
            #expect(city.name == "Oslo")
        }
        #expect(try files.rows("SELECT * FROM City") == [])
        try await damaged.reset()
        try await damaged.insertAirline("SK")
        #expect(try await damaged.airlineCodes() == ["SK"])
    }

    /// Flips bits of a good file: 100, or as many as `RESTKIT_BIT_FLIPS` says.
    @Test(.threat("T68"), .tags(.slow))
    func survivesFlippedBits() async throws {
        let store = try await files.open()
        try await store.perform { context in
            for number in 0..<40 {
                let airport = try context.insert(Airport.self)
                airport.code = "A\(number)"
                airport.name = "Airport \(number)"
                let terminal = try context.insert(Terminal.self)
                terminal.number = number
                terminal.airport = airport
            }
            try context.save()
        }
        let rows = try await Self.airportRows(store)
        try store.close()
        let good = try Data(contentsOf: files.file)
        let count = TestEnvironment.number("RESTKIT_BIT_FLIPS") ?? 100
        var generator = SplitMix(seed: 1)
        var (refused, right, changed, reported) = (0, 0, 0, 0)
        for _ in 0..<count {
            var bytes = good
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
                1 << UInt8.random(in: 0..<8, using: &generator)
            try await ManagedObjectStore.removeFiles(at: files.file)
            try bytes.write(to: files.file)
            do {
                let store = try await files.open()
                let found = try await Self.airportRows(store)
                let problems = try await store.checkIntegrity()
                try store.close()
                // SQLite has no checksums, so that the bits of a value can change unnoticed.
                let different = found.symmetricDifference(rows).count
                #expect(different <= 2 || !problems.isEmpty, "\(different) rows")
                if !problems.isEmpty {
                    reported += 1
                } else if different == 0 {
                    right += 1
                } else {
                    changed += 1
                }
            } catch is PersistenceError {
                refused += 1
            }
        }
        #expect(refused > 0)
        #expect(right > 0)
        print(
            """
            \(count) flipped bits: \(refused) errors, \(reported) reports of the integrity check, \
            \(right) right contents, \(changed) contents with another value
            """)
    }

    /// Returns the values of all airports and terminals, with their relationships.
    private static func airportRows(_ store: ManagedObjectStore) async throws -> Set<[String]> {
        try await store.perform { context in
            let airports = try context.fetch(Airport.self).map { airport in
                ["airport", airport.code, airport.name, "\(airport.terminals.count)"]
            }
            let terminals = try context.fetch(Terminal.self).map { terminal in
                ["terminal", "\(terminal.number)", terminal.airport?.code ?? ""]
            }
            // It throws the error of a property that could not be read.
            try context.save()
            return Set(airports + terminals)
        }
    }
}

/// A generator with a seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
