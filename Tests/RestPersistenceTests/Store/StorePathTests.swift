// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

import class GRDB.DatabaseQueue

@testable import RestPersistence

/// Files that a store cannot or must not open, and unusual names of files that it can.
@Suite struct StorePathTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func url(_ name: String) -> URL { files.directory.appending(path: name) }

    private func open(
        _ url: URL, _ configuration: StoreConfiguration = .init()
    ) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: url, model: ManagedObjectModel(TemporaryStore.airportEntities),
            configuration: configuration)
    }

    /// Expects an error that names the file, the reason and a way to continue.
    private func refusal(
        of url: URL, _ configuration: StoreConfiguration = .init()
    ) async throws -> PersistenceError {
        let thrown = await #expect(throws: PersistenceError.self) {
            _ = try await open(url, configuration)
        }
        let error = try #require(thrown)
        var path = url.path(percentEncoded: false)
        if path.hasSuffix("/") { path.removeLast() }
        #expect(error.path?.hasPrefix(path) == true)
        #expect(error.description.contains(path))
        #expect(error.localizedDescription.contains(path))
        #expect(!error.details.isEmpty)
        #expect(error.recoverySuggestion != nil)
        return error
    }

    @Test(
        .threat("T68"),
        arguments: [
            "spaces in the name.sqlite", "ünïcode 日本.sqlite", "question?mode=memory", "hash#tag",
            "100%25.sqlite", "file:name.sqlite", "quote's \"name\"", "new\nline", "back\\slash",
            "-wal", "semi;colon", "*", "🛫",
        ])
    func opensFileWithUnusualName(_ name: String) async throws {
        let url = url(name)
        let store = try await open(url)
        try await store.insertAirline("SK")
        #expect(Set(try files.names) == [name, "\(name)-wal", "\(name)-shm"])
        try await store.reset()
        #expect(try await store.airlineCodes() == [])
        try await store.insertAirline("DY")
        try store.close()
        #expect(try files.names == [name])
        #expect(try await open(url).airlineCodes() == ["DY"])
        try await ManagedObjectStore.removeFiles(at: url)
        #expect(try files.names == [])
    }

    @Test func refusesPathsThatNameNoFile() async throws {
        let directory = try await refusal(of: files.directory)
        #expect(directory.details == ["the path is a directory"])
        let missing = try await refusal(of: url("a/b/c.sqlite"))
        #expect(missing.details.first?.hasPrefix("the directory cannot be created") == true)
        let long = try await refusal(of: url(String(repeating: "n", count: 300)))
        #expect(long.details.first?.hasPrefix("the file cannot be created") == true)
        try Data().write(to: url("file"))
        let inside = try await refusal(of: url("file/objects.sqlite"))
        for error in [directory, missing, long, inside] { #expect(error.code == .cannotOpen) }
        #expect(try files.names == ["file"])
        // Neither is a path that could be named; the second one would be that of "a".
        for text in ["https://example.com/a.sqlite", "\(files.directory.absoluteString)/a%00b"] {
            let url = try #require(URL(string: text))
            let error = await #expect(throws: PersistenceError.self) { _ = try await open(url) }
            #expect(error?.code == .cannotOpen)
            #expect(error?.details.count == 1)
        }
        #expect(try files.names == ["file"])
    }

    /// Opening a pipe would wait for its writer.
    @Test func refusesPipesAndDevices() async throws {
        let pipe = url("pipe")
        let result = unsafe mkfifo(pipe.path(percentEncoded: false), 0o600)
        #expect(result == 0)
        for url in [pipe, URL(filePath: "/dev/null"), URL(filePath: "/dev/zero")] {
            let error = try await refusal(of: url)
            #expect(error.code == .cannotOpen)
            #expect(error.details == ["the path is a pipe or a device"])
        }
    }

    /// SQLite keeps the side files beside the target of a link, and so does the store.
    @Test func followsSymbolicLinks() async throws {
        let (link, target) = (url("link.sqlite"), url("target.sqlite"))
        try await open(target).close()
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let store = try await open(link)
        try await store.insertAirline("SK")
        #expect(
            try files.names
                == ["link.sqlite", "target.sqlite", "target.sqlite-shm", "target.sqlite-wal"])
        // Nothing of the old content remains under the other name.
        try await store.reset()
        #expect(try files.rows("SELECT * FROM Airline", in: target) == [])
        try await store.insertAirline("DY")
        try store.close()
        #expect(try await open(target).airlineCodes() == ["DY"])
        try await ManagedObjectStore.removeFiles(at: link)
        #expect(try files.names == [])
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let error = await #expect(throws: PersistenceError.self) { _ = try await open(link) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.details == ["the symbolic link has no target"])
    }

    // MARK: Foreign and damaged content

    @Test(.threat("T68")) func namesFileAndWayToContinue() async throws {
        let foreign = url("foreign.sqlite")
        try Data(String(repeating: "%PDF-1.7 ", count: 1_000).utf8).write(to: foreign)
        #expect(try await refusal(of: foreign).code == .notADatabase)
        try await open(files.file).close()
        for (sql, code, words) in [
            ("UPDATE restkit_store SET format = 3", .unsupportedFormat, "version of the library"),
            ("CREATE VIEW v AS SELECT 1", .unexpectedSchema, "Undo the listed changes"),
            ("PRAGMA application_id = 7", .wrongApplicationID, "another file"),
        ] as [(String, PersistenceError.Code, String)] {
            let before = try Data(contentsOf: files.file)
            try files.execute(sql)
            let error = try await refusal(of: files.file)
            #expect(error.code == code)
            #expect(error.recoverySuggestion?.contains(words) == true)
            try await ManagedObjectStore.removeFiles(at: files.file)
            try before.write(to: files.file)
        }
        let model = try ManagedObjectModel([
            EntityDescription("Other", attributes: [AttributeDescription("name", .text)])
        ])
        let mismatch = await #expect(throws: PersistenceError.self) {
            try await ManagedObjectStore(
                at: files.file, model: model,
                configuration: StoreConfiguration(migration: .refused))
        }
        #expect(mismatch?.path == files.file.path(percentEncoded: false))
        #expect(mismatch?.recoverySuggestion?.contains("migration") == true)
        // A seed is named instead of the file that it was for.
        let seeded = await #expect(throws: PersistenceError.self) {
            _ = try await open(url("new.sqlite"), StoreConfiguration(seed: foreign))
        }
        #expect(seeded?.path == foreign.path(percentEncoded: false))
        #expect(try !files.names.contains("new.sqlite"))
    }

    /// A file that was cut off at any place is an error, now or when the missing part is read.
    @Test(.threat("T68")) func reportsTruncatedFile() async throws {
        let store = try await open(files.file)
        try await store.insertAirlines((0..<2_000).map { "A\($0)" })
        try store.close()
        let whole = try Data(contentsOf: files.file)
        // A file of no or one byte is empty for SQLite.
        for size in stride(from: 2, to: whole.count, by: 3_001) {
            try await ManagedObjectStore.removeFiles(at: files.file)
            let part = whole.prefix(size)
            try part.write(to: files.file)
            do {
                let damaged = try await open(files.file)
                let codes = try? await damaged.airlineCodes()
                #expect(codes == nil || codes?.count == 2_000, "size \(size)")
                let check = try? await damaged.checkIntegrity()
                #expect(check == nil || check?.isEmpty == false, "size \(size)")
                try? damaged.close()
            } catch let error as PersistenceError {
                let codes: [PersistenceError.Code] = [.corrupt, .notADatabase]
                #expect(codes.contains { $0 == error.code }, "size \(size): \(error)")
                #expect(error.path == files.file.path(percentEncoded: false))
                #expect(try Data(contentsOf: files.file) == part)
            }
        }
    }

    /// A log or journal that is not one of the database is ignored.
    @Test(
        .threat("T68"),
        arguments: ["-wal", "-journal"], [0, 31, 32, 5_000])
    func ignoresInvalidSideFile(_ suffix: String, _ size: Int) async throws {
        let store = try await open(files.file)
        try await store.insertAirline("SK")
        try store.close()
        let side = files.file.path(percentEncoded: false) + suffix
        let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
        try bytes.write(to: URL(filePath: side))
        let reopened = try await open(files.file)
        #expect(try await reopened.airlineCodes() == ["SK"])
        try await reopened.insertAirline("DY")
        #expect(try await reopened.checkIntegrity() == [])
        try reopened.close()
        #expect(try await open(files.file).airlineCodes() == ["DY", "SK"])
    }

    /// The process of another program ended in a transaction with a rollback journal.
    @Test(.threat("T68")) func rollsBackInterruptedTransaction() async throws {
        let store = try await open(files.file)
        try await store.insertAirlines((0..<2_000).map { "A\($0)" })
        let copy = url("copy.sqlite")
        try await store.backUp(to: copy)
        let interrupted = url("interrupted.sqlite")
        try await DatabaseQueue(path: copy.path(percentEncoded: false)).writeWithoutTransaction {
            database in
            try database.execute(sql: "PRAGMA cache_size = 1; BEGIN; DELETE FROM Airline")
            for suffix in ["", "-journal"] {
                try FileManager.default.copyItem(
                    atPath: copy.path(percentEncoded: false) + suffix,
                    toPath: interrupted.path(percentEncoded: false) + suffix)
            }
            try database.execute(sql: "ROLLBACK")
        }
        let error = try await refusal(of: interrupted, StoreConfiguration(isReadOnly: true))
        #expect(error.code == .readOnly)
        #expect(error.details.first?.hasSuffix("open it once for writing") == true)
        let recovered = try await open(interrupted)
        #expect(try await recovered.airlineCodes().count == 2_000)
        #expect(try await recovered.checkIntegrity() == [])
    }

    // MARK: Failures while the store is open

    @Test func namesFileWhenSavingFails() async throws {
        let store = try await open(files.file, StoreConfiguration(busyTimeout: .milliseconds(50)))
        let path = files.file.path(percentEncoded: false)
        try await store.insertAirline("SK")
        // Another program holds the lock of the writer.
        let other = try files.observer().connection
        try await other.writeWithoutTransaction { [store] database in
            try database.execute(sql: "BEGIN IMMEDIATE")
            defer { try? database.execute(sql: "ROLLBACK") }
            let context = store.makeContext()
            try context.insert(Airline.self).code = "DY"
            let error = #expect(throws: PersistenceError.self) { try context.save() }
            #expect(error?.code == .busy)
            #expect(error?.path == path)
            #expect(error?.recoverySuggestion?.contains("busyTimeout") == true)
            #expect(context.hasChanges)
        }
        try store.setPragma("max_page_count", 60)
        let full = await #expect(throws: PersistenceError.self) {
            try await store.insertAirlines((0..<20_000).map { "A\($0)" })
        }
        #expect(full?.code == .storageFull)
        #expect(full?.path == path)
        let context = store.makeContext()
        for number in 0..<20_000 { try context.insert(Airline.self).code = "B\(number)" }
        let later = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(later?.code == .storageFull)
        #expect(later?.path == path)
        #expect(try await store.airlineCodes() == ["SK"])
    }
}
