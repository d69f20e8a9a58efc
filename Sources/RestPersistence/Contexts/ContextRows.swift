// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import GRDB

/// The rows below a context, and the part that the observer of the store takes in its transaction.
///
/// Not `Sendable`, as the context is not.
package struct ContextRows {
    private let context: ManagedObjectContext
    private var database: StoreDatabase { context.database }

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Calls a closure with a connection to the rows, without unsaved changes.
    package func read<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        try context.read(body)
    }

    /// Calls a closure with the connection of the transaction, which may write tables that no context reads.
    ///
    /// - Throws: The error of the closure; ``PersistenceError`` with code `readOnly` outside of a transaction.
    package func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        guard let transaction = context.transaction else { throw PersistenceError(.readOnly) }
        return try body(transaction.connection)
    }

    /// Returns the ID that an object has now: that of another row if it was saved as that row.
    package func currentID(of id: ManagedObjectID) -> ManagedObjectID {
        let key = database.currentKey(of: id.key)
        if key == id.key { return id }
        return ManagedObjectID(key: key, layout: id.layout, store: id.store)
    }

    /// Returns the object with an ID that the program holds; `nil` if there is none.
    package func registeredObject(with id: ManagedObjectID) -> ManagedObject? {
        context.identityMap[database.currentKey(of: id.key)]
    }

    /// Returns the object of a stored row that is known, with the unsaved values of the context, without a query.
    ///
    /// - Throws: ``PersistenceError`` if the row is of no entity of the model.
    package func object(
        with id: ManagedObjectID, storedAs row: [StoredValue]
    ) throws(PersistenceError) -> ManagedObject {
        let values = RowValues(context.layered.overlaid(row, id.key, id.layout))
        return try context.object(id.key, id.layout, row: values, batch: FaultBatch([id.key]))
    }

    // MARK: Unsent edits

    /// Returns the keys of the rows that responses do not delete: those with edits that were not sent yet, and
    /// those that they need.
    ///
    /// - Complexity: O(1) for a store without an outbox, else O(*n*) in the number of edited objects.
    package func unsentKeys() throws(PersistenceError) -> Set<Int64> {
        guard database.saveObserver != nil else { return [] }
        let model = context.model
        return try read { try UnsentEdits(database: $0).protectedKeys(in: model) }
    }

    /// Returns the fence of a response, with the properties of edits on their way, the objects whose deletions were
    /// not sent yet, those whose creations are not answered, and what the server may not show yet of acknowledged
    /// writes.
    ///
    /// - Parameters:
    ///   - fence: The fence without them, of what later requests have written; `nil` for nothing.
    ///   - target: The object of a request of the outbox, of which its response is the newest word.
    ///   - date: The time before the request was sent; `nil` if it is not known.
    /// - Returns: The fence; `nil` for none.
    /// - Throws: ``PersistenceError`` of the database.
    package func fence(
        _ fence: WriteFence?, answering target: ManagedObjectID?, sentAt date: Date?
    ) throws(PersistenceError) -> WriteFence? {
        guard let observer = database.saveObserver else { return fence }
        var held = try read { try observer.fence(in: $0, except: target?.key, sentAt: date) }
        if held.isEmpty { return fence }
        if let fence { held.formUnion(fence.written) }
        return held
    }

    // MARK: The observer

    /// Performs an action of the observer in the transaction of the context.
    package func perform(_ action: any SaveAction) throws(PersistenceError) {
        guard let transaction = context.transaction else { throw PersistenceError(.readOnly) }
        transaction.origin = .outbox
        transaction.action = action
        try performPendingAction()
    }

    /// Performs the action of the transaction, if its saves had nothing to write.
    package func performPendingAction() throws(PersistenceError) {
        guard let transaction = context.transaction, transaction.action != nil else { return }
        _ = try transaction.save(
            ChangeSet(model: context.model), context.mergePolicy, context.commits.writer)
    }

    /// Returns a context of the same snapshot or transaction that has other values.
    package func overlaid(by changes: ChangeSet) -> ManagedObjectContext {
        ManagedObjectContext(
            database, role: context.role,
            layers: context.layered.layers.lower + [context.layered.layers.top, changes])
    }
}

extension ManagedObjectContext {
    /// The rows below the context.
    package var rows: ContextRows { ContextRows(self) }
}
