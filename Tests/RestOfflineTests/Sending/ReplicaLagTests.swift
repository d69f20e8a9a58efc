// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Testing

/// Responses of replicas that do not have the writes of the outbox yet.
@MainActor @Suite struct ReplicaLagTests {
    private static let lag = Duration.seconds(60)

    /// A fixture whose replicas lag behind once folders were loaded.
    private static func fixture(
        isDeclared: Bool = true, answersWithResources: Bool = true
    ) async throws -> (fixture: OfflineFixture, clock: ManualClock) {
        let clock = ManualClock()
        var configuration = OfflineFixture.quick
        if isDeclared { configuration.replicaLag = lag }
        var behavior = SimulatedAPI.Behavior()
        behavior.answersWithResources = answersWithResources
        // Each list is sent again.
        behavior.entityTags = .none
        let fixture = try await OfflineFixture(
            configuration, behavior: behavior, clock: clock, serverClock: clock)
        for id in 2...4 { fixture.server.put("folders", id, ["name": "other"]) }
        return (fixture, clock)
    }

    /// Returns a folder of the server, which the store has, and lets replicas lag behind.
    private static func load(_ fixture: OfflineFixture) async throws -> Folder {
        let folder = try await fixture.load(Folder.self, 1, ["name": "A"])
        fixture.server.behavior.replicaLag = lag
        return folder
    }

    private func names(_ fixture: OfflineFixture) throws -> [String] {
        try fixture.rows("SELECT id, name FROM Folder WHERE name <> 'other' ORDER BY id")
    }

    @Test("lagging replica → no flicker", arguments: [true, false])
    func laggingReplicaShowsNoFormerValue(isDeclared: Bool) async throws {
        let (fixture, clock) = try await Self.fixture(isDeclared: isDeclared)
        let folder = try await Self.load(fixture)
        folder.name = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: folder) == .accepted)
        try await fixture.reload(Folder.self, 1)
        #expect(try names(fixture) == [isDeclared ? "1|B" : "1|A"])
        // Later responses are not held back.
        clock.advance(by: Self.lag + .seconds(1))
        fixture.server.behavior.replicaLag = .zero
        fixture.server.change("folders", 1, ["name": "C"])
        try await fixture.reload(Folder.self, 1)
        #expect(try names(fixture) == ["1|C"])
    }

    @Test func propertiesThatWereNotSentFollowTheServer() async throws {
        let (fixture, _) = try await Self.fixture()
        let note = try await fixture.load(1, ["title": "A", "text": "x"])
        note.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        fixture.server.fail(
            "GET", .status(200, body: #"[{"id":1,"title":"A","text":"theirs","revision":1}]"#))
        try await fixture.reload(Note.self, 1)
        #expect(try fixture.rows("SELECT title, text, revision FROM Note") == ["B|theirs|2"])
    }

    @Test(arguments: [true, false])
    func absenceDoesNotDeleteNewRow(isDeclared: Bool) async throws {
        let (fixture, clock) = try await Self.fixture(isDeclared: isDeclared)
        fixture.api.addFetchRequestRule { _ in FetchRequest("Folder") }
        _ = try await Self.load(fixture)
        let folder = try Folder.insert(into: fixture.context, name: "New")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: folder) == .accepted)
        try await fixture.reload(Folder.self, 1)
        #expect(try names(fixture) == (isDeclared ? ["1|A", "101|New"] : ["1|A"]))
        clock.advance(by: Self.lag + .seconds(1))
        fixture.server.remove("folders", 101)
        fixture.server.behavior.replicaLag = .zero
        try await fixture.reload(Folder.self, 1)
        #expect(try names(fixture) == ["1|A"])
    }

    @Test(arguments: [true, false])
    func presenceDoesNotRestoreDeletedRow(isDeclared: Bool) async throws {
        let (fixture, _) = try await Self.fixture(isDeclared: isDeclared)
        let folder = try await Self.load(fixture)
        fixture.context.delete(folder)
        try fixture.save()
        try await fixture.outbox.drain()
        #expect(fixture.server.resources("folders")["1"] == nil)
        try await fixture.reload(Folder.self, 2)
        #expect(try names(fixture) == (isDeclared ? [] : ["1|A"]))
    }

    @Test func objectIsReadAfterTheLag() async throws {
        let (fixture, clock) = try await Self.fixture(answersWithResources: false)
        let folder = try await Self.load(fixture)
        folder.name = "B"
        try fixture.save()
        try await fixture.outbox.drain()
        let count = fixture.requests("GET").count
        #expect(try fixture.rows("SELECT needs_reading FROM restkit_edit") == ["1"])
        clock.advance(by: Self.lag + .seconds(1))
        try await fixture.outbox.settle()
        #expect(fixture.requests("GET").count == count + 1)
        #expect(try names(fixture) == ["1|B"])
        #expect(try fixture.rows("SELECT * FROM restkit_edit") == [])
    }

    @Test func searchOfReplicaIsNoProof() async throws {
        let clock = ManualClock()
        var configuration = OfflineFixture.quick
        configuration.replicaLag = Self.lag
        let fixture = try await OfflineFixture.drafts(
            configuration, clock: clock, serverClock: clock
        ) { $0.creation(.recognized(by: \Draft.reference, at: "drafts")) }
        fixture.server.behavior.replicaLag = Self.lag
        fixture.server.fail("POST", .lostAnswer)
        _ = try Draft.insert(into: fixture.context, reference: "R-1", title: "A")
        try fixture.save()
        for _ in 0..<200 where try await fixture.outbox.drain().unsentCount > 0 {
            clock.advance(by: .seconds(1))
        }
        #expect(fixture.server.resources("drafts").count == 1)
        #expect(fixture.requests("POST").count == 1)
        #expect(try fixture.rows("SELECT id FROM Draft") == ["101"])
    }

    @Test func acknowledgedWritesAreForgotten() async throws {
        let (fixture, clock) = try await Self.fixture()
        let folder = try await Self.load(fixture)
        for name in ["B", "C"] {
            folder.name = name
            try fixture.save()
            #expect(try await fixture.outbox.outcome(of: folder) == .accepted)
            #expect(try fixture.rows("SELECT properties FROM restkit_acknowledged") == ["name"])
            clock.advance(by: Self.lag + .seconds(1))
        }
    }
}
