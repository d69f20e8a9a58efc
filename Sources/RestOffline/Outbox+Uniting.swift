// SPDX-License-Identifier: Apache-2.0

import RestOutbox
public import RestPersistence

extension Outbox {
    /// Unites a new object whose creation is uncertain with an object that a response has brought.
    ///
    /// ```swift
    /// // The answer to the creation of `note` was lost, and a list has brought the same note.
    /// try await outbox.unite(note, with: imported)
    /// ```
    ///
    /// The server is asked for the object. The row of the new object becomes that of both: references to either
    /// refer to it, and what the new one has and the server has not becomes an edit. If one of the two is deleted and
    /// the other is not, the object stays: the deletion is dropped.
    ///
    /// - Parameters:
    ///   - created: The new object.
    ///   - imported: The object that the server has, of the same entity.
    /// - Throws: ``OutboxError`` with code `unknownObject` if the creation of the first object is not uncertain, or
    ///   the second has no identity of the server; with code `inProgress` if the deletion of the second may be
    ///   executed; `PersistenceError` of the store.
    public func unite(
        _ created: ManagedObject, with imported: ManagedObject
    ) async throws {
        try await unite(created.objectID, with: imported.objectID)
    }

    /// Unites two objects by their IDs, as of an object that is deleted.
    ///
    /// - Throws: An error of ``unite(_:with:)-(ManagedObject,_)``.
    public func unite(
        _ created: ManagedObjectID, with imported: ManagedObjectID
    ) async throws {
        let (object, other) = (try editedObject(created), try editedObject(imported))
        guard object != other, object.entity == other.entity else {
            throw OutboxError(.unknownObject, "the objects are not two of one entity")
        }
        let layout = imported.layout
        let action = QueueAction<UnitingResult>(
            object, concernsOthers: true, companions: [other.key]
        ) { (queue, context) throws(PersistenceError) in
            guard let object = context.object, let first = queue.objects[object]?.entries.first,
                first.kind == .creation
            else { return .isCertain }
            var identity = queue.objects[other]?.identity
            if identity == nil, let column = layout.identity.first {
                let query = RowQuery.rows(of: layout, keys: [other.key])
                try query.run(in: context.tables.database, width: layout.width) { _, row in
                    identity = row[column].isNull ? nil : row[column]
                }
            }
            guard let identity else { return .hasNoIdentity }
            let isEdited = queue.objects[other] != nil
            guard queue.unite(object, with: identity, of: isEdited ? other : nil, at: context.date)
            else {
                return first.state == .uncertain ? .isInProgress : .isCertain
            }
            return .united
        }
        try await perform(action)
        switch action.result {
        case .united: return
        case .hasNoIdentity:
            throw OutboxError(.unknownObject, "the second object has no identity of the server")
        case .isInProgress:
            throw OutboxError(.inProgress, "the deletion of the second object may be executed")
        case .isCertain, nil:
            throw OutboxError(.unknownObject, "the creation of the first object is not uncertain")
        }
    }
}

private enum UnitingResult: Sendable {
    case united
    case hasNoIdentity
    case isInProgress
    case isCertain
}
