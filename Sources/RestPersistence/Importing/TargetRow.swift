// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The row of the object of a request, which is not searched for by identity.
struct TargetRow {
    let root: BatchRow
    let key: Int64

    /// Returns the row of the request's object; `nil` if there is none, or for a list.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidMapping` if the representation is of another entity.
    static func find(
        in placement: ImportPlacement, _ options: ImportOptions
    ) throws(PersistenceError) -> TargetRow? {
        let batch = placement.batch
        guard let target = options.target, placement.node.kind != .array, batch.roots.count == 1
        else { return nil }
        let root = batch.roots[0]
        let layout = placement.layered.model.layouts[root.entity]
        if layout.includes(target.layout.index) {
            return TargetRow(root: root, key: target.key)
        }
        guard options.requiresTarget else { return nil }
        throw PersistenceError(
            .invalidMapping, entity: layout.name,
            details: [
                "the response is mapped to \(layout.name), the object of the request is of "
                    + target.entityName
            ])
    }
}

/// The object of a request in its state before values are merged into it.
///
/// It was not searched for, although a list may have brought it before, also after it was saved without the
/// identity that the server has given it.
struct FormerTarget {
    let root: BatchRow
    let key: Int64
    /// The columns that the document assigns.
    let assigned: ColumnMask
    /// A Boolean value that indicates whether the object was new when the request was sent; `nil` if it
    /// is unsaved.
    let wasNew: Bool?

    init(_ target: TargetRow, in placement: ImportPlacement, _ options: ImportOptions) {
        (root, key) = (target.root, target.key)
        let entity = placement.batch.entities[root.entity]
        assigned = entity.masks[placement.resolutions[root.entity].canonical[root.row]]
        let state = placement.layered.layers.state(of: key, entity.layout.table.index)
        wasNew = state == .inserted ? nil : options.sendsNewTarget
    }
}
