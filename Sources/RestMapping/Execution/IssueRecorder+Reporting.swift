// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension IssueRecorder {
    /// Moves everything recorded into a report, with paths from one pass over the tape.
    ///
    /// - Parameters:
    ///   - report: Receives issues and counts.
    ///   - plan: The names of mappings and properties.
    ///   - storage: The run's own document.
    ///   - environment: The place of the representation in its document.
    /// - Returns: The issue that ended the run if it failed: the last one, or the cause of a missing
    ///   value.
    mutating func finish(
        into report: inout MappingReport, plan: MappingPlan, storage: DocumentStorage,
        in environment: MappingEnvironment
    ) -> MappingIssue? {
        let last =
            records.isEmpty
            ? nil : addIssues(to: &report, plan: plan, storage: storage, in: environment)
        if !coercionCounts.isEmpty {
            for (kind, count) in zip(Coercion.allCases, coercionCounts) where count > 0 {
                report.coercions[kind, default: 0] += count
            }
        }
        report.droppedObjectCount += droppedObjectCount
        for nested in nestedReports { report.add(nested) }
        return nestedError?.issue ?? last
    }

    /// Adds the records as issues and returns the one that ended the run if it failed.
    private mutating func addIssues(
        to report: inout MappingReport, plan: MappingPlan, storage: DocumentStorage,
        in environment: MappingEnvironment
    ) -> MappingIssue? {
        let keptCount = records.count
        if let lastOmitted { records.append(lastOmitted) }
        let paths = Self.paths(of: records, in: storage, environment)
        var last: MappingIssue?
        for (index, record) in records.enumerated() {
            let table = plan.tables[record.mapping]
            let issue = MappingIssue(
                path: paths[index], mapping: table.name,
                property: record.property >= 0 ? table.properties[record.property].name : nil,
                code: record.code, expected: record.expected,
                found: record.code == .missingValue ? "nothing" : record.found.description)
            if index < keptCount { report.add(issue) }
            if cause == nil || cause == index { last = issue }
        }
        report.add(omittedIssueCount: omittedCount)
        return last
    }

    /// The path of each record.
    ///
    /// Static, because closures that capture a recorder copy the whole of it.
    private static func paths(
        of records: [Record], in storage: DocumentStorage,
        _ environment: MappingEnvironment
    ) -> [DocumentPath] {
        let order = records.indices.sorted { records[$0].location < records[$1].location }
        let sorted = storage.view(at: 0).paths(of: order.map { records[$0].location })
        var paths = [DocumentPath](repeating: DocumentPath([]), count: records.count)
        for (position, index) in order.enumerated() {
            paths[index] = environment.location.path(of: sorted[position])
        }
        return paths
    }
}
