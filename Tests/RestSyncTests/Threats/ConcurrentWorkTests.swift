// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// 64 tasks that concurrently load, save, cancel, iterate updates and clear the cache, over one
/// store, one client and one cache; for minutes if the environment sets a duration, as
/// `scripts/sanitize thread` does.
@Suite(.tags(.concurrency, .socket, .slow)) struct ConcurrentWorkTests {
    private static let duration = Duration.seconds(
        TestEnvironment.number("RESTKIT_MIXED_SECONDS") ?? 3.0)

    @Test func keepsStoreConsistent() async throws {
        let temporary = try await TemporaryStore()
        let all = try await LoopbackServer.run({ Self.answer($0) }) { server in
            var client = try HTTPClient(baseURL: server.baseURL)
            let directory = temporary.directory.appending(path: "cache")
            client.cache = HTTPCache(storage: try FileCacheStorage(directory: directory.path))
            let api = ObjectManager(client: client)
            try api.add(ResponseDescriptor(Issue.self, at: "issues/:id"))
            return try await work(on: temporary.store, through: api)
        }
        var total = ConcurrentWork.Counts(number: -1)
        for counts in all { total.add(counts) }
        #expect(total.loads > 0 && total.cancels > 0 && total.saves >= 64 && total.values > 0)
        // Each task's row contains what the task saved last.
        let logins = try temporary.rows("SELECT login FROM User WHERE id >= 1000 ORDER BY id")
        let saves = all.sorted { $0.number < $1.number }.map { String($0.saves) }
        #expect(logins == saves)
        let rows = try temporary.rows("SELECT id FROM Issue").compactMap { Int($0) }
        #expect(total.loadedIDs.isSubset(of: rows))
        let halves = "SELECT count(*) FROM Issue WHERE title <> state OR user IS NULL"
        #expect(try temporary.rows(halves) == ["0"])
        #expect(try temporary.rows("PRAGMA integrity_check") == ["ok"])
    }

    private func work(
        on store: ManagedObjectStore, through api: ObjectManager
    ) async throws -> [ConcurrentWork.Counts] {
        let end = ContinuousClock.now + Self.duration
        return try await withThrowingTaskGroup(of: ConcurrentWork.Counts.self) { group in
            for number in 0..<64 {
                group.addTask {
                    var work = ConcurrentWork(number: number, store: store, api: api)
                    return try await work.run(until: end)
                }
            }
            var all: [ConcurrentWork.Counts] = []
            for try await counts in group { all.append(counts) }
            return all
        }
    }

    private static let version = Atomic(0)

    /// Returns a response whose members are all of one version.
    ///
    /// Responses for notes may be cached, with a lifetime or with validation.
    @Sendable private static func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        let version = version.add(1, ordering: .relaxed).newValue
        let id = request.path.split(separator: "/").last.flatMap { Int($0) } ?? 0
        if request.path.contains("issues") {
            return .json(
                #"{"id":\#(id),"number":\#(id),"title":"v\#(version)","state":"v\#(version)","#
                    + #""created_at":"2020-01-01T00:00:00Z","user":{"id":\#(id % 7),"login":"a"}}"#)
        }
        let directives = id % 2 == 0 ? "max-age=1" : "no-cache"
        if version % 2 == 0, let tag = request.headers["if-none-match"] {
            return LoopbackResponse(status: 304, headers: [("ETag", tag)])
        }
        return .json(
            #"{"id":\#(id),"text":"v\#(version)","copy":"v\#(version)"}"#,
            headers: [("Cache-Control", directives), ("ETag", "\"\(version)\"")])
    }
}

@Mapped struct Note {
    let id: Int
    let text: String
    let copy: String
}

/// The work of one task, in random order.
private struct ConcurrentWork {
    struct Counts: Sendable {
        let number: Int
        var loads = 0
        var cancels = 0
        var saves = 0
        var values = 0
        var loadedIDs: Set<Int> = []

        mutating func add(_ other: Counts) {
            loads += other.loads
            cancels += other.cancels
            saves += other.saves
            values += other.values
            loadedIDs.formUnion(other.loadedIDs)
        }
    }

    private let store: ManagedObjectStore
    private let api: ObjectManager
    private var counts: Counts
    private var random: SplitMix64

    init(number: Int, store: ManagedObjectStore, api: ObjectManager) {
        self.store = store
        self.api = api
        counts = Counts(number: number)
        random = SplitMix64(seed: UInt64(number))
    }

    mutating func run(until end: ContinuousClock.Instant) async throws -> Counts {
        try await save()
        while ContinuousClock.now < end {
            let id = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case ..<30: try await load(id)
            case ..<55: try await cancel(id)
            case ..<75: try await save()
            case ..<97: try await follow(id)
            default: await api.client.cache?.removeAll()
            }
        }
        return counts
    }

    private mutating func load(_ id: Int) async throws {
        let result = try await api.getObjects(Issue.self, at: "issues/\(id)", into: store)
        #expect(result.objectIDs.count == 1)
        counts.loads += 1
        counts.loadedIDs.insert(id)
    }

    /// Cancels a load at a random time, which may be after its end.
    private mutating func cancel(_ id: Int) async throws {
        let load = Task { [api, store] in
            try await api.getObjects(Issue.self, at: "issues/\(id)", into: store)
        }
        try await Task.sleep(for: .microseconds(Int.random(in: 0..<3000, using: &random)))
        load.cancel()
        do {
            _ = try await load.value
            counts.loadedIDs.insert(id)
        } catch is CancellationError {
            counts.cancels += 1
        }
    }

    /// Increments the number in the task's own row.
    private mutating func save() async throws {
        let (id, saves) = (counts.number + 1000, counts.saves + 1)
        try await store.perform { context in
            let known = try context.fetch(User.self, where: { $0.id == id })
            let user = try known.first ?? context.insert(User.self)
            user.id = id
            user.login = "\(saves)"
            try context.save()
        }
        counts.saves = saves
    }

    private mutating func follow(_ id: Int) async throws {
        for try await update in api.updates(of: "notes/\(id)", as: Note.self) {
            switch update {
            case .stored(let note, _), .fresh(let note):
                #expect(note.id == id && note.text == note.copy)
                counts.values += 1
            case .loading: break
            case .failed(let error): throw error
            }
        }
    }
}
