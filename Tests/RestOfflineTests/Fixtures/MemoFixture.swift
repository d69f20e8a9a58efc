// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestKit
import RestOffline
import RestTesting
import Testing

@Entity final class Label: ManagedObject {
    @Identity var id: Int?
    var name: String = ""
}

@Entity final class Memo: ManagedObject {
    @Identity var id: Int?
    var title: String = ""
    var text: String = ""
    var changed: Int = 0
    var revision: Int = 0
    @Reference var labels: Set<Label>
}

/// A store of memos with labels, whose outbox a test declares.
@MainActor final class MemoFixture {
    let directory: URL
    let server = NoteServer()
    let store: ManagedObjectStore
    let api: ObjectManager
    let outbox: Outbox

    var context: ManagedObjectContext { store.mainContext }

    init(
        _ configuration: OutboxConfiguration = MemoFixture.paused,
        @OutboxBuilder sending entities: @Sendable () -> SentEntities
    ) async throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "MemoFixture-\(UUID().uuidString)")
        store = try await ManagedObjectStore(
            at: directory.appending(path: "memos.sqlite"), entities: Label.self, Memo.self)
        let client = try HTTPClient(
            baseURL: "https://memos.example.com/", transport: server.transport)
        api = try ObjectManager(client: client, requestFormat: .json)
        try api.add(
            Route(Memo.self, "memos", methods: .post), Route(Memo.self, "memos/:id"),
            Route(Label.self, "labels", methods: .post), Route(Label.self, "labels/:id"))
        outbox = try await Outbox(
            store: store, manager: api, configuration: configuration, sending: entities)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// A configuration that sends nothing before the outbox is resumed.
    nonisolated static var paused: OutboxConfiguration {
        var configuration = OutboxConfiguration()
        configuration.baseDelay = .milliseconds(1)
        configuration.maximumDelay = .milliseconds(5)
        configuration.longestRequestLife = .milliseconds(20)
        configuration.startsPaused = true
        return configuration
    }

    func save() throws { try context.save() }

    /// Loads all memos, and returns one.
    func load(_ id: Int) async throws -> Memo {
        _ = try await api.getObjects(Memo.self, at: "memos", in: context)
        return try #require(try context.first(Memo.self, where: { $0.id == id }))
    }

    /// Loads a memo that the server has.
    func load(_ id: Int, _ values: [String: NoteServer.Value]) async throws -> Memo {
        server.put("memos", id, values)
        return try await load(id)
    }

    /// Loads labels that the server has, and returns them in the order of their IDs.
    func loadLabels(_ ids: ClosedRange<Int>) async throws -> [Label] {
        for id in ids { server.put("labels", id, ["name": .text("L\(id)")]) }
        _ = try await api.getObjects(Label.self, at: "labels", in: context)
        return try context.fetch(Label.self).sorted { ($0.id ?? 0) < ($1.id ?? 0) }
    }

    /// Sends what can be sent, and takes the commits.
    func send() async throws {
        outbox.resume()
        try await outbox.drain()
        context.refreshAllObjects()
    }

    /// The requests of a method.
    func requests(_ method: String) -> [String] {
        server.requests.filter { $0.hasPrefix("\(method) ") }
    }

    /// Returns the rows of a query by another connection, one line each.
    func rows(_ sql: String) throws -> [String] {
        try StoredLines.read(store.url, sql)
    }

    /// The entries in the file, with entity, kind and state.
    func entries() throws -> [String] {
        try rows("SELECT entity, kind, state FROM restkit_entry ORDER BY sequence")
    }
}

/// The rows of a file as text.
enum StoredLines {
    /// Returns the rows of a query by another connection, one line each.
    static func read(_ file: URL, _ sql: String) throws -> [String] {
        try DatabaseQueue(path: file.path).read { database in
            try Row.fetchAll(database, sql: sql).map { row in
                row.databaseValues.map {
                    $0.isNull ? "-" : String(describing: $0.storage.value ?? "")
                }.joined(separator: "|")
            }
        }
    }
}
