// SPDX-License-Identifier: Apache-2.0

/// The deletion of rows of a context with their objects.
///
/// The context keeps errors of reading, which its next fetch or save throws.
struct RowDeleter {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Deletes rows and their objects by the delete rules of their relationships.
    ///
    /// See ``RowDeletion/delete(_:)``.
    func delete(_ rows: [RowDeletion.Row]) {
        changing { () throws(PersistenceError) in
            try RowDeletion(
                in: context.layered, knowing: { [context] in context.identityMap[$0]?.isDeleted }
            ).delete(rows)
        }
    }

    /// Returns the rows that the delete rules of rows delete which a child has deleted.
    func dependents(ofDeletedIn changes: ChangeSet) -> [RowDeletion.Row] {
        do throws(PersistenceError) {
            return try RowDeletion(in: context.layered).dependents(ofDeletedIn: changes)
        } catch {
            context.errors.note(error)
            return []
        }
    }

    /// Removes references to rows that others have deleted from the unsaved changes of this level.
    ///
    /// See ``RowDeletion/removeReferences(to:keepsDenying:)``.
    func removeReferences(
        to rows: some Sequence<(key: Int64, entity: Int)>, keepsDenying: Bool = false
    ) {
        changing { () throws(PersistenceError) in
            RowDeletion(in: context.layered).removeReferences(to: rows, keepsDenying: keepsDenying)
        }
    }

    /// Calls a closure that changes rows, and tells the objects.
    private func changing(_ body: () throws(PersistenceError) -> Void) {
        let version = context.layered.changesVersion
        do throws(PersistenceError) {
            try body()
        } catch {
            context.errors.note(error)
        }
        context.takeChanges(since: version)
    }
}
