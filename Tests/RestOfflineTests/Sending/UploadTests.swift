// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Testing

/// Requests that a program lets the system send.
@MainActor @Suite struct UploadTests {
    private static let answer = Data(#"{"id":1,"title":"B","text":"t","revision":2}"#.utf8)
    private static let json = ["Content-Type": "application/json"]

    @Test func uploadHasTheRequestWithCredentials() async throws {
        let (fixture, note) = try await OfflineFixture.withNote(OfflineFixture.paused)
        note.title = "B"
        try fixture.save()
        let uploads = try await fixture.outbox.beginUploads()
        let upload = try #require(uploads.first)
        #expect(uploads.count == 1)
        #expect(upload.method == "PATCH")
        #expect(upload.url.absoluteString == "https://notes.example.com/notes/1")
        #expect(upload.fields["Authorization"] == "secret-token")
        #expect(upload.fields["Content-Type"]?.hasSuffix("json") == true)
        let body = try String(contentsOf: upload.body, encoding: .utf8)
        #expect(body == #"{"title":"B","revision":1}"#)
        #expect(try fixture.entries() == ["Note|update|sending"])
        #expect(try await fixture.outbox.beginUploads().isEmpty)
        // The table has no credentials.
        #expect(
            try fixture.rows("SELECT fields FROM restkit_attempt").allSatisfy {
                !$0.contains("secret-token")
            })
        try await fixture.outbox.endUpload(
            upload.id, status: 200, fields: Self.json, body: Self.answer)
        fixture.context.refreshAllObjects()
        #expect(note.revision == 2)
        #expect(note.text == "t")
        #expect(try fixture.entries() == [])
        #expect(!FileManager.default.fileExists(atPath: upload.body.path))
        let error = await #expect(throws: OutboxError.self) {
            try await fixture.outbox.endUpload(
                upload.id, status: 200, fields: Self.json, body: Self.answer)
        }
        #expect(error?.code == .unknownEntry)
        #expect(fixture.server.requests.allSatisfy { $0.hasPrefix("GET") })
    }

    @Test func uploadGoesOnInAnotherLaunch() async throws {
        let (fixture, note) = try await OfflineFixture.withNote(OfflineFixture.paused)
        note.title = "B"
        try fixture.save()
        let upload = try #require(try await fixture.outbox.beginUploads().first)
        try await fixture.restart()
        try await fixture.outbox.drain()
        #expect(try fixture.entries() == ["Note|update|sending"])
        #expect(fixture.requests("PATCH").isEmpty)
        try await fixture.outbox.endUpload(
            upload.id, status: 200, fields: Self.json, body: Self.answer)
        #expect(try fixture.entries() == [])
    }

    @Test func refusedUploadIsShown() async throws {
        let (fixture, note) = try await OfflineFixture.withNote(OfflineFixture.paused)
        note.title = "B"
        try fixture.save()
        let upload = try #require(try await fixture.outbox.beginUploads().first)
        try await fixture.outbox.endUpload(
            upload.id, status: 422, fields: Self.json, body: Data(#"{"title":"no"}"#.utf8))
        guard case .refused(let problem) = try await fixture.outbox.state(of: note) else {
            return #expect(Bool(false), "not refused")
        }
        #expect(problem.status == 422)
        #expect(problem.body == Array(#"{"title":"no"}"#.utf8))
    }

    @Test(arguments: [false, true]) func failedUploadIsSentAgain(mayBeExecuted: Bool) async throws {
        let (fixture, note) = try await OfflineFixture.withNote(OfflineFixture.paused)
        note.title = "B"
        try fixture.save()
        let upload = try #require(try await fixture.outbox.beginUploads().first)
        try await fixture.outbox.failUpload(upload.id, mayBeExecuted: mayBeExecuted)
        #expect(try fixture.entries() == ["Note|update|waiting"])
        fixture.outbox.resume()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(fixture.server.value("notes", 1, "title") == .string("B"))
    }

    @Test func expiredEntryIsNotUploaded() async throws {
        let clock = ManualClock()
        let fixture = try await OfflineFixture(OfflineFixture.paused, clock: clock)
        let note = try await fixture.load(1, ["title": "A"])
        try await fixture.outbox.enqueue(
            .post("notes/:id/publish"), for: note, expires: .seconds(10))
        clock.advance(by: .seconds(11))
        #expect(try await fixture.outbox.beginUploads().isEmpty)
        #expect(try await fixture.outbox.outcome(of: note) == .expired)
        #expect(try fixture.entries() == [])
        #expect(fixture.requests("POST") == [])
    }

    @Test func uploadOfFormHasItsFiles() async throws {
        let (fixture, note) = try await OfflineFixture.withNote(OfflineFixture.paused)
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("the bytes".utf8).write(to: url)
        var form = OutboxForm()
        form.addFile(at: url, named: "image")
        try await fixture.outbox.enqueue(.post("notes/:id/image", form: form), for: note)
        try FileManager.default.removeItem(at: url)
        let upload = try #require(try await fixture.outbox.beginUploads().first)
        let body = try String(contentsOf: upload.body, encoding: .utf8)
        #expect(body.contains("\r\n\r\nthe bytes\r\n"))
        #expect(upload.fields["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        let boundary = try #require(upload.fields["Content-Type"]?.split(separator: "=").last)
        #expect(body.hasPrefix("--\(boundary)\r\n"))
    }
}
