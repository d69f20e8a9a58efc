// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import HTTPTypes
import RestKit
import Synchronization

/// Registers saves, requests, openings and imports with an outbox, each beside the same work without one.
func compareOutboxes(for collection: InputDocument) {
    Benchmark("save 10k edits: SQLite", configuration: Benchmark.storage) { benchmark in
        let directory = try PassDirectory()
        let rows = try OutboxRows(directory, count: 10_000)
        let start = ProcessorTime.ofProcess
        try rows.edit()
        benchmark.measurement(.passTime, ProcessorTime.ofProcess - start)
        let saved = try rows.entryCount()
        guard saved == 10_000 else { throw UnexpectedRows(10_000, saved) }
    }
    for isAttached in [false, true] {
        let suffix = isAttached ? "with outbox" : "without outbox"
        Benchmark("save 10k edits: \(suffix)", configuration: Benchmark.storage) { benchmark in
            let edited = try await EditedStore(10_000, isAttached: isAttached)
            let start = ProcessorTime.ofProcess
            let saved = try await edited.edit()
            benchmark.measurement(.passTime, ProcessorTime.ofProcess - start)
            guard saved == 10_000 else { throw UnexpectedRows(10_000, saved) }
            try await edited.expect(unsent: isAttached ? 10_000 : 0)
        }
        Benchmark("unchanged load: \(suffix)", configuration: Benchmark.storage) { benchmark in
            let directory = try PassDirectory()
            let store = try await directory.openStore()
            _ = try await load(collection, into: store)
            let outbox =
                isAttached
                ? try await pausedOutbox(of: store) { Sends(Article.self) } : nil
            try await benchmark.measureProcess { try await load(collection, into: store) }
            await outbox?.close()
        }
    }
    compareOpenings()
    guard NginxServer.executable != nil else { return }
    compareSending()
}

/// Registers the opening of a store with an outbox that has no entries, and of one that has 100,000.
private func compareOpenings() {
    for count in [0, 100_000] {
        let configuration = Benchmark.Configuration(
            metrics: [.requestTime, .wallClock], warmupIterations: 1, maxDuration: .seconds(10),
            maxIterations: 10)
        let file = Mutex<PassDirectory?>(nil)
        Benchmark("open: \(count / 1000)k entries", configuration: configuration) { benchmark in
            guard let directory = file.withLock(\.self) else { throw UnexpectedRows(1, 0) }
            let start = ContinuousClock.now
            let store = try await directory.openStore()
            let outbox = try await pausedOutbox(of: store) { Sends(Contact.self) }
            benchmark.measurement(
                .requestTime, Int((ContinuousClock.now - start) / .nanoseconds(1)))
            let unsent = try await outbox.summary().unsentCount
            guard unsent == count else { throw UnexpectedRows(count, unsent) }
            await outbox.close()
            try store.close()
        } setup: {
            let edited = try await EditedStore(100_000, isAttached: true)
            if count > 0 { _ = try await edited.edit() }
            try await edited.close()
            file.withLock { $0 = edited.directory }
        } teardown: {
            file.withLock { $0 = nil }
        }
    }
}

/// Registers the sending of 1,000 edits by an outbox, and of the same requests by the client alone.
///
/// All requests go to one server. A third benchmark writes the same rows without requests.
private func compareSending() {
    let configuration = Benchmark.Configuration(
        metrics: [.requestTime, .passTime, .wallClock], warmupIterations: 1,
        maxDuration: .seconds(10), maxIterations: 7)
    Benchmark("send 1k edits: Outbox", configuration: configuration) { benchmark in
        let edited = try await EditedStore(
            1_000, isAttached: true, at: try await AcceptingServer.address())
        _ = try await edited.edit()
        try await benchmark.measureSending { try await edited.drain() }
        try await edited.expect(unsent: 0)
        try await edited.close()
    }
    Benchmark("send 1k edits: HTTPClient", configuration: configuration) { benchmark in
        let client = try HTTPClient(baseURL: try await AcceptingServer.address())
        let requests = try (1...1_000).map { number in
            var fields = HTTPFields()
            fields[.contentType] = "application/json"
            return try client.request(
                .patch, at: "accepted/\(number)", headerFields: fields,
                body: .bytes(Array(#"{"name":"Contact \#(number)!"}"#.utf8)))
        }
        try await benchmark.measureSending {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for first in 0..<16 {
                    group.addTask {
                        for index in stride(from: first, to: requests.count, by: 16) {
                            let response = try await client.send(requests[index])
                            guard response.status == .noContent else {
                                throw UnexpectedRows(204, response.status.code)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
    Benchmark("send 1k edits: SQLite", configuration: configuration) { benchmark in
        let directory = try PassDirectory()
        let rows = try OutboxRows(directory, count: 1_000)
        try rows.edit()
        try await benchmark.measureSending { try rows.send(16) }
        let left = try rows.entryCount()
        guard left == 0 else { throw UnexpectedRows(0, left) }
    }
}

extension Benchmark {
    /// Runs one pass and records its wall time, and the processor time of all threads.
    fileprivate func measureSending(_ pass: () async throws -> Void) async rethrows {
        let start = ProcessorTime.ofProcess
        try await measureRequest(pass)
        measurement(.passTime, ProcessorTime.ofProcess - start)
    }
}

/// The server of the edits, which runs until the process exits.
private enum AcceptingServer {
    private static let running = Mutex<NginxServer?>(nil)

    /// Returns the address of the server, and starts it the first time.
    static func address() async throws -> String {
        if let server = running.withLock(\.self) { return server.address }
        let server = try await NginxServer(serving: [:])
        running.withLock { $0 = server }
        atexit { AcceptingServer.running.withLock { $0.take() }?.stop() }
        return server.address
    }
}

/// Creates an outbox that sends nothing before it is told to.
private func pausedOutbox(
    of store: ManagedObjectStore, at address: String = "http://127.0.0.1:9/",
    @OutboxBuilder sending entities: () -> SentEntities
) async throws -> Outbox {
    let api = try ObjectManager(baseURL: address, requestFormat: .json)
    try api.add(
        Route(Contact.self, "accepted/:id"), Route(Article.self, "accepted/:id"))
    var configuration = OutboxConfiguration()
    configuration.startsPaused = true
    configuration.concurrentRequestCount = 16
    return try await Outbox(
        store: store, manager: api, configuration: configuration, sending: entities)
}

/// A store of contacts whose names are edited, with an outbox or without.
private struct EditedStore {
    let directory: PassDirectory
    let store: ManagedObjectStore
    let outbox: Outbox?

    init(_ count: Int, isAttached: Bool, at address: String = "http://127.0.0.1:9/") async throws {
        directory = try PassDirectory()
        store = try await directory.openStore()
        try await fill(store, count)
        outbox =
            isAttached
            ? try await pausedOutbox(of: store, at: address) { Sends(Contact.self) } : nil
    }

    /// Changes the names of all contacts.
    func edit() async throws -> Int {
        let context = store.makeContext()
        for contact in try context.fetch(Contact.self) { contact.name += "!" }
        return try await context.save().updated
    }

    func drain() async throws {
        outbox?.resume()
        try await outbox?.drain()
    }

    func expect(unsent count: Int) async throws {
        let found = try await outbox?.summary().unsentCount ?? 0
        guard found == count else { throw UnexpectedRows(count, found) }
    }

    func close() async throws {
        await outbox?.close()
        try store.close()
    }
}
