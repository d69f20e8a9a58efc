// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import GRDB
import RestKit
import RestOffline
import RestPersistence
import RestTesting
import TestSupport
import Testing

/// Requests in progress at the same time, and the transactions that they share.
@MainActor @Suite struct SendingWindowTests {
    /// Adds notes that the server has, with titles A, and edits them in one save while nothing is sent.
    private static func edited(
        _ count: Int, _ configuration: OutboxConfiguration = OfflineFixture.quick
    ) async throws -> (fixture: OfflineFixture, notes: [Note]) {
        let fixture = try await OfflineFixture(configuration)
        fixture.outbox.pause()
        for id in 1...count { fixture.server.put("notes", id, ["title": "A"]) }
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        let notes = try fixture.context.fetch(Note.self, orderBy: \.id)
        #expect(notes.count == count)
        for note in notes { note.title = "B" }
        try fixture.save()
        return (fixture, notes)
    }

    private static func titles(_ fixture: OfflineFixture) -> [String?] {
        fixture.server.resources("notes").sorted { $0.key < $1.key }
            .map { $0.value["title"]?.root.string }
    }

    // MARK: Groups

    @Test func failingAttemptLeavesNeighboursSent() async throws {
        let (fixture, notes) = try await Self.edited(3)
        let database = fixture.store.content.database
        try database.write {
            try $0.execute(
                sql: """
                    CREATE TEMP TRIGGER fault BEFORE INSERT ON restkit_attempt \
                    WHEN NEW.url LIKE '%/notes/2' BEGIN SELECT RAISE(ABORT, 'fault'); END
                    """)
        }
        fixture.outbox.resume()
        #expect(try await fixture.outbox.outcome(of: notes[0]) == .accepted)
        #expect(try await fixture.outbox.outcome(of: notes[2]) == .accepted)
        #expect(Self.titles(fixture) == ["B", "A", "B"])
        #expect(try await fixture.outbox.state(of: notes[1]) == .waiting)
        try database.write { try $0.execute(sql: "DROP TRIGGER fault") }
        #expect(try await fixture.outbox.outcome(of: notes[1]) == .accepted)
        #expect(Self.titles(fixture) == ["B", "B", "B"])
    }

