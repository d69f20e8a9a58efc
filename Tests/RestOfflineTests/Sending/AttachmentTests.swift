// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Testing

/// The files of requests with multipart forms.
@MainActor @Suite struct AttachmentTests {
    /// A temporary file.
    private static func file(_ text: String) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).txt")
        try Data(text.utf8).write(to: url)
        return url
    }

    private static func form(_ url: URL) -> OutboxForm {
        var form = OutboxForm()
        form.addField("Käse", named: "caption")
        form.addFile(at: url, named: "image", fileName: "a.txt", contentType: "text/plain")
        return form
    }

    private func files(_ fixture: OfflineFixture) -> [String] {
        let path = fixture.store.url.path + "-outbox"
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    @Test func fileInTemporaryDirectorySurvivesRelaunch() async throws {
        let (fixture, note) = try await OfflineFixture.withNote(OfflineFixture.paused)
        let url = try Self.file("the bytes")
        try await fixture.outbox.enqueue(
            .post("notes/:id/image", form: Self.form(url)), for: note)
        try FileManager.default.removeItem(at: url)
        #expect(files(fixture).count == 1)
        // The entry refers to the file relatively.
        let command = try #require(try fixture.rows("SELECT command FROM restkit_entry").first)
        #expect(!command.contains("/tmp") && !command.contains("-outbox"))
        try await fixture.restart()
        try await fixture.outbox.drain()
        let post = try #require(
            fixture.server.requests.first { $0.hasPrefix("POST notes/1/image") })
        #expect(post.contains("\r\n\r\nthe bytes\r\n"))
        #expect(post.contains("\r\n\r\nKäse\r\n"))
        #expect(post.contains(#"filename="a.txt""#))
        #expect(try fixture.entries() == [])
        #expect(files(fixture).isEmpty)
    }

    @Test func resentFormHasTheSameBytes() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        let url = try Self.file(String(repeating: "x", count: 3_000_000))
        defer { try? FileManager.default.removeItem(at: url) }
        fixture.server.fail("POST", .lostAnswer)
        try await fixture.outbox.enqueue(
            .post("notes/:id/image", form: Self.form(url), keyLifetime: .seconds(3600)), for: note)
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        let posts = fixture.requests("POST")
        #expect(posts.count == 2)
        #expect(posts[0] == posts[1])
        #expect(posts[0].utf8.count > 3_000_000)
    }

    @Test func keyIsFieldOfForm() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        let url = try Self.file("the bytes")
        defer { try? FileManager.default.removeItem(at: url) }
        fixture.server.fail("POST", .lostAnswer)
        let request = OutboxRequest.post("notes/:id/image", form: Self.form(url))
            .idempotencyKey(member: "token", lifetime: .seconds(3600))
        try await fixture.outbox.enqueue(request, for: note)
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        let posts = fixture.requests("POST")
        #expect(posts.count == 2)
        #expect(Set(posts).count == 1)
        #expect(posts[0].contains(#"name="token""#))
        #expect(posts[0].contains("\r\n\r\nthe bytes\r\n"))
    }

    @Test func equalFilesAreStoredOnce() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused)
        let first = try await fixture.load(1, ["title": .string("A")])
        let second = try await fixture.load(2, ["title": .string("B")])
        let url = try Self.file("shared")
        defer { try? FileManager.default.removeItem(at: url) }
        let entry = try await fixture.outbox.enqueue(
            .post("notes/:id/image", form: Self.form(url)), for: first)
        try await fixture.outbox.enqueue(
            .post("notes/:id/image", form: Self.form(url)), for: second)
        #expect(files(fixture).count == 1)
        try await fixture.outbox.discard(entry)
        fixture.outbox.resume()
        try await fixture.outbox.drain()
        #expect(fixture.server.requests.filter { $0.contains("shared") }.count == 1)
        #expect(files(fixture).isEmpty)
    }

    @Test func discardedEntryRemovesItsFile() async throws {
        let (fixture, note) = try await OfflineFixture.withNote(OfflineFixture.paused)
        let url = try Self.file("discarded")
        defer { try? FileManager.default.removeItem(at: url) }
        let entry = try await fixture.outbox.enqueue(
            .post("notes/:id/image", form: Self.form(url)), for: note)
        try await fixture.outbox.discard(entry)
        try await fixture.restart(OfflineFixture.paused)
        #expect(files(fixture).isEmpty)
    }

    @Test func missingFileIsReportedWhenAdded() async throws {
        let (fixture, note) = try await OfflineFixture.withNote(OfflineFixture.paused)
        let url = URL(filePath: "/nonexistent/a.txt")
        let error = await #expect(throws: OutboxError.self) {
            try await fixture.outbox.enqueue(
                .post("notes/:id/image", form: Self.form(url)), for: note)
        }
        #expect(error?.code == .fileUnavailable)
        #expect(error?.reason.contains("image") == true)
        #expect(try fixture.entries() == [])
        #expect(files(fixture).isEmpty)
    }

    @Test func lostFileIsRefusedWhenSent() async throws {
        let (fixture, note) = try await OfflineFixture.withNote(OfflineFixture.paused)
        let url = try Self.file("lost")
        defer { try? FileManager.default.removeItem(at: url) }
        try await fixture.outbox.enqueue(
            .post("notes/:id/image", form: Self.form(url)), for: note)
        let stored = try #require(files(fixture).first)
        try FileManager.default.removeItem(atPath: fixture.store.url.path + "-outbox/" + stored)
        fixture.outbox.resume()
        let problem = try await fixture.problem(of: note)
        #expect(problem.kind == .invalidRequest)
    }

    @Test func unusedFilesAreRemovedWhenOpened() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused)
        let directory = fixture.store.url.path + "-outbox"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        // A process has ended between the copy and the commit.
        try Data("x".utf8).write(to: URL(filePath: directory + "/abc"))
        try Data("x".utf8).write(to: URL(filePath: directory + "/copy-of-another-process"))
        try await fixture.restart(OfflineFixture.paused)
        #expect(files(fixture) == ["copy-of-another-process"])
    }
}
