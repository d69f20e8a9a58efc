// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestKit
import RestOffline
import RestTesting
import Testing

/// Processes that are killed after several attempts were committed together, and before their requests are sent.
@Suite struct KilledGroupTests {
    private static func outbox(
        _ directory: String, _ transport: some HTTPTransport, _ creation: CreationRule,
        startsPaused: Bool
    ) async throws -> (store: ManagedObjectStore, outbox: Outbox) {
        let store = try await OfflineFixture.open(URL(filePath: directory))
        let client = try HTTPClient(baseURL: "https://notes.example.com/", transport: transport)
        let api = try ObjectManager(client: client, requestFormat: .json)
        try OfflineFixture.addRoutes(to: api)
        var configuration = OutboxConfiguration()
        configuration.baseDelay = .milliseconds(1)
        configuration.maximumDelay = .milliseconds(5)
        configuration.longestRequestLife = .milliseconds(20)
        configuration.leaseDuration = .milliseconds(200)
        configuration.startsPaused = startsPaused
        return (store, try await OfflineFixture.outbox(store, api, configuration, creation))
    }

    /// Saves three notes and a photo, and is killed when the first request is about to leave.
    private static func saveAndDie(_ directory: String, _ creation: CreationRule) async throws {
        let transport = StubTransport { request in
            raise(SIGKILL)
            return .stub(.noContent, to: request)
        }
        let (store, outbox) = try await outbox(directory, transport, creation, startsPaused: true)
        try await store.perform { context in
            for number in 1...3 { _ = try Note.insert(into: context, title: "\(number)") }
            _ = try Photo.insert(into: context, id: 7, name: "P")
            try context.save()
        }
        outbox.resume()
        try await outbox.drain()
    }

    private static func withDirectory(
        _ body: (_ path: String) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "KilledGroupTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try await body(directory.path(percentEncoded: false))
    }

    private static func attemptCount(_ path: String) throws -> Int? {
        try DatabaseQueue(path: path + "/notes.sqlite").read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM restkit_attempt WHERE sends = 1")
        }
    }

    @Test func attemptsWithKeysAreSentAgain() async throws {
        try await Self.withDirectory { path in
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                try await KilledGroupTests.saveAndDie(
                    path, .idempotencyKey(lifetime: .seconds(3600)))
            }
            #expect(try Self.attemptCount(path) == 4)
            let server = SimulatedAPI()
            let (store, outbox) = try await Self.outbox(
                path, server, .idempotencyKey(lifetime: .seconds(3600)), startsPaused: false)
            while try await outbox.drain().unsentCount > 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(server.resources("notes").count == 3)
            #expect(server.resources("photos").count == 1)
            #expect(server.requests.count { $0.hasPrefix("POST") } == 3)
            await outbox.close()
            try store.close()
        }
    }

    @Test func attemptsAtMostOnceWaitForUser() async throws {
        try await Self.withDirectory { path in
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                try await KilledGroupTests.saveAndDie(path, .atMostOnce)
            }
            let server = SimulatedAPI()
            let (store, outbox) = try await Self.outbox(
                path, server, .atMostOnce, startsPaused: false)
            while try await outbox.drain().unsentCount > 3 {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try await outbox.summary().uncertainCount == 3)
            #expect(server.requests.count { $0.hasPrefix("POST") } == 0)
            #expect(server.resources("photos").count == 1)
            await outbox.close()
            try store.close()
        }
    }
}
