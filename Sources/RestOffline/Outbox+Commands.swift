// SPDX-License-Identifier: Apache-2.0

import RestNetworking
import RestOutbox
public import RestPersistence
import RestTransport

extension Outbox {
    /// Adds a request that is no edit, such as a cancellation, behind the edits of an object.
    ///
    /// ```swift
    /// try await outbox.enqueue(.post("orders/:id/cancel"), for: order, expires: .minutes(10))
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - object: The object, whose values fill the path; a saved one.
    ///   - lifetime: The time after which the request is not begun any more; `nil` for no limit.
    /// - Returns: The entry.
    /// - Throws: ``OutboxError`` with code `unknownObject`; `PersistenceError` of the store.
    @discardableResult
    public func enqueue(
        _ request: OutboxRequest, for object: ManagedObject, expires lifetime: Duration? = nil
    ) async throws -> OutboxEntryID {
        let sequence = try await add(request, for: object.objectID, expires: lifetime)
        guard let sequence else {
            throw OutboxError(.unknownObject, "the object is not in the store")
        }
        return OutboxEntryID(sequence: sequence)
    }

    /// Sends a request that is no edit now, or not at all, such as a payment.
    ///
    /// ```swift
    /// try await outbox.sendNow(.post("orders/:id/pay"), for: order)
    /// ```
    ///
    /// It is not sent later by itself: it fails if it cannot be sent now. If its answer is lost, the entry is
    /// uncertain, and stays until the user decides.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - object: The object, whose values fill the path; a saved one, without edits that were not sent yet.
    /// - Throws: ``OutboxError`` with code `notSent` if the outbox is paused, edits of the object wait, the server
    ///   cannot be reached, or it does not accept the request at this time; `refused` with the answer, `uncertain`,
    ///   or `unknownObject`; `CancellationError`; `PersistenceError` of the store.
    public func sendNow(_ request: OutboxRequest, for object: ManagedObject) async throws {
        let id = object.objectID
        guard !sender.isPaused, !sender.unauthorized.contains(manager.client.principal) else {
            throw OutboxError(.notSent, "the outbox is paused, or waits for valid credentials")
        }
        guard let sequence = try await add(request, for: id, isQueued: false) else {
            throw OutboxError(.notSent, "edits of the object wait, or it is not in the store")
        }
        let entry = OutboxEntryID(sequence: sequence)
        for await _ in sender.changesNow {
            let (state, outcome) = try await read { (tables) throws(PersistenceError) in
                (try tables.state(ofEntry: sequence), try tables.outcome(ofEntry: sequence))
            }
            switch (state, outcome) {
            case (nil, "accepted"?), (nil, "merged"?): return
            case (nil, _): throw OutboxError(.notSent, "the server cannot be reached")
            case (.refused(let problem)?, _):
                _ = try? await discard(entry)
                throw OutboxError(.refused, "the request was refused", problem: problem)
            case (.uncertain?, _):
                throw OutboxError(.uncertain, "the answer of the server is not known")
            default: continue
            }
        }
        _ = try? await discard(entry)
        throw CancellationError()
    }

    /// Adds a command, and its files.
    ///
    /// - Returns: The number of the entry; `nil` if there is no such object, or something waits before a command
    ///   that is not queued.
    private func add(
        _ request: OutboxRequest, for id: ManagedObjectID, expires lifetime: Duration? = nil,
        isQueued: Bool = true
    ) async throws -> Int64? {
        let edited = try editedObject(id)
        let files = recorder.files
        let staged = try await files.stage(request.form)
        defer { staged.remove() }
        let command = request.command(staged.parts, isQueued: isQueued)
        let principal = manager.client.principal
        let rules = recorder.rules
        let layout = id.layout
        let action = QueueAction<Int64?>(edited) { (queue, context) throws(PersistenceError) in
            guard let edited = context.object,
                let declaration = rules.declarations[edited.entity]
            else { return nil }
            if let known = queue.objects[edited] {
                let isQuiet = known.quietUntil.map { $0 <= context.date } ?? true
                if !isQueued, !known.entries.isEmpty || !isQuiet { return nil }
            } else {
                let rows = try context.tables.localRows([edited])
                guard let (image, row) = rows[edited.key] else { return nil }
                let facts = RowFacts(row, layout, declaration)
                queue.add(
                    edited, image, identity: facts.identity ?? .null, version: facts.version)
            }
            try files.keep(staged)
            return queue.enqueue(
                command, of: edited, expires: lifetime.map { context.date.adding($0) },
                by: principal)
        }
        try await perform(action)
        return action.result ?? nil
    }
}

extension OutboxTables {
    /// Returns the state of an entry; `nil` if it has ended.
    fileprivate func state(ofEntry sequence: Int64) throws(PersistenceError) -> SyncState? {
        let statement = try PreparedStatement(
            "SELECT state, detail, problem FROM \(Self.entries) WHERE sequence = ?1", in: database)
        try statement.bind(.integer(sequence), at: 1)
        guard try statement.step() else { return nil }
        return Self.state(
            StateText(statement.text(0), statement.optionalInteger(1)), statement.value(2))
    }

    fileprivate func outcome(ofEntry sequence: Int64) throws(PersistenceError) -> String? {
        let statement = try PreparedStatement(
            "SELECT outcome FROM \(Self.outcomes) WHERE sequence = ?1", in: database)
        try statement.bind(.integer(sequence), at: 1)
        return try statement.step() ? statement.text(0) : nil
    }
}
