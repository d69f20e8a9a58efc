// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestKit
import RestOffline
import RestTesting
import Testing

@Entity final class Folder: ManagedObject {
    @Identity var id: Int?
    var name: String = ""
    @Inverse(\Note.folder) var notes: Set<Note>
}

@Entity final class Note: ManagedObject {
    @Identity var id: Int?
    var title: String = ""
    var text: String = ""
    var revision: Int = 0
    var folder: Folder?
}

@Entity final class Photo: ManagedObject {
    @Identity var id: Int
    var name: String = ""
}

@Entity final class Person: ManagedObject {
    @Identity var id: Int?
    var name: String = ""
    var friend: Person?
    @Inverse(\Person.friend) var admirers: Set<Person>
}

/// A store in a directory of its own with an outbox, and the server of it.
@MainActor final class OfflineFixture {
    let directory: URL
    let server: SimulatedAPI
    private(set) var store: ManagedObjectStore
    private(set) var api: ObjectManager
    private(set) var outbox: Outbox
    private let configuration: OutboxConfiguration

    var context: ManagedObjectContext { store.mainContext }

    static var quick: OutboxConfiguration {
        var configuration = OutboxConfiguration()
        configuration.baseDelay = .milliseconds(1)
        configuration.maximumDelay = .milliseconds(5)
        configuration.longestRequestLife = .milliseconds(20)
        return configuration
    }

    init(
        _ configuration: OutboxConfiguration = OfflineFixture.quick, principal: Principal? = nil,
        creation: CreationRule = .idempotencyKey(lifetime: .seconds(3600))
    ) async throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "RestOfflineTests-\(UUID().uuidString)")
        server = SimulatedAPI()
        self.configuration = configuration
        store = try await Self.open(directory)
        api = try Self.manager(server, principal)
        outbox = try await Self.outbox(store, api, configuration, creation)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Ends the outbox and the store without waiting, and opens the file again.
    func restart(
        _ configuration: OutboxConfiguration = OfflineFixture.quick, principal: Principal? = nil,
        creation: CreationRule = .idempotencyKey(lifetime: .seconds(3600))
    ) async throws {
        await outbox.close()
        try store.close()
        store = try await Self.open(directory)
        api = try Self.manager(server, principal)
        outbox = try await Self.outbox(store, api, configuration, creation)
    }

    nonisolated static func open(_ directory: URL) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: directory.appending(path: "notes.sqlite"), entities: Folder.self, Note.self,
            Photo.self, Person.self)
    }

    static func manager(_ server: SimulatedAPI, _ principal: Principal?) throws -> ObjectManager {
        var client = try HTTPClient(
            baseURL: "https://notes.example.com/", transport: server)
        client.principal = principal
        client.defaultHeaders[.authorization] = "secret-token"
        let api = try ObjectManager(client: client, requestFormat: .json)
        try addRoutes(to: api)
        return api
    }

    nonisolated static func addRoutes(to api: ObjectManager) throws {
        try api.add(
            Route(Note.self, "notes", methods: .post), Route(Note.self, "notes/:id"),
            Route(Folder.self, "folders", methods: .post), Route(Folder.self, "folders/:id"),
            Route(Photo.self, "photos/:id"), Route(Person.self, "people", methods: .post),
            Route(Person.self, "people/:id"))
    }

    nonisolated static func outbox(
        _ store: ManagedObjectStore, _ api: ObjectManager, _ configuration: OutboxConfiguration,
        _ creation: CreationRule
    ) async throws -> Outbox {
        try await Outbox(store: store, manager: api, configuration: configuration) {
            Sends(Folder.self).creation(creation)
            Sends(Note.self).precondition(.version(\.revision)).creation(creation)
            Sends(Photo.self).creation(.clientIdentity)
            Sends(Person.self).creation(creation)
        }
    }

    /// Returns the rows of a query by another connection, one line each.
    func rows(_ sql: String) throws -> [String] {
        try DatabaseQueue(path: store.url.path).read { database in
            try Row.fetchAll(database, sql: sql).map { row in
                row.databaseValues.map {
                    $0.isNull ? "-" : String(describing: $0.storage.value ?? "")
                }.joined(separator: "|")
            }
        }
    }

    /// Runs a statement by another connection.
    func execute(_ sql: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        try DatabaseQueue(path: store.url.path, configuration: configuration)
            .write { try $0.execute(sql: sql) }
    }

    /// The entries in the file, with kind and state.
    func entries() throws -> [String] {
        try rows("SELECT entity, kind, state FROM restkit_entry ORDER BY sequence")
    }

    func save() throws { try context.save() }

    /// Returns a new fixture with a note that the server has, with ID 1 and title A.
    static func withNote(
        _ configuration: OutboxConfiguration = OfflineFixture.quick, principal: Principal? = nil
    ) async throws -> (fixture: OfflineFixture, note: Note) {
        let fixture = try await OfflineFixture(configuration, principal: principal)
        return (fixture, try await fixture.load(1, ["title": .string("A")]))
    }

    /// Loads a note that the server has.
    func load(_ id: Int, _ values: [String: Document]) async throws -> Note {
        server.put("notes", id, values)
        _ = try await api.getObjects(Note.self, at: "notes", in: context)
        let note = try context.first(Note.self, where: { $0.id == id })
        return try #require(note)
    }
}
