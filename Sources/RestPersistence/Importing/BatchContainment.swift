// SPDX-License-Identifier: Apache-2.0

/// The ways from the roots of a document to its objects.
struct BatchContainment {
    private let placement: ImportPlacement
    /// The rows inside of each row, by entity and canonical row; built when first asked for.
    private var contents: [[Int: [BatchRow]]] = []
    /// The rows that no other row contains, and the roots of the document.
    private var roots: [BatchRow] = []
    /// The keys by entity of the objects that are reached without passing an object of a table.
    private var known: [Int: [Set<Int64>]] = [:]

    init(_ placement: ImportPlacement) { self.placement = placement }

    /// Returns the keys of the objects of an entity that are roots, or inside of other objects than those of a
    /// table.
    ///
    /// - Complexity: O(*n*) in the size of the document for each table.
    mutating func keys(of entity: Int, outsideOf table: Int) -> Set<Int64> {
        if let keys = known[table] { return keys[entity] }
        if contents.isEmpty { readContents() }
        let layouts = placement.layered.model.layouts
        var keys = Array(repeating: Set<Int64>(), count: layouts.count)
        var rest = roots
        var visited = Array(repeating: Set<Int>(), count: layouts.count)
        while let row = rest.popLast() {
            guard visited[row.entity].insert(row.row).inserted else { continue }
            if let key = placement.resolutions[row.entity].key(of: row.row) {
                keys[row.entity].insert(key)
            }
            if layouts[row.entity].table.index == table { continue }
            rest += contents[row.entity][row.row] ?? []
        }
        known[table] = keys
        return keys[entity]
    }

    private mutating func readContents() {
        let entities = placement.batch.entities
        contents = Array(repeating: [:], count: entities.count)
        var contained = entities.map { Array(repeating: false, count: $0.count) }
        for relation in placement.batch.relations {
            let owners = placement.resolutions[relation.entity]
            for assignment in relation.assignments {
                let members = relation.members(of: assignment).compactMap { member -> BatchRow? in
                    // Each of the rows of one object has its own place in the document.
                    if case .row(let own) = member { contained[own.entity][own.row] = true }
                    guard let row = placement.row(of: member) else { return nil }
                    return BatchRow(
                        entity: row.entity,
                        row: placement.resolutions[row.entity].canonical[row.row])
                }
                contents[relation.entity][owners.canonical[assignment.owner], default: []] +=
                    members
            }
        }
        // Plain objects contain rows of which no relationship tells.
        for (entity, rows) in contained.enumerated() {
            for row in rows.indices where !rows[row] {
                let canonical = placement.resolutions[entity].canonical[row]
                roots.append(BatchRow(entity: entity, row: canonical))
            }
        }
    }
}
