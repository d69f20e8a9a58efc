// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The issues and counts of one or more runs of a plan.
public struct MappingReport: Sendable, Hashable {
    /// The first problems in the order they occurred; at most ``issueLimit``.
    public private(set) var issues: [MappingIssue] = []
    /// The number of problems, including those beyond the limit.
    public private(set) var issueCount = 0
    /// The paths of the first references that wait for their objects, which a store keeps and connects
    /// when the objects arrive; at most ``issueLimit``.
    ///
    /// They are no problems, and not among the issues.
    public private(set) var pendingPaths: [DocumentPath] = []
    /// The number of values converted from another kind, such as the text `"187"` to a number.
    public internal(set) var coercions: [Coercion: Int] = [:]
    /// The number of objects that were built or filled.
    public package(set) var objectCount = 0
    /// The number of objects that were dropped.
    public package(set) var droppedObjectCount = 0
    /// The maximum number of issues kept, so that a hostile document cannot fill the memory.
    public let issueLimit: Int

    /// Creates an empty report.
    public init(issueLimit: Int = 1000) {
        self.issueLimit = issueLimit
    }

    /// Adds a problem found by a later stage, such as an object without identity.
    public mutating func add(_ issue: MappingIssue) {
        issueCount += 1
        if issues.count < issueLimit { issues.append(issue) }
    }

    /// Adds the paths of references that wait for their objects.
    package mutating func add(pendingPaths paths: [DocumentPath]) {
        pendingPaths += paths.prefix(max(issueLimit - pendingPaths.count, 0))
    }

    /// Adds the report of another run.
    public mutating func add(_ other: MappingReport) {
        issues += other.issues.prefix(max(issueLimit - issues.count, 0))
        issueCount += other.issueCount
        add(pendingPaths: other.pendingPaths)
        coercions.merge(other.coercions, uniquingKeysWith: +)
        objectCount += other.objectCount
        droppedObjectCount += other.droppedObjectCount
    }

    /// Returns the report without the issues of other mappings, and with another number of dropped
    /// objects.
    package func restricted(
        toMappings names: Set<String>, droppedObjectCount: Int
    ) -> MappingReport {
        var report = MappingReport(issueLimit: issueLimit)
        for issue in issues where names.contains(issue.mapping) { report.add(issue) }
        report.pendingPaths = pendingPaths
        report.coercions = coercions
        report.objectCount = objectCount
        report.droppedObjectCount = droppedObjectCount
        return report
    }

    /// The number of values converted from another kind, over all kinds.
    public var coercionCount: Int { coercions.values.reduce(0, +) }

    mutating func add(omittedIssueCount count: Int) { issueCount += count }
}
