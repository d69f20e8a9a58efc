// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The problems and counts of one run.
///
/// Records hold indices only; names and paths are added when the run ends.
struct IssueRecorder {
    /// A problem whose path is not yet known.
    struct Record {
        /// The index of the value in the run's own document.
        let location: Int
        let mapping: Int
        let property: Int
        let code: MappingIssue.Code
        let expected: String
        let found: NodeKind
    }

    let limit: Int
    private var records: [Record] = []
    /// The index of the record that explains why an object has no value for a required property.
    private var cause: Int?
    /// The last record beyond the limit, because it may be the one that ends the run.
    private var lastOmitted: Record?
    private var omittedCount = 0
    /// Counts by the raw value of the coercion; empty before the first.
    private var coercionCounts: [Int] = []
    var droppedObjectCount = 0
    /// The error that a validation threw last.
    var underlyingError: (any Error)?
    /// The reports of other plans that ran for parts of the document.
    private var nestedReports: [MappingReport] = []
    /// The error that ended such a plan, and with it this run.
    private(set) var nestedError: MappingError?

    init(limit: Int) { self.limit = limit }

    mutating func count(_ kind: Coercion) {
        if coercionCounts.isEmpty {
            coercionCounts = Array(repeating: 0, count: Coercion.allCases.count)
        }
        coercionCounts[Int(kind.rawValue)] += 1
    }

    mutating func record(_ record: Record) {
        cause = nil
        if records.count < limit {
            records.append(record)
        } else {
            lastOmitted = record
            omittedCount += 1
        }
    }

    /// Returns a Boolean value that indicates whether a required property is missing because of a
    /// recorded issue.
    ///
    /// That issue is more specific than the missing value, so it is reported as the one that ends the
    /// run.
    mutating func isCausedByRecord(
        _ failure: MappingFailure, of mapping: Int, within range: Range<Int>
    ) -> Bool {
        var index = records.count
        while index > 0, records[index - 1].location > range.lowerBound {
            index -= 1
            let record = records[index]
            if record.mapping == mapping, record.property == failure.property,
                record.location < range.upperBound
            {
                cause = index
                return true
            }
        }
        return false
    }

    /// Adds the report of another plan that ran for a part of the document.
    mutating func add(_ report: MappingReport, endedBy error: MappingError? = nil) {
        nestedReports.append(report)
        if let error { nestedError = error }
    }

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
