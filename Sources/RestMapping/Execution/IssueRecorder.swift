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
    var records: [Record] = []
    /// The index of the record that explains why an object has no value for a required property.
    var cause: Int?
    /// The last record beyond the limit, because it may be the one that ends the run.
    var lastOmitted: Record?
    var omittedCount = 0
    /// Counts by the raw value of the coercion; empty before the first.
    var coercionCounts: [Int] = []
    var droppedObjectCount = 0
    /// The error that a validation threw last.
    var underlyingError: (any Error)?
    /// The reports of other plans that ran for parts of the document.
    var nestedReports: [MappingReport] = []
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
}
