// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestKit
import RestOffline
import RestTesting
import TestSupport
import Testing

/// A store in a directory of its own with an outbox, and the server of it.
@MainActor final class OfflineFixture {
    /// The declarations of an outbox.
    typealias Declaration = @Sendable () -> SentEntities

    let directory: URL
    let server: SimulatedAPI
    private(set) var store: ManagedObjectStore
    private(set) var api: ObjectManager
    private(set) var outbox: Outbox
    private let clock: any TransportClock
    private let declare: Declaration

    var context: ManagedObjectContext { store.mainContext }

    nonisolated static var quick: OutboxConfiguration {
        var configuration = OutboxConfiguration()
        configuration.baseDelay = .milliseconds(1)
        configuration.maximumDelay = .milliseconds(5)
        configuration.longestRequestLife = .milliseconds(20)
        return configuration
    }

    /// A configuration that sends nothing before the outbox is resumed.
    nonisolated static var paused: OutboxConfiguration {
        var configuration = quick
        configuration.startsPaused = true
        return configuration
    }

    /// Creates a fixture whose outbox a test declares.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the outbox.
    ///   - behavior: The rules of the server.
    ///   - principal: The principal of the requests.
    ///   - clock: The clock of the client.
    ///   - serverClock: The clock of the server.
    ///   - declare: The declarations.
    /// - Throws: The errors of opening the store and of the outbox.
    init(
        _ configuration: OutboxConfiguration = OfflineFixture.quick,
        behavior: SimulatedAPI.Behavior = SimulatedAPI.Behavior(), principal: Principal? = nil,
        clock: any TransportClock = .system, serverClock: any TransportClock = .system,
        @OutboxBuilder sending declare: @escaping Declaration
    ) async throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "RestOfflineTests-\(UUID().uuidString)")
        server = SimulatedAPI(behavior, clock: serverClock)
        self.clock = clock
        self.declare = declare
        store = try await Self.open(directory)
        api = try Self.manager(server, principal, clock: clock)
        outbox = try await Outbox(
            store: store, manager: api, configuration: configuration, sending: declare)
    }

    /// Creates a fixture with notes, folders, photos and people.
    convenience init(
        _ configuration: OutboxConfiguration = OfflineFixture.quick,
        behavior: SimulatedAPI.Behavior = SimulatedAPI.Behavior(), principal: Principal? = nil,
        clock: any TransportClock = .system, serverClock: any TransportClock = .system,
        creation: CreationRule = .idempotencyKey(lifetime: .seconds(3600))
    ) async throws {
        try await self.init(
            configuration, behavior: behavior, principal: principal, clock: clock,
            serverClock: serverClock, sending: Self.declaration(creation))
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Ends the outbox and the store without waiting, and opens the file again.
    func restart(
        _ configuration: OutboxConfiguration = OfflineFixture.quick, principal: Principal? = nil,
        creation: CreationRule? = nil
    ) async throws {
        await outbox.close()
        try store.close()
        store = try await Self.open(directory)
        api = try Self.manager(server, principal, clock: clock)
        outbox = try await Outbox(
            store: store, manager: api, configuration: configuration,
            sending: creation.map(Self.declaration) ?? declare)
    }

    nonisolated static func open(_ directory: URL) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: directory.appending(path: "notes.sqlite"), entities: Folder.self, Note.self,
            Photo.self, Person.self, Label.self, Memo.self, Draft.self)
    }

    static func manager(
        _ server: SimulatedAPI, _ principal: Principal?, clock: any TransportClock = .system
    ) throws -> ObjectManager {
        var client = try HTTPClient(
            baseURL: "https://notes.example.com/", transport: server)
        client.principal = principal
        client.clock = clock
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
            Route(Person.self, "people/:id"), Route(Memo.self, "memos", methods: .post),
            Route(Memo.self, "memos/:id"), Route(Label.self, "labels", methods: .post),
            Route(Label.self, "labels/:id"), Route(Draft.self, "drafts", methods: .post),
            Route(Draft.self, "drafts/:id"))
        try api.add(RequestDescriptor(RequestMapping(for: Draft.self, ["reference", "title"])))
    }

    /// Returns the declarations of notes, folders, photos and people.
    private nonisolated static func declaration(_ creation: CreationRule) -> Declaration {
        { entities(creation) }
    }

    @OutboxBuilder private nonisolated static func entities(
        _ creation: CreationRule
    ) -> SentEntities {
        Sends(Folder.self).creation(creation)
        Sends(Note.self).precondition(.version(\.revision)).creation(creation)
        Sends(Photo.self).creation(.clientIdentity)
        Sends(Person.self).creation(creation)
    }

    nonisolated static func outbox(
        _ store: ManagedObjectStore, _ api: ObjectManager, _ configuration: OutboxConfiguration,
        _ creation: CreationRule
    ) async throws -> Outbox {
        try await Outbox(
            store: store, manager: api, configuration: configuration,
            sending: declaration(creation))
    }

    /// Returns a new fixture with a note that the server has, with ID 1 and title A.
    static func withNote(
        _ configuration: OutboxConfiguration = OfflineFixture.quick, principal: Principal? = nil
    ) async throws -> (fixture: OfflineFixture, note: Note) {
        let fixture = try await OfflineFixture(configuration, principal: principal)
        return (fixture, try await fixture.load(1, ["title": "A"]))
    }

    /// Returns a new fixture with drafts, whose representations have their entity tags and dates, and which are
    /// searched by their references.
    static func drafts(
        _ configuration: OutboxConfiguration = OfflineFixture.quick,
        clock: any TransportClock = .system, serverClock: any TransportClock = .system,
        _ declare: @escaping @Sendable (Sends<Draft>) -> Sends<Draft>
    ) async throws -> OfflineFixture {
        var behavior = SimulatedAPI.Behavior()
        behavior.tagMember = "etag"
        behavior.modificationMember = "updated"
        behavior.searchMembers = ["reference"]
        behavior.keyMember = "token"
        return try await OfflineFixture(
            configuration, behavior: behavior, clock: clock, serverClock: serverClock
        ) { declare(Sends(Draft.self)) }
    }

    // MARK: The server

    /// Loads a collection, and returns an object of it.
    @discardableResult func reload<Object: CollectionEntity>(
        _ type: Object.Type, _ id: Int
    ) async throws -> Object {
        _ = try await api.getObjects(type, at: Object.collection, in: context)
        context.refreshAllObjects()
        return try #require(try context.fetch(type).first { $0.number == id })
    }

    /// Loads an object that the server has.
    func load<Object: CollectionEntity>(
        _ type: Object.Type, _ id: Int, _ members: [String: Document], version: Int = 1
    ) async throws -> Object {
        server.put(Object.collection, id, members, version: version)
        return try await reload(type, id)
    }

    /// Loads a note that the server has.
    func load(_ id: Int, _ members: [String: Document]) async throws -> Note {
        try await load(Note.self, id, members)
    }

    /// Loads a draft that the server has.
    func loadDraft(_ id: Int, _ title: String, version: Int = 1) async throws -> Draft {
        try await load(
            Draft.self, id, ["title": .string(title), "reference": ""], version: version)
    }

    /// Loads labels that the server has, and returns them in the order of their IDs.
    func loadLabels(_ ids: ClosedRange<Int>) async throws -> [Label] {
        for id in ids { server.put("labels", id, ["name": .string("L\(id)")]) }
        try await reload(Label.self, ids.lowerBound)
        return try context.fetch(Label.self).sorted { ($0.id ?? 0) < ($1.id ?? 0) }
    }

    /// The requests of some methods: method, path and body in one line.
    func requests(_ methods: String...) -> [String] {
        server.requests.filter { line in methods.contains { line.hasPrefix("\($0) ") } }
    }

    /// The requests of some methods: method, path, query and the fields of conditions in one line.
    func conditions(_ methods: String...) -> [String] {
        server.received.filter { methods.contains($0.method.rawValue) }.map { request in
            var line = "\(request.method.rawValue) \(request.path)"
            if !request.query.isEmpty { line += "?\(request.query)" }
            for name in [HTTPField.Name.ifMatch, .ifUnmodifiedSince] {
                if let value = request.headerFields[name] {
                    line += " \(name.rawName): \(value)"
                }
            }
            return line
        }
    }

    /// The bodies of the requests that have one.
    var bodies: [String] {
        server.received.filter { !$0.body.isEmpty }.map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Returns a gate that requests of a method pass before they are executed.
    func gate(before method: HTTPRequest.Method) -> Gate {
        let gate = Gate()
        server.hold { request in if request.method == method { await gate.pass() } }
        return gate
    }

    /// Returns a gate that the answers to requests of a method pass.
    func gate(after method: HTTPRequest.Method) -> Gate {
        let gate = Gate()
        server.holdAnswers { request in if request.method == method { await gate.pass() } }
        return gate
    }

    // MARK: The outbox

    /// The first entry.
    var entry: OutboxItem {
        get async throws { try #require(try await outbox.entries().first) }
    }

    /// Returns the problem of an object whose entry was refused.
    func problem(of object: ManagedObject) async throws -> OutboxProblem {
        let outcome = try await outbox.outcome(of: object)
        guard case .refused(let problem) = outcome else {
            Issue.record("the outcome is \(outcome)")
            throw CancellationError()
        }
        return problem
    }

    // MARK: The store

    func save() throws { try context.save() }

    /// Sends what can be sent, reads what the server has not shown, and takes the commits.
    func send() async throws {
        outbox.resume()
        try await outbox.settle()
        context.refreshAllObjects()
    }

    /// Returns the number of objects of an entity in the store.
    func count<Object: ManagedEntity>(_ type: Object.Type) throws -> Int {
        context.refreshAllObjects()
        return try context.fetch(type).count
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
}
