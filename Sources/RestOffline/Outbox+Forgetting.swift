// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestPersistence
public import RestTransport

extension Outbox {
    /// Returns the number of entries of a principal that were not accepted yet, refused and quarantined ones
    /// included.
    ///
    /// - Parameter principal: The principal under which they were saved; `nil` for those of nobody.
    /// - Returns: The number.
    /// - Throws: `PersistenceError` of the store.
    public func unsentCount(of principal: Principal?) async throws -> Int {
        try await read { (tables) throws(PersistenceError) in
            try tables.sequences(of: principal).count
        }
    }

    /// Removes the entries of a principal, such as before a user signs out.
    ///
    /// Objects have the values again that they had before the edits, unless edits of others follow. Export the
    /// edits before, by `ManagedObjectStore.exportUnsentEdits(byteLimit:)`. A deletion whose
    /// request may be executed is forgotten without being undone.
    ///
    /// - Parameters:
    ///   - principal: The principal under which the entries were saved; `nil` for those of nobody.
    ///   - discardsUnsentEdits: A Boolean value that indicates whether entries may be lost, refused ones included;
    ///     `false` by default.
    /// - Returns: The number of removed entries.
    /// - Throws: ``OutboxError`` with code `unsentEdits` if there are entries, and they may not be lost;
    ///   `PersistenceError` of the store.
    @discardableResult
    public func forget(
        _ principal: Principal?, discardsUnsentEdits: Bool = false
    ) async throws -> Int {
        let count = try await unsentCount(of: principal)
        if count == 0 { return 0 }
        guard discardsUnsentEdits else {
            throw OutboxError(
                .unsentEdits,
                "\(count) edits were not sent: send or export them, or discard them explicitly")
        }
        let sequences = try await read { (tables) throws(PersistenceError) in
            try tables.sequences(of: principal)
        }
        // The last ones first, so that each is the last entry of its object of this principal.
        for sequence in sequences.reversed() {
            do {
                try await discard(OutboxEntryID(sequence: sequence))
            } catch let error as OutboxError
                where [.inProgress, .unknownEntry].contains(error.code)
            {
                // A part of a deletion, which ends with it, or a request on its way.
                continue
            }
        }
        try await removeRest(of: principal)
        return count
    }

    /// Removes the entries that cannot be discarded: those that cannot be read, and deletions on their way.
    private func removeRest(of principal: Principal?) async throws {
        let entries = try await read { (tables) throws(PersistenceError) in
            try tables.entries(of: principal)
        }
        for (sequence, object) in entries {
            try await perform(
                QueueAction<Void>(object) { (queue, context) throws(PersistenceError) in
                    if let object = context.object { queue.drop(sequence, of: object) }
                    try context.tables.removeQuarantined(sequence)
                })
        }
    }
}

extension OutboxTables {
    private static let ofPrincipal =
        "FROM \(entries) WHERE principal IS ?1 AND state <> 'abandoned' ORDER BY sequence"

    /// Returns the numbers of the entries of a principal that were not discarded.
    func sequences(of principal: Principal?) throws(PersistenceError) -> [Int64] {
        try entries(of: principal).map(\.sequence)
    }

    /// Returns the entries of a principal that were not discarded, with their objects.
    func entries(
        of principal: Principal?
    ) throws(PersistenceError) -> [(sequence: Int64, object: EditedObject)] {
        let statement = try PreparedStatement(
            "SELECT sequence, entity, key \(Self.ofPrincipal)", in: database)
        try statement.bind(principal.map { .text($0.id) } ?? .null, at: 1)
        var found: [(sequence: Int64, object: EditedObject)] = []
        while try statement.step() {
            found.append(
                (
                    statement.integer(0),
                    EditedObject(entity: statement.text(1), key: statement.integer(2))
                ))
        }
        return found
    }

    /// Removes an entry that cannot be read or sent with the present model.
    func removeQuarantined(_ sequence: Int64) throws(PersistenceError) {
        try run(
            PreparedStatement(
                "DELETE FROM \(Self.entries) WHERE sequence = ?1 AND state = ?2", in: database),
            [.integer(sequence), .text(StateText.quarantined)])
    }
}
