// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The rows of a representation, and their places among the rows of a store: the objects that they are, and the
/// columns that they assign.
///
/// Types with one task each read and change it, in the order of ``RepresentationImport``. It knows rows with
/// unsaved changes and no managed objects.
final class ImportPlacement {
    let batch: ImportBatch
    let node: Node
    private let location: DocumentLocation
    let layered: LayeredRows
    /// The unsaved changes before the objects were placed.
    var formerChanges: ChangeSet
    /// The numbers of affected objects by entity.
    var counts: [ImportCounts]
    var resolutions: [ImportResolution] = []
    /// The resolutions of the batches of references.
    var referenced: [ReferenceResolution] = []
    /// A Boolean value that indicates whether the unsaved changes or the store have pending references.
    var hasPendingReferences = false
    /// The keys of the unmodified objects whose relationships are skipped.
    var skippedOwners: Set<Int64> = []
    /// The canonical rows of objects that do not exist and may not be inserted.
    var leftOutRows: Set<BatchRow> = []
    /// A Boolean value that indicates whether values or objects were left out, because they were written
    /// since the request was sent.
    var isHeldBack = false

    /// Creates a placement in which no object has been found yet.
    ///
    /// - Parameters:
    ///   - batch: The rows and references.
    ///   - node: The representation.
    ///   - location: The place of the representation in its document.
    ///   - layered: The rows with unsaved changes, which the import changes.
    init(
        _ batch: ImportBatch, of node: Node, at location: DocumentLocation, in layered: LayeredRows
    ) {
        self.batch = batch
        self.node = node
        self.location = location
        self.layered = layered
        formerChanges = layered.layers.top
        counts = Array(repeating: ImportCounts(), count: batch.entities.count)
    }

    // MARK: Objects

    /// Returns the key of a member's object; `nil` if its row was dropped or there is no object.
    func key(of member: BatchMember) -> Int64? {
        switch member {
        case .row(let row): resolutions[row.entity].key(of: row.row)
        case .reference(let reference): referenced[reference.batch].keys[reference.index]
        }
    }

    /// Returns the row with the values of a member's object; `nil` if the document does not contain the
    /// object.
    func row(of member: BatchMember) -> BatchRow? {
        switch member {
        case .row(let row): canonicalRow(row)
        case .reference(let reference):
            referenced[reference.batch].rows[reference.index].map(canonicalRow)
        }
    }

    /// Returns the row with the values of the object that a row represents.
    func canonicalRow(_ row: BatchRow) -> BatchRow {
        let canonical = resolutions[row.entity].canonical[row.row]
        return resolutions[row.entity].aliases[canonical]
            ?? BatchRow(entity: row.entity, row: canonical)
    }

    func isCreated(_ key: Int64) -> Bool {
        resolutions.contains { $0.createdKeys.contains(key) }
    }

    /// Returns the rows of the document that are objects of an entity, by the value of a column.
    func importedRows(
        _ layout: EntityLayout, column: Int
    ) -> [StoredValue: BatchRow] {
        var rows: [StoredValue: BatchRow] = [:]
        for entity in layout.subentities {
            let batch = batch.entities[entity]
            let resolution = resolutions[entity]
            for row in 0..<batch.count where resolution.canonical[row] == row {
                guard let key = resolution.key(of: row),
                    resolution.createdKeys.contains(key) || batch.masks[row].contains(column),
                    case let value = batch.value(row, column), !value.isNull, rows[value] == nil
                else { continue }
                rows[value] = BatchRow(entity: entity, row: row)
            }
        }
        return rows
    }

    // MARK: Modes

    var mode: ImportMode { batch.plan.mode }

    /// Returns a Boolean value that indicates whether the document has no effect on an object.
    ///
    /// Whatever an import writes is written by ``set(_:_:of:in:)``, as a row of a join table, of which one object
    /// must be changeable, or from the columns that a row assigns, of which ``removeEqualValues(_:_:)`` removes
    /// those that stay. References that have waited are connected in every mode.
    func keepsValues(of key: Int64) -> Bool { mode == .insertOnly && !isCreated(key) }

    /// Sets a column of an object, unless it keeps its values.
    func set(_ value: StoredValue, _ column: Int, of key: Int64, in layout: EntityLayout) {
        if keepsValues(of: key) { return }
        layered.set(value, column, of: key, in: layout)
        if value.isNull { removeReferences(of: column, key, in: layout) }
    }

    /// Returns a Boolean value that indicates whether a member is a representation whose object does not exist
    /// and may not be inserted.
    func isLeftOut(_ member: BatchMember?) -> Bool {
        guard !leftOutRows.isEmpty, let row = member?.row else { return false }
        let canonical = resolutions[row.entity].canonical[row.row]
        return leftOutRows.contains(BatchRow(entity: row.entity, row: canonical))
    }

    /// Removes the references of a relationship whose object an import takes away: they have not waited since the
    /// relationship got the object.
    private func removeReferences(of column: Int, _ key: Int64, in layout: EntityLayout) {
        guard hasPendingReferences,
            let relationship = layout.relationships.first(where: {
                if case .column(column) = $0.storage { true } else { false }
            })
        else { return }
        layered.layers.top.pending.set(
            ReferenceChanges.Change(entity: layout.index, isReplacing: true, references: []),
            of: ReferenceChanges.Owner(key: key, relationship: relationship.index))
    }

    // MARK: Paths

    /// Returns the paths of nodes, which are computed in one pass over the tape.
    func paths(of nodes: [Int]) -> [DocumentPath] {
        withExtendedLifetime(node) {
            node.storage.view(at: 0).paths(of: nodes)
        }.map(location.path(of:))
    }
}

extension RelationshipLayout {
    /// A Boolean value that indicates whether setting the relationship of an object changes rows of its
    /// destinations, or of their former partners.
    var writesDestinations: Bool {
        if case .inverseColumn = storage { return true }
        return isOneToOne
    }
}

/// The resolution of a batch of references to objects.
struct ReferenceResolution {
    /// The key of the object of each identity; `nil` if there is no object.
    var keys: [Int64?]
    /// The row of the object of each identity; `nil` if the document does not contain the object.
    var rows: [BatchRow?]
}
