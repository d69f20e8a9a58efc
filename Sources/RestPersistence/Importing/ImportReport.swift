// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The counts, the objects and the issues of a representation that has been imported.
struct ImportReport {
    private let placement: ImportPlacement
    private var batch: ImportBatch { placement.batch }

    init(_ placement: ImportPlacement) { self.placement = placement }

    /// Adds the counts, the IDs and the issues to a result.
    func finish(_ result: inout ImportResult) {
        var issues = batch.issues
        for entity in batch.entities where entity.count > 0 {
            let resolution = placement.resolutions[entity.layout.index]
            placement.counts[entity.layout.index].inserted = resolution.created.count
            for row in resolution.anonymous
            where !entity.isDropped[row] && placement.mode != .deleteOnly {
                issues.append(
                    ImportIssue(
                        node: entity.nodes[row], entity: entity.layout.index,
                        property: entity.layout.columns[entity.identity[0]].name,
                        code: .missingIdentity, expected: "an identity"))
            }
            for row in resolution.ambiguous where !entity.isDropped[row] {
                issues.append(
                    ImportIssue(
                        node: entity.nodes[row], entity: entity.layout.index,
                        property: entity.layout.columns[entity.identity[0]].name,
                        code: .ambiguousIdentity, expected: "one object with the identity"))
            }
        }
        for (layout, counts) in zip(placement.layered.model.layouts, placement.counts)
        where counts != ImportCounts() {
            result.counts[layout.name] = counts
        }
        result.objectIDs = batch.roots.compactMap(id(of:))
        result.locations = batch.located.mapValues { $0.flatMap(id(of:)) }
        report(issues, into: &result.report)
    }

    /// Returns the ID of the object of a row; `nil` if the row was dropped.
    private func id(of row: BatchRow) -> ManagedObjectID? {
        guard let key = placement.resolutions[row.entity].key(of: row.row) else { return nil }
        let layout = placement.layered.model.layouts[placement.canonicalRow(row).entity]
        return ManagedObjectID(
            key: key, layout: layout, store: placement.layered.database.identity)
    }

    /// Adds issues to the report, whose paths are computed in one pass over the tape.
    private func report(_ issues: [ImportIssue], into report: inout MappingReport) {
        guard !issues.isEmpty else { return }
        let sorted = issues.sorted { $0.node < $1.node }
        let kept = sorted.prefix(max(0, report.issueLimit - report.issues.count) + 1)
        let storage = placement.node.storage
        let paths = placement.paths(of: kept.map(\.node))
        for (issue, path) in zip(kept, paths) {
            report.add(
                MappingIssue(
                    path: path, mapping: batch.plan.model.layouts[issue.entity].name,
                    property: issue.property, code: issue.code, expected: issue.expected,
                    found: Node(storage: storage, index: issue.node).kind.description))
        }
        for issue in sorted.dropFirst(kept.count) {
            report.add(
                MappingIssue(
                    path: DocumentPath([]), mapping: batch.plan.model.layouts[issue.entity].name,
                    property: issue.property, code: issue.code, expected: issue.expected,
                    found: ""))
        }
    }
}
