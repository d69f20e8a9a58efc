// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The objects that cannot be imported: new ones without a required value, and those of which an object of
/// another entity has the identity.
struct InvalidObjects {
    private let placement: ImportPlacement
    /// The report of mapping the representation, whose issues are the reasons for missing values.
    private let report: MappingReport
    private var batch: ImportBatch { placement.batch }
    private var layered: LayeredRows { placement.layered }

    init(_ placement: ImportPlacement, _ report: MappingReport) {
        self.placement = placement
        self.report = report
    }

    /// Checks the required values of new objects: drops the objects with issues, or throws an error
    /// with all missing values.
    ///
    /// A value that did not fit, of which the report of mapping has an issue, is the reason why it is missing.
    func checkRequired() throws(PersistenceError) {
        var missingValues: [ImportIssue] = []
        var isError = false
        for entity in batch.entities where entity.count > 0 {
            let layout = entity.layout
            let required = layout.attributeColumns.filter { layout.columns[$0].isRequired }
            guard !required.isEmpty else { continue }
            var dropped: [Int] = []
            for row in placement.resolutions[layout.index].created {
                for column in required where entity.value(row, column).isNull {
                    missingValues.append(
                        ImportIssue(
                            node: entity.nodes[row], entity: layout.index,
                            property: layout.columns[column].name, code: .missingValue,
                            expected: "a value"))
                    if dropped.last != row { dropped.append(row) }
                    if !entity.isDroppable[row] { isError = true }
                }
            }
            placement.resolutions[layout.index].drop(dropped)
            placement.counts[layout.index].discarded += dropped.count
        }
        guard !missingValues.isEmpty else { return }
        if isError { throw invalidObjects(missingValues) }
        batch.issues += missingValues
    }

    /// Returns the error of objects that cannot be imported, with their first issues.
    private func invalidObjects(
        _ issues: [ImportIssue]
    ) -> PersistenceError {
        let sorted = issues.sorted { $0.node < $1.node }
        let shown = sorted.prefix(Self.maximumDetails)
        let paths = placement.paths(of: shown.map(\.node))
        var details = zip(shown, paths).map { issue, path in
            let name = batch.plan.model.layouts[issue.entity].name
            let reason = report.issues.first {
                $0.mapping == name && $0.property == issue.property
                    && $0.path.components.starts(with: path.components)
            }
            if let reason { return reason.description }
            let location = path.components.isEmpty ? "the document" : path.abbreviated
            let property = issue.property.map { ".\($0)" } ?? ""
            return "\(issue.code) at \(location): \(name)\(property)"
                + (issue.code == .missingValue ? "" : " expected \(issue.expected)")
        }
        if sorted.count > shown.count { details.append("\(sorted.count - shown.count) more") }
        return PersistenceError(
            .invalidObject, entity: batch.plan.model.layouts[sorted[0].entity].name,
            property: sorted[0].property, details: details)
    }

    /// The maximum number of issues in one error.
    private static var maximumDetails: Int { 20 }

    // MARK: Entities

    /// Finds the rows of different entities that represent one object, and the objects whose identity an
    /// object of another entity has.
    ///
    /// An object has one entity as long as it exists. A representation of a super-entity is one of the
    /// object; of another entity it is an issue or an error, as the policy specifies.
    func resolveEntities() throws(PersistenceError) {
        var conflicts: [(row: BatchRow, found: EntityLayout)] = []
        for table in layered.model.tables where table.entities.count > 1 {
            let entities = table.entities.filter {
                batch.entities[$0].count > 0 && !batch.entities[$0].identity.isEmpty
                    && batch.entities[$0].identity == layered.model.layouts[$0].identity
            }
            for entity in entities { conflicts += try strangers(entity, table) }
            if entities.count > 1 { conflicts += findAliases(entities, conflicts.map(\.row)) }
        }
        if conflicts.isEmpty { return }
        let issues = conflicts.map { row, found in
            let rows = batch.entities[row.entity]
            return ImportIssue(
                node: rows.nodes[row.row], entity: row.entity,
                property: rows.layout.columns[rows.identity[0]].name, code: .conflictingEntity,
                expected: "the identity of \(rows.layout.name), not that of \(found.name)")
        }
        if conflicts.contains(where: { !batch.entities[$0.row.entity].isDroppable[$0.row.row] }) {
            throw invalidObjects(issues)
        }
        batch.issues += issues
        for (row, _) in conflicts {
            placement.resolutions[row.entity].drop([row.row])
            placement.counts[row.entity].discarded += 1
        }
    }

