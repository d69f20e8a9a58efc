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

    /// Kills this process after some microseconds.
    private static func kill(after delay: UInt32) {
        Thread.detachNewThread {
            usleep(delay)
            raise(SIGKILL)
        }
    }

    /// Saves numbered notes, and edits of them, until the process is killed, and writes what was saved to a file
    /// after its commit.
    private static func saveNotes(
        _ directory: String, _ baseURL: String, log: String, round: Int, end delay: UInt32
    ) async throws {
        // On a slow machine, a process could be killed again and again before it has saved anything.
        if round % 2 == 1 { kill(after: delay) }
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
            if number == 0, round % 2 == 0 { kill(after: delay) }
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
        let server = SimulatedAPI()
        let kills = TestEnvironment.number("RESTKIT_KILLS") ?? 10
        try await server.withSocket { address in
            for round in 0..<kills {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        path = path as String, log = log as String, round = round as Int,
                        baseURL = address as String
                    ] in
                    let delay = UInt32(50_000 + (round * 7_919_000) % 250_000)
                    try await OutboxProcessTests.saveNotes(
                        path, baseURL, log: log, round: round, end: delay)
                }
            }
            let (store, outbox) = try await Self.open(path, address)
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
        var found: [String: [Document?]] = [:]
        for resource in server.resources("notes").values {
            guard let title = resource["title"]?.root.string else { continue }
            found[title, default: []].append(resource["text"])
        }
        for (title, text) in saved {
            #expect(found[title]?.count == 1)
            if text == "edited" { #expect(found[title] == [.string("edited")]) }
        }
    }

    // MARK: Two processes

    /// Edits every second note again and again and sends, until the process is killed; writes the number of each edit
    /// to a file after its commit.
    private static func editNotes(
        _ directory: String, _ baseURL: String, log: String, part: Int, round: Int
    ) async throws {
        let delay = UInt32(150_000 + (round * 7_919_000 + part * 104_729) % 350_000)
        if round % 2 == 1 { kill(after: delay) }
        let (store, outbox) = try await open(directory, baseURL)
        let output = try FileHandle(forWritingTo: URL(filePath: log))
        try output.seekToEnd()
        let first = 10 + round * 1_000_000
        var number = first
        while true {
            let (text, position) = ("\(number)", number * 2 + part)
            let id = try await store.perform { context in
                let notes = try context.fetch(Note.self, where: { $0.id > 0 }, orderBy: \.id)
                let note = notes[position % notes.count]
                note.text = text
                try context.save()
                return note.id ?? 0
            }
            try output.write(contentsOf: Data("\(id) \(number)\n".utf8))
            if number == first, round % 2 == 0 { kill(after: delay) }
            number += 1
            withExtendedLifetime(outbox) {}
        }
    }

    /// Two processes with one file edit and send, and are killed again and again.
    ///
    /// Ten edits of each of 40 notes are queued before, or of 1,000 for 300 kills or more. Each note ends with its
    /// last text on both sides.
    @Test(.tags(.slow)) func queuedEditsSurviveKillsOfTwoProcesses() async throws {
        let kills = TestEnvironment.number("RESTKIT_KILLS") ?? 6
        let noteCount = kills < 300 ? 40 : 1_000
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "OutboxProcessTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let path = directory.path(percentEncoded: false)
        let logs = (0..<2).map { directory.appending(path: "log\($0)").path(percentEncoded: false) }
        for log in logs { try Data().write(to: URL(filePath: log)) }
        let server = SimulatedAPI()
        for id in 1...noteCount { server.put("notes", id, ["title": "note \(id)", "text": ""]) }
        try await server.withSocket { address in
            try await Self.queueEdits(path, address, noteCount)
            for round in 0..<(kills + 1) / 2 {
                let (first, second) = (logs[0], logs[1])
                async let one: Void = Self.killWhileEditing(path, address, first, 0, round)
                async let other: Void = Self.killWhileEditing(path, address, second, 1, round)
                _ = await (one, other)
            }
            let (store, outbox) = try await Self.open(path, address)
            while try await outbox.drain().unsentCount > 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            let texts = try await store.read { context in
                try context.fetch(Note.self).map { [$0.id ?? 0, Int($0.text) ?? -1] }
            }
            await outbox.close()
            try store.close()
            #expect(texts.count == noteCount)
            for text in texts {
                #expect(server.value("notes", text[0], "text") == .string("\(text[1])"))
            }
        }
        var last: [Int: Int] = [:]
        for log in logs {
            let lines = try String(decoding: Data(contentsOf: URL(filePath: log)), as: UTF8.self)
            for line in lines.split(separator: "\n") {
                let numbers = line.split(separator: " ").compactMap { Int($0) }
                if numbers.count == 2 { last[numbers[0]] = numbers[1] }
            }
        }
        #expect(!last.isEmpty)
        for id in 1...noteCount {
            let text = server.value("notes", id, "text")?.root.string.flatMap(Int.init)
            // An edit whose number was not written may follow the last one.
            #expect(try #require(text) >= last[id] ?? 9)
        }
    }

    private static func queueEdits(
        _ path: String, _ address: String, _ noteCount: Int
    ) async throws {
        let (store, outbox) = try await open(path, address)
        outbox.pause()
        let api = outbox.manager
        _ = try await api.getObjects(Note.self, at: "notes", into: store)
        for number in 0..<10 {
            try await store.perform { context in
                for note in try context.fetch(Note.self) { note.text = "\(number)" }
                try context.save()
            }
        }
        #expect(try await outbox.summary().unsentCount == noteCount)
        await outbox.close()
        try store.close()
    }

    private static func killWhileEditing(
        _ path: String, _ address: String, _ log: String, _ part: Int, _ round: Int
    ) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                path = path as String, log = log as String, round = round as Int,
                part = part as Int, address = address as String
            ] in
            try await OutboxProcessTests.editNotes(
                path, address, log: log, part: part, round: round)
        }
    }
}
