// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
public import RestNetworking
import RestOutbox
public import RestPersistence
import RestSync
import RestTransport
import Synchronization

/// The unsent edits of a store, which are sent to a server in order and once.
///
/// ```swift
/// let outbox = try await Outbox(store: store, manager: api) {
///     Sends(Note.self).precondition(.version(\.revision)).creation(.idempotencyKey(lifetime: day))
///     Sends(Photo.self).creation(.clientIdentity)
/// }
/// note.text = "Offline"
/// try await store.mainContext.save()          // an edit is an edit
/// switch try await outbox.outcome(of: note) { … }
/// ```
///
/// From then on each save of a declared entity, in any context of the store, adds to what is sent, in the same
/// transaction. The requests are those of the manager: its routes, request descriptors and credentials.
/// `api.patch(note)` saves the note, sends it at once and waits for the answer.
///
/// All processes that save into the file attach an outbox. One of them sends at a time.
///
/// The identity of the sender of a store. It runs until ``close()``, or until it is released.
public final class Outbox: Sendable {
    /// The store.
    public let store: ManagedObjectStore
    /// The manager, whose outbox this is.
    public let manager: ObjectManager

    let recorder: OutboxRecorder
    let sender: OutboxSender
    /// The way of the requests of objects, which the manager does not retain.
    private let route: OutboxRoute
    private let task: Task<Void, Never>
    /// The task that notifies the observers of the states of objects.
    private let observation: Task<Void, Never>

    /// Creates the outbox of a store and begins to send.
    ///
    /// The tables of the outbox are added to the file if it has none.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - manager: The manager, with the routes and request descriptors of the entities.
    ///   - configuration: The configuration.
    ///   - entities: The entities whose edits are sent.
    /// - Throws: ``OutboxError`` with code `invalidDeclaration`; `PersistenceError` of the store.
    public init(
        store: ManagedObjectStore, manager: ObjectManager,
        configuration: OutboxConfiguration = OutboxConfiguration(),
        @OutboxBuilder sending entities: () -> SentEntities
    ) async throws {
        let declarations = try entities().declarations(store.model, manager).filter(\.isQueued)
        let sent: SentModel
        do {
            sent = try SentModel(declarations.map(\.entity))
        } catch {
            throw OutboxError(
                .invalidDeclaration,
                "required relationships form a circle, of which no object can be sent first: "
                    + error.entities.joined(separator: ", "))
        }
        try Self.check(configuration.batch, of: manager)
        let rules = OutboxRules(
            model: store.model, sent: sent,
            declarations: Dictionary(declarations.map { ($0.entity.name, $0) }) { $1 },
            timing: configuration.timing,
            answers: AnswerTable(
                Dictionary(declarations.map { ($0.entity.name, $0.answers) }) { $1 }),
            policy: configuration.conflictPolicy.policy,
            keptMergeCount: configuration.keptMergeCount,
            random: OutboxRandom(number: configuration.randomNumber))
        self.store = store
        self.manager = manager
        let content = store.content
        let files = OutboxFiles(
            UnsentEdits.filesDirectory(of: content.database.path))
        recorder = OutboxRecorder(rules, files: files, clock: manager.client.clock) {
            [weak manager] in manager?.client.principal
        }
        try content.database.write { try OutboxTables.create(in: $0) }
        try content.database.write { [recorder] in
            try recorder.tables($0).quarantine()
            try files.removeUnused(recorder.tables($0))
        }
        store.attach(recorder)
        let sender = OutboxSender(content, manager, recorder, configuration)
        self.sender = sender
        task = Task { await sender.run() }
        let changes = sender.changesNow
        recorder.observers.setNotice { [weak sender] in sender?.signal.send() }
        observation = Task { [recorder] in
            for await _ in changes { await recorder.observers.update(recorder, store) }
        }
        route = OutboxRoute(store, recorder, sender)
        manager.outbox = route
        manager.register(OutboxTransport(of: manager)) { _ in OutboxTransport.isNeeded }
    }

    private static func check(
        _ batch: OutboxBatch?, of manager: ObjectManager
    ) throws(OutboxError) {
        guard let batch else { return }
        do {
            _ = try manager.request(.post, at: batch.path)
        } catch {
            throw OutboxError(.invalidDeclaration, "the path of the batch endpoint is not valid")
        }
    }

    deinit {
        task.cancel()
        observation.cancel()
    }

    /// Stops sending and waits for the requests in progress; saves are still recorded.
    public func close() async {
        sender.close()
        await task.value
    }

    // MARK: Sending

    /// Stops beginning requests; those in progress are answered.
    public func pause() { sender.setPaused(true) }

    /// Begins requests again, those of a user too whose credentials the server did not accept.
    public func resume() {
        sender.wake(authorizing: manager.client.principal)
        sender.setPaused(false)
    }

    /// Waits until nothing can be sent at this time: all edits are sent, or wait for the user, for others, or for
    /// a delay after a failure.
    ///
    /// It does not wait for the objects that the outbox reads afterwards, because the server has accepted their edits
    /// without showing the result.
    ///
    /// - Throws: `CancellationError`; `PersistenceError` of the store.
    @discardableResult
    public func drain() async throws -> OutboxSummary {
        sender.wake()
        for await _ in sender.changesNow where sender.isIdle { break }
        try Task.checkCancellation()
        return try await summary()
    }

    /// Waits until, besides, all objects are read that the server has not shown after their edits.
    ///
    /// - Throws: An error of ``drain()``.
    package func settle() async throws {
        sender.wake()
        for await _ in sender.changesNow where sender.isSettled { break }
        try Task.checkCancellation()
    }

    // MARK: The user's decisions

    /// Sends an entry again that waits for the user.
    ///
    /// - Throws: ``OutboxError`` with code `unknownEntry` if it has ended.
    public func retry(_ entry: OutboxEntryID) async throws {
        let object = try await object(of: entry)
        try await perform(
            QueueAction<Void>(object) { (queue, context) throws(PersistenceError) in
                if let object = context.object { queue.retry(object) }
            })
    }

    // MARK: Internal

    func editedObject(_ id: ManagedObjectID) throws(OutboxError) -> EditedObject {
        guard recorder.rules.sent.entities[id.entityName] != nil else {
            throw OutboxError(.unknownObject, "the outbox does not send \(id.entityName)")
        }
        let key = store.content.database.currentKey(of: id.key)
        return EditedObject(entity: id.entityName, key: key)
    }

    func object(of entry: OutboxEntryID) async throws -> EditedObject {
        let found = try await read { (tables) throws(PersistenceError) -> EditedObject? in
            let statement = try PreparedStatement(
                "SELECT entity, key FROM \(OutboxTables.entries) WHERE sequence = ?1",
                in: tables.database)
            try statement.bind(.integer(entry.sequence), at: 1)
            guard try statement.step() else { return nil }
            return EditedObject(entity: statement.text(0), key: statement.integer(1))
        }
        guard let found else { throw OutboxError(.unknownEntry, "the entry has ended") }
        return found
    }

    func perform(_ action: any OutboxAction) async throws {
        try await store.content.perform(action)
        sender.wake()
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (OutboxTables) throws(PersistenceError) -> Result
    ) async throws -> Result {
        try await store.content.database.readSnapshot { [recorder] in
            try body(recorder.tables($0))
        }
    }
}

/// The identity of an entry of an outbox.
public struct OutboxEntryID: Sendable, Hashable {
    let sequence: Int64
}

extension OutboxSender {
    /// The changes from now on, beginning with the present state.
    var changesNow: AsyncStream<Void> {
        let changes = signal.changes
        signal.send()
        return changes
    }
}
