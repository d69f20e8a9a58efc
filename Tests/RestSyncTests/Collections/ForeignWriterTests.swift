// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Programs that write rows without this library, and the lists whose rows these may be.
@Suite(.tags(.socket)) struct ForeignWriterTests {
    private static let edit = "UPDATE Human SET name = 'written by SQL' WHERE railsID = 1"
    private static let names = ["1|a", "2|b"]

    /// Returns a Boolean value that indicates whether the next request for the humans has a condition.
    private func isConditional(
        _ fixture: HumanFixture, into store: ManagedObjectStore
    ) async throws -> Bool {
        try await fixture.api.getObjects(Human.self, at: "humans", into: store)
        return fixture.lastField("if-none-match") != nil
    }

    private func open(_ fixture: HumanFixture) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(at: fixture.store.url, model: fixture.store.model)
    }

    // MARK: While the store is open

    @Test func commitsOfStoresAreNotForeign() async throws {
        try await HumanFixture.run { fixture, _ in
            try await fixture.load()
            let other = try await open(fixture)
            for name in ["A", "B"] {
                try await other.write { try $0.insert(Cat.self).name = name }
                #expect(try await isConditional(fixture, into: fixture.store))
                #expect(try await isConditional(fixture, into: other))
                try await fixture.store.write { try $0.insert(Cat.self).name = name }
            }
            // Neither are the keys that they reserve, and indexes that they add.
            try await other.write { context in
                for _ in 0..<10_000 { _ = try context.insert(Cat.self) }
            }
            try await other.rebuildSearchIndex()
            #expect(try await isConditional(fixture, into: fixture.store))
            try other.close()
            #expect(try await isConditional(fixture, into: fixture.store))
        }
    }

    /// A commit of a store after the other program does not hide it.
    @Test(arguments: ["nobody", "same store", "other store", "new store", "reservation"])
    func laterCommitHidesNoForeignOne(_ later: String) async throws {
        try await HumanFixture.run { fixture, _ in
            let other = try await open(fixture)
            try await fixture.load()
            #expect(try await isConditional(fixture, into: fixture.store))
            try fixture.temporary.execute(Self.edit)
            switch later {
            case "same store": try await fixture.store.write { _ = try $0.insert(Cat.self) }
            case "other store": try await other.write { _ = try $0.insert(Cat.self) }
            case "new store":
                let new = try await open(fixture)
                try await new.write { _ = try $0.insert(Cat.self) }
            case "reservation":
                // Keys are reserved in the background.
                _ = try fixture.store.makeContext().insert(Cat.self)
                _ = try other.makeContext().insert(Cat.self)
            default: break
            }
            #expect(try await isConditional(fixture, into: fixture.store) == false)
            #expect(try fixture.humans() == Self.names)
            #expect(try await isConditional(fixture, into: fixture.store))
            #expect(try await isConditional(fixture, into: other))
        }
    }

    @Test func foreignCommitEndsFreshness() async throws {
        try await HumanFixture.run { fixture, served in
            fixture.api.configure { $0.client.cache = HTTPCache() }
            served.change { $0.headers = [("Cache-Control", "max-age=60")] }
            try await fixture.load()
            #expect(try await fixture.load().origin == .fresh)
            try fixture.temporary.execute(Self.edit)
            #expect(try await fixture.load().origin == .server)
            #expect(try fixture.humans() == Self.names)
            #expect(try await fixture.load().origin == .fresh)
        }
    }

    /// A repeated response of a server that does not evaluate conditions is no evidence either.
    @Test(arguments: [true, false])
    func foreignCommitDuringRequestIsNoticed(_ isConditional: Bool) async throws {
        let served = ServedHumans()
        served.change { $0.isConditional = isConditional }
        let meanwhile = Mutex<(@Sendable () throws -> Void)?>(nil)
        try await HumanFixture.run({ request in
            let write = meanwhile.withLock { $0.take() }
            do { try write?() } catch { return LoopbackResponse(status: 500) }
            return served.answer(request)
        }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            try await fixture.load()
            #expect(try await fixture.load().isNotModified)
            let temporary = fixture.temporary
            meanwhile.withLock { $0 = { try temporary.execute(Self.edit) } }
            let result = try await fixture.load()
            #expect(!result.isNotModified && result.report.objectCount == 2)
            #expect(try fixture.humans() == Self.names)
        }
    }

    @Test func foreignCommitDuringWalkIsNoticed() async throws {
        try await HumanFixture.run(pages: 1...300) { fixture, _ in
            _ = try await fixture.pages(.keep).fetchAll()
            var origins: [ManagedResult.Origin] = []
            for try await page in fixture.pages(.keep) {
                origins.append(page.result.origin)
                if page.index == 0 {
                    try fixture.temporary.execute("UPDATE Human SET name = 'x' WHERE railsID = 150")
                }
            }
            #expect(origins == [.notModified, .server, .server])
            let changed = "SELECT count(*) FROM Human WHERE name = 'x'"
            #expect(try fixture.temporary.rows(changed) == ["0"])
            // The other pages are sent again as well: any row may have been changed.
            _ = try await fixture.pages(.keep).fetchAll()
            let conditions = fixture.server.requests.suffix(3).map {
                $0.headers["if-none-match"] != nil
            }
            #expect(conditions == [false, true, false])
        }
    }

    /// A page that another list overwrites during a walk is not confirmed by it.
    @Test func rowsOverwrittenDuringWalkAreSentAgain() async throws {
        try await HumanFixture.run(pages: 1...300) { fixture, _ in
            _ = try await fixture.pages(.keep).fetchAll()
            for try await page in fixture.pages(.keep) where page.index == 0 {
                try await fixture.store.write { context in
                    try context.first(Human.self, where: { $0.railsID == 150 })?.name = "x"
                }
            }
            let changed = "SELECT count(*) FROM Human WHERE name = 'x'"
            #expect(try fixture.temporary.rows(changed) == ["0"])
        }
    }

    // MARK: While no store is open

    @Test(arguments: [true, false])
    func foreignCommitBetweenProcessesIsNoticed(_ isForeign: Bool) async throws {
        try await HumanFixture.run { fixture, _ in
            try await fixture.load()
            for _ in 0..<2 {
                try fixture.store.close()
                if isForeign { try fixture.temporary.execute(Self.edit) }
                let store = try await open(fixture)
                #expect(try await isConditional(fixture, into: store) != isForeign)
                #expect(try await isConditional(fixture, into: store))
                #expect(try fixture.humans() == Self.names)
                try store.close()
                // Opening, reading and closing leaves the evidence.
                let reader = try await open(fixture)
                try reader.close()
            }
        }
    }

    /// The files of a process that was killed: the database and its log, as they were at that time.
    private func killed(_ fixture: HumanFixture) throws -> URL {
        let directory = fixture.temporary.directory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let file = directory.appending(path: "objects.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: fixture.store.url.path + suffix, toPath: file.path + suffix)
        }
        return file
    }

    /// The ways in which another program uses the files of a killed process.
    private static let programs = [
        "nothing", "reads", "writes", "writes and stays", "writes twice",
    ]

    @Test(arguments: programs)
    func foreignCommitAfterKilledProcessIsNoticed(_ program: String) async throws {
        try await HumanFixture.run { fixture, _ in
            try await fixture.load()
            #expect(try await isConditional(fixture, into: fixture.store))
            try await fixture.store.write { _ in }
            let file = try killed(fixture)
            var stayed: DatabaseQueue?
            if program != "nothing" {
                let queue = try DatabaseQueue(path: file.path)
                for _ in 0..<(program == "reads" ? 0 : program == "writes twice" ? 2 : 1) {
                    try await queue.write { try $0.execute(sql: Self.edit) }
                }
                _ = try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Human") }
                if program == "writes" { try queue.close() } else { stayed = queue }
            }
            let store = try await ManagedObjectStore(at: file, model: fixture.store.model)
            let isForeign = program.hasPrefix("writes")
            #expect(try await isConditional(fixture, into: store) != isForeign)
            #expect(try await isConditional(fixture, into: store))
            let names = try await store.read {
                try $0.fetch(Human.self).compactMap(\.name).sorted()
            }
            #expect(names == ["a", "b"])
            try store.close()
            try stayed?.close()
        }
    }
}