    /// Returns the rows whose identity an existing object of another entity has.
    private func strangers(
        _ entity: Int, _ table: TableLayout
    ) throws(PersistenceError) -> [(row: BatchRow, found: EntityLayout)] {
        let resolution = placement.resolutions[entity]
        let layout = layered.model.layouts[entity]
        if layout.superentity == nil { return [] }
        var rows: [Int64: Int] = [:]
        for row in 0..<resolution.batch.count where resolution.canonical[row] == row {
            if let key = resolution.key(of: row) { rows[key] = row }
        }
        if rows.isEmpty { return [] }
        let root = layered.model.layouts[table.entities[0]]
        return try layered.withEntities(rows.keys.sorted(), in: root).compactMap { key, found in
            guard !layout.includes(found.index), let row = rows[key] else { return nil }
            return (BatchRow(entity: entity, row: row), found)
        }
    }

    /// Finds the rows of different entities with one identity: of an entity and its super-entity, they are
    /// rows of one object.
    ///
    /// - Returns: The rows of other entities; the first of the document has the identity.
    private func findAliases(
        _ entities: [Int], _ dropped: [BatchRow]
    ) -> [(row: BatchRow, found: EntityLayout)] {
        var known: [IdentityKey: BatchRow] = [:]
        var conflicts: [(row: BatchRow, found: EntityLayout)] = []
        let dropped = Set(dropped)
        var rows: [BatchRow] = []
        for entity in entities {
            let resolution = placement.resolutions[entity]
            for row in 0..<resolution.batch.count
            where resolution.canonical[row] == row && !resolution.batch.isDropped[row] {
                rows.append(BatchRow(entity: entity, row: row))
            }
        }
        rows.sort {
            batch.entities[$0.entity].nodes[$0.row] < batch.entities[$1.entity].nodes[$1.row]
        }
        for row in rows where !dropped.contains(row) {
            guard let identity = placement.resolutions[row.entity].identity(row.row) else {
                continue
            }
            guard let other = known[identity] else {
                known[identity] = row
                continue
            }
            let (layout, found) = (
                layered.model.layouts[row.entity], layered.model.layouts[other.entity]
            )
            if layout.includes(other.entity) {
                join(row, to: other, isLater: true)
            } else if found.includes(row.entity) {
                join(other, to: row, isLater: false)
                known[identity] = row
            } else {
                conflicts.append((row, found))
            }
        }
        return conflicts
    }

    /// Moves the values of a row to the row of a sub-entity that represents the same object.
    private func join(_ row: BatchRow, to other: BatchRow, isLater: Bool) {
        let (source, destination) = (batch.entities[row.entity], batch.entities[other.entity])
        for column in source.masks[row.row].columns
        where isLater || !destination.masks[other.row].contains(column) {
            destination.set(source.value(row.row, column), column, of: other.row)
        }
        source.masks[row.row] = ColumnMask()
        placement.resolutions[row.entity].join(row.row, to: other)
    }

    /// Assigns the keys of new objects to all rows that represent them.
    func resolveAliases() {
        for entity in placement.resolutions.indices {
            for (row, other) in placement.resolutions[entity].aliases {
                var other = other
                while let next = placement.resolutions[other.entity].aliases[other.row] {
                    other = next
                }
                placement.resolutions[entity].join(row, to: other)
                if let key = placement.resolutions[other.entity].key(of: other.row) {
                    placement.resolutions[entity].reuse(key, for: row)
                }
            }
        }
    }
}