    @Test(arguments: [true, false])
    func failingAnswerLeavesNeighboursRecorded(answersWithResources: Bool) async throws {
        let (fixture, notes) = try await Self.edited(3)
        fixture.server.behavior.answersWithResources = answersWithResources
        let database = fixture.store.content.database
        let key = notes[1].objectID.key
        try database.write {
            try $0.execute(
                sql: """
                    CREATE TEMP TRIGGER fault BEFORE INSERT ON restkit_outcome \
                    WHEN NEW.key = \(key) BEGIN SELECT RAISE(ABORT, 'fault'); END
                    """)
        }
        let gate = Gate()
        fixture.server.holdAnswers { request in
            if request.isWrite { await gate.pass() }
        }
        fixture.outbox.resume()
        await gate.arrivals(3)
        // All answers arrive while another transaction is running.
        let (isHeld, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        let holding = Task.detached {
            try database.write { _ in
                Task { await isHeld.pass() }
                mayEnd.wait()
            }
        }
        await isHeld.arrivals(1)
        isHeld.open()
        gate.open()
        try await Task.sleep(for: .milliseconds(100))
        mayEnd.signal()
        try await holding.value
        #expect(try await fixture.outbox.outcome(of: notes[0]) == .accepted)
        #expect(try await fixture.outbox.outcome(of: notes[2]) == .accepted)
        #expect(try fixture.rows("SELECT count(*) FROM restkit_entry") == ["1"])
        notes[0].title = "C"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: notes[0]) == .accepted)
        // The answer is kept, and the request is not sent again.
        try database.write { try $0.execute(sql: "DROP TRIGGER fault") }
        #expect(try await fixture.outbox.outcome(of: notes[1]) == .accepted)
        #expect(fixture.requests("PATCH").count { $0.contains("\"B\"") } == 3)
        #expect(Self.titles(fixture) == ["C", "B", "B"])
    }

    @Test func attemptsAreCommittedTogether() async throws {
        let (fixture, _) = try await Self.edited(4)
        let gate = Gate()
        fixture.server.hold { request in
            if request.isWrite { await gate.pass() }
        }
        fixture.outbox.resume()
        await gate.arrivals(1)
        // When the first request leaves, all that may be in progress have attempts.
        #expect(try fixture.rows("SELECT count(*) FROM restkit_attempt") == ["4"])
        gate.open()
        try await fixture.outbox.drain()
        #expect(Self.titles(fixture) == ["B", "B", "B", "B"])
    }

    // MARK: The window

    @Test func slowRequestHoldsUpNoOthers() async throws {
        var configuration = OfflineFixture.quick
        configuration.concurrentRequestCount = 2
        let (fixture, notes) = try await Self.edited(5, configuration)
        let gate = Gate()
        fixture.server.hold { request in
            if request.path == "notes/1", request.isWrite { await gate.pass() }
        }
        fixture.outbox.resume()
        for note in notes.dropFirst() {
            #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        }
        // Neither does it hold up what is saved meanwhile.
        notes[4].title = "C"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: notes[4]) == .accepted)
        #expect(Self.titles(fixture) == ["A", "B", "B", "B", "C"])
        #expect(try await fixture.outbox.state(of: notes[0]) == .sending)
        gate.open()
        #expect(try await fixture.outbox.outcome(of: notes[0]) == .accepted)
    }

    @Test func requestsInProgressAreLimited() async throws {
        var configuration = OfflineFixture.quick
        configuration.concurrentRequestCount = 3
        let (fixture, _) = try await Self.edited(9, configuration)
        let gate = Gate()
        fixture.server.hold { request in
            if request.isWrite { await gate.pass() }
        }
        fixture.outbox.resume()
        await gate.arrivals(3)
        try await Task.sleep(for: .milliseconds(50))
        #expect(fixture.server.requests.count { $0.hasPrefix("PATCH") } == 3)
        gate.open()
        try await fixture.outbox.drain()
        #expect(Self.titles(fixture).allSatisfy { $0 == "B" })
    }

    @Test func manyBlockedEditsHoldUpNoOthers() async throws {
        let fixture = try await OfflineFixture()
        fixture.outbox.pause()
        for id in 1...300 { fixture.server.put("notes", id, ["title": "A"]) }
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        fixture.server.fail("POST", .status(422))
        let folder = try Folder.insert(into: fixture.context, name: "F")
        for note in try fixture.context.fetch(Note.self) { note.folder = folder }
        try fixture.save()
        let last = try Photo.insert(into: fixture.context, id: 7, name: "P")
        try fixture.save()
        fixture.outbox.resume()
        #expect(try await fixture.outbox.outcome(of: last) == .accepted)
        // All notes wait for the folder, which was refused.
        #expect(fixture.server.requests.count { $0.hasPrefix("PATCH") } == 0)
        #expect(try await fixture.outbox.drain().unsentCount == 301)
    }

    // MARK: Reading

    @Test func objectsAreReadAfterAllEdits() async throws {
        let (fixture, notes) = try await Self.edited(20)
        fixture.server.behavior.answersWithResources = false
        fixture.outbox.resume()
        try await fixture.outbox.drain()
        #expect(try fixture.entries() == [])
        try await fixture.outbox.settle()
        let methods = fixture.server.requests.compactMap { $0.split(separator: " ").first }
        let firstRead = try #require(methods.lastIndex(of: "PATCH"))
        #expect(methods[firstRead...].count { $0 == "GET" } >= 20)
        fixture.context.refreshAllObjects()
        #expect(notes.allSatisfy { $0.revision == 2 })
        #expect(try fixture.rows("SELECT * FROM restkit_edit") == [])
    }

    @Test func editDuringReadingIsSent() async throws {
        let fixture = try await OfflineFixture()
        let folder = try await fixture.load(Folder.self, 1, ["name": "A"])
        fixture.server.behavior.answersWithResources = false
        let gate = fixture.gate(after: .get)
        folder.name = "B"
        try fixture.save()
        await gate.arrivals()
        folder.name = "C"
        try fixture.save()
        // The scan of the save finds that the object is being read.
        try await Task.sleep(for: .milliseconds(100))
        gate.open()
        #expect(try await fixture.outbox.outcome(of: folder) == .accepted)
        try await fixture.outbox.settle()
        #expect(fixture.server.value("folders", 1, "name") == "C")
    }

    @Test func newEditsComeBeforeReading() async throws {
        var configuration = OfflineFixture.quick
        configuration.concurrentRequestCount = 1
        let (fixture, notes) = try await Self.edited(3, configuration)
        fixture.server.behavior.answersWithResources = false
        let gate = Gate()
        fixture.server.hold { request in
            if request.method == .get { await gate.pass() }
        }
        fixture.outbox.resume()
        await gate.arrivals(1)
        let photo = try Photo.insert(into: fixture.context, id: 7, name: "P")
        try fixture.save()
        gate.open()
        #expect(try await fixture.outbox.outcome(of: photo) == .accepted)
        let requests = fixture.server.requests.map { $0.prefix { $0 != "/" } }
        let photoIndex = try #require(requests.firstIndex(of: "PUT photos"))
        #expect(requests[..<photoIndex].count { $0 == "GET notes" } <= 2)
        try await fixture.outbox.settle()
        fixture.context.refreshAllObjects()
        #expect(notes.allSatisfy { $0.revision == 2 })
    }
}
