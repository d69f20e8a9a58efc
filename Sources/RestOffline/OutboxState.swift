// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RestOutbox
public import RestPersistence

/// The relation of an object to the server.
public enum SyncState: Sendable, Hashable {
    /// The server has all edits.
    case synced
    /// Edits wait for their turn.
    case waiting
    /// A request is on its way.
    case sending
    /// The server has refused the request; the edits wait for the user.
    case refused(OutboxProblem)
    /// The answer is lost, so that it is not known whether the server has executed the request.
    case uncertain
    /// The server has other values, and no policy decides.
    case conflicted
}

/// The end of the edits of an object.
public enum OutboxOutcome: Sendable, Hashable {
    /// The server has them.
    case accepted
    /// The server had changed some of the properties as well, with these names, and the policy has decided; see
    /// ``Outbox/merges()``.
    case merged(Set<String>)
    /// The server has refused them; they are kept.
    case refused(OutboxProblem)
    /// The answer is lost, so that it is not known whether the server has them.
    case uncertain
    /// The server has other values, and no policy decides.
    case conflicted
    /// The edits were discarded.
    case discarded
    /// The edits have expired.
    case expired
}

/// An entry of an outbox.
public struct OutboxItem: Sendable, Identifiable {
    /// A kind of entry, open to additions in future versions.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// A new object.
        public static let creation = Kind(description: "creation")
        /// Changed values.
        public static let update = Kind(description: "update")
        /// The deletion of an object.
        public static let deletion = Kind(description: "deletion")
        /// A request that is no edit.
        public static let command = Kind(description: "command")
    }

    /// The identity of the entry.
    public let id: OutboxEntryID
    /// The object.
    public let objectID: ManagedObjectID
    /// The kind.
    public let kind: Kind
    /// The time at which it was saved.
    public let created: Date
    /// The state.
    public let state: SyncState
    /// A Boolean value that indicates whether the entry cannot be read or sent with the present model.
    public let isQuarantined: Bool
    /// The values of the entry as JSON; `nil` if they are those of the object.
    public let values: String?
}

/// The numbers of the entries of an outbox.
public struct OutboxSummary: Sendable, Hashable {
    /// The number of entries that the server has not accepted, refused ones included.
    public internal(set) var unsentCount = 0
    /// The number of entries that were refused or are in conflict.
    public internal(set) var refusedCount = 0
    /// The number of entries of which it is not known whether the server has executed the request.
    public internal(set) var uncertainCount = 0
    /// The number of entries that cannot be read or sent with the present model.
    public internal(set) var quarantinedCount = 0
}

extension Outbox {
    /// Returns the relation of an object to the server.
    ///
    /// - Throws: ``OutboxError`` with code `unknownObject`; `PersistenceError` of the store.
    public func state(of object: ManagedObject) async throws -> SyncState {
        try await state(of: object.objectID)
    }

    /// Returns the relation of the object with an ID to the server.
    ///
    /// - Throws: An error of ``state(of:)-(ManagedObject)``.
    public func state(of id: ManagedObjectID) async throws -> SyncState {
        let object = try editedObject(id)
        return try await read { (tables) throws(PersistenceError) in
            try tables.firstState(of: object.key) ?? .synced
        }
    }

    /// Returns the states of an object from now on, beginning with the present one.
    ///
    /// The sequence ends when the outbox is closed.
    public func states(of object: ManagedObject) throws -> AsyncThrowingStream<SyncState, any Error>
    {
        let id = object.objectID
        _ = try editedObject(id)
        return stream { try await $0.state(of: id) }
    }

    /// The summaries from now on, beginning with the present one.
    public var summaries: AsyncThrowingStream<OutboxSummary, any Error> {
        stream { try await $0.summary() }
    }

    private func stream<Value: Sendable & Equatable>(
        _ value: @escaping @Sendable (Outbox) async throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        let changes = sender.changesNow
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task { [weak self] in
            var last: Value?
            for await _ in changes {
                guard let self else { break }
                do {
                    let new = try await value(self)
                    if new == last { continue }
                    last = new
                    continuation.yield(new)
                } catch {
                    continuation.finish(throwing: error)
                    return
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Returns the numbers of entries.
    ///
    /// - Throws: `PersistenceError` of the store.
    public func summary() async throws -> OutboxSummary {
        try await read { (tables) throws(PersistenceError) in try tables.summary() }
    }

    /// Returns the end of the edits of an object: waits until the server has answered, or the user must
    /// decide.
    ///
    /// - Throws: `CancellationError`; ``OutboxError`` with code `unknownObject`; `PersistenceError` of the store.
    public func outcome(of object: ManagedObject) async throws -> OutboxOutcome {
        try await outcome(of: object.objectID)
    }

    /// Returns what becomes of the edits of the object with an ID.
    ///
    /// - Throws: An error of ``outcome(of:)-(ManagedObject)``.
    public func outcome(of id: ManagedObjectID) async throws -> OutboxOutcome {
        _ = try editedObject(id)
        return try await sender.outcome(of: id)
    }

    /// Returns the entries in the order in which they were saved.
    ///
    /// - Throws: `PersistenceError` of the store.
    public func entries() async throws -> [OutboxItem] {
        let (model, identity) = (store.model, store.identity)
        return try await read { (tables) throws(PersistenceError) in
            try tables.items(in: model, store: identity)
        }
    }

    /// Returns the entries of an object in the order in which they are sent.
    ///
    /// - Throws: An error of ``entries()``.
    public func entries(of object: ManagedObject) async throws -> [OutboxItem] {
        let edited = try editedObject(object.objectID)
        return try await entries().filter { $0.objectID.key == edited.key }
    }
}

extension OutboxSender {
    /// Returns what becomes of the edits of an object.
    func outcome(of id: ManagedObjectID) async throws -> OutboxOutcome {
        for await _ in changesNow {
            let key = content.database.currentKey(of: id.key)
            let recorder = recorder
            let (state, outcome) = try await content.database.readSnapshot { database in
                let tables = recorder.tables(database)
                return (try tables.firstState(of: key), try tables.lastOutcome(of: key))
            }
            switch state {
            case nil: return outcome ?? .accepted
            case .refused(let problem): return .refused(problem)
            case .uncertain: return .uncertain
            case .conflicted: return .conflicted
            case .synced, .waiting, .sending: continue
            }
        }
        throw CancellationError()
    }
}
