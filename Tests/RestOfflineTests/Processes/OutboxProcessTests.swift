// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Killed processes that save and send edits.
@Suite(.serialized, .tags(.socket)) struct OutboxProcessTests {
    private static func configuration() -> OutboxConfiguration {
        var configuration = OutboxConfiguration()
        configuration.baseDelay = .milliseconds(1)
        configuration.maximumDelay = .milliseconds(5)
        configuration.longestRequestLife = .milliseconds(20)
        // The next process need not wait long for the lease of a killed one.
        configuration.leaseDuration = .milliseconds(200)
        return configuration
    }

    private static func open(
        _ directory: String, _ baseURL: String
    ) async throws -> (ManagedObjectStore, Outbox) {
        let store = try await OfflineFixture.open(URL(filePath: directory))
        let api = try ObjectManager(baseURL: baseURL, requestFormat: .json)
        try OfflineFixture.addRoutes(to: api)
        let outbox = try await OfflineFixture.outbox(
            store, api, configuration(), .idempotencyKey(lifetime: .seconds(3600)))
        return (store, outbox)
    }

    /// Saves numbered notes, and edits of them, until the process is killed, and writes what was saved to a file
    /// after its commit.
    private static func saveNotes(
        _ directory: String, _ baseURL: String, log: String, round: Int
    ) async throws {
        let (store, outbox) = try await open(directory, baseURL)
        let output = try FileHandle(forWritingTo: URL(filePath: log))
        try output.seekToEnd()
        var number = 0
        while true {
            let name = "\(round)-\(number)"
            try await store.perform { context in
                _ = try Note.insert(into: context, title: name, text: "new")
                try context.save()
            }
            try output.write(contentsOf: Data("\(name) new\n".utf8))
            try await store.perform { context in
                let note = try context.first(Note.self, where: { $0.title == name })
                note?.text = "edited"
                try context.save()
            }
            try output.write(contentsOf: Data("\(name) edited\n".utf8))
            number += 1
            withExtendedLifetime(outbox) {}
        }
    }

    /// A process saves edits and sends them, and is killed 10 times, or as often as `RESTKIT_KILLS` says; then all
    /// that it has saved is sent, and each object is created once.
    @Test(.tags(.slow)) func savedEditsOfKilledProcessAreSentOnce() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "OutboxProcessTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let path = directory.path(percentEncoded: false)
        let log = directory.appending(path: "log").path(percentEncoded: false)
        try Data().write(to: URL(filePath: log))
        let server = NoteServer()
        let kills = ProcessInfo.processInfo.environment["RESTKIT_KILLS"].flatMap(Int.init) ?? 10
        try await LoopbackServer.run({ server.respond(to: $0) }) { loopback in
            for round in 0..<kills {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        path = path as String, log = log as String, round = round as Int,
                        baseURL = loopback.baseURL as String
                    ] in
                    let delay = UInt32(50_000 + (round * 7_919_000) % 250_000)
                    Thread.detachNewThread {
                        usleep(delay)
                        raise(SIGKILL)
                    }
                    try await OutboxProcessTests.saveNotes(path, baseURL, log: log, round: round)
                }
            }
            let (store, outbox) = try await Self.open(path, loopback.baseURL)
            while try await outbox.drain().unsentCount > 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            await outbox.close()
            try store.close()
        }
        let lines = try String(decoding: Data(contentsOf: URL(filePath: log)), as: UTF8.self)
            .split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        var saved: [String: String] = [:]
        for line in lines where line.count == 2 { saved[line[0]] = line[1] }
        #expect(saved.count >= kills / 2)
        var found: [String: [NoteServer.Value?]] = [:]
        for resource in server.resources("notes").values {
            guard case .text(let title) = resource.values["title"] else { continue }
            found[title, default: []].append(resource.values["text"])
        }
        for (title, text) in saved {
            #expect(found[title]?.count == 1)
            if text == "edited" { #expect(found[title] == [.text("edited")]) }
        }
    }
}
