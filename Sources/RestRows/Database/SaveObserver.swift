// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import GRDB

/// An observer of the saves of a store, in their transactions.
///
/// It merges what responses bring with edits that were not sent yet, and records new edits. A store without an
/// observer does neither.
package protocol SaveObserver: AnyObject, Sendable {
    /// Returns a Boolean value that indicates whether imports record what they find to be written already.
    func recordsValues(in database: Database) throws(PersistenceError) -> Bool

    /// The present time, by the clock of the requests.
    var date: Date { get }

    /// Returns what an import may not change: the properties of requests in progress, the rows whose deletions
    /// were not sent yet, the new objects whose creations are not answered, and what the server may not show yet of
    /// acknowledged writes.
    ///
    /// - Parameters:
    ///   - database: The connection.
    ///   - target: The key of the object of the request, of which its response is the newest word.
    ///   - date: The time before the request was sent; `nil` if it is not known.
    /// - Returns: The fence; one that holds back nothing is empty.
    /// - Throws: ``PersistenceError`` of the database.
    func fence(
        in database: Database, except target: Int64?, sentAt date: Date?
    ) throws(PersistenceError) -> WriteFence

    /// Decides which objects of a response are not inserted, because a new object of the store may be the same.
    ///
    /// The new object adopts an object that it is known to be.
    ///
    /// - Parameters:
    ///   - objects: The objects of an entity of which the store has no rows.
    ///   - entity: The index of the entity.
    ///   - keys: The keys of the new objects of the entity whose creations the fence has.
    ///   - database: The connection, in the transaction of the import.
    /// - Returns: The indices of the objects that are not inserted.
    /// - Throws: ``PersistenceError`` of the database.
    func recognize(
        _ objects: [BroughtObject], of entity: Int, as keys: Set<Int64>, in database: Database
    ) throws(PersistenceError) -> Set<Int>

    /// Changes what a save is about to write.
    func merge(_ save: inout ObservedSave, in database: Database) throws(PersistenceError)

    /// Records the edits of a save, after all rows are written.
    func record(_ edits: SavedEdits, in database: Database) throws(PersistenceError)

    /// Removes what is kept of rows besides their edits, after a save of any origin has deleted them.
    func removeFacts(ofDeleted keys: Set<Int64>, in database: Database) throws(PersistenceError)
}

/// A save before it is written.
package struct ObservedSave {
    package var changes: ChangeSet
    package let origin: StoreCommit.Origin
    /// The values of the response, also those that the store has already.
    package let written: WrittenValues
    /// The keys of stored rows that take over others, by the key of the other row.
    package let replacedKeys: [Int64: Int64]
    /// The action of the observer in the transaction; `nil` for none.
    package let action: (any SaveAction)?
    /// The rows whose stored values will not be those of the changes.
    package var staleKeys: [Int64] = []
    /// The values that requests have written on the server, which responses to earlier requests may not have yet.
    package var acknowledged = WrittenValues()
}

extension TableChanges {
    /// Returns the columns of an updated row that an import has set, and no program since.
    package func importedColumns(_ slot: Int) -> ColumnMask {
        var imported = ColumnMask()
        guard states[slot] == .updated else { return imported }
        for column in masks[slot].columns
        where isEdited(keys[slot], column) == false && !isCleared(slot, column) {
            imported.insert(column)
        }
        return imported
    }
}

/// An action of the observer of a store in the transaction of a save, such as recording the answer to a request
/// with the values of the response.
package protocol SaveAction: AnyObject, Sendable {}

/// The edits that a save has written: what a program has changed, and no response has.
package struct SavedEdits: Sendable {
    /// The changed columns of a row, and their values before.
    package struct Update: Sendable {
        package let key: Int64
        package let entity: Int
        package var former: [(column: Int, value: StoredValue)]
        /// A Boolean value that indicates whether a delete rule has cleared the references, and not the program.
        package var isCleared = false
    }

    /// A row of a join table that was inserted or deleted.
    package struct Link: Sendable {
        /// The index of the join table.
        package let link: Int
        package let pair: LinkPair
        package let isMember: Bool
        /// A Boolean value that indicates whether the row was deleted with an object at one of its ends.
        package var isCleared = false
    }

    /// A deleted row, and its values before.
    package struct Deletion: Sendable {
        package let key: Int64
        package let entity: Int
        package var values: [StoredValue]
    }

    package var inserted: [TableCommit.Row] = []
    /// The updates in the order of the writes; a row can have several.
    package var updated: [Update] = []
    package var deleted: [Deletion] = []
    /// The changed rows of join tables, in the order of the writes.
    package var links: [Link] = []

    package var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty
    }
}
