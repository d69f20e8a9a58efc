// SPDX-License-Identifier: Apache-2.0

/// What happened in one or more runs of a plan.
public struct MappingReport: Sendable, Hashable {
    /// The first problems, in the order they were met; at most ``issueLimit`` are kept.
    public private(set) var issues: [MappingIssue] = []
    /// How many problems there were, kept or not.
    public private(set) var issueCount = 0
    /// How many values were converted from another kind, such as the text `"187"` to a number.
    public internal(set) var coercions: [Coercion: Int] = [:]
    /// Objects that were built or filled.
    public internal(set) var objectCount = 0
    /// Objects that were left out.
    public internal(set) var droppedObjectCount = 0
    /// How many issues are kept; a hostile document must not fill the memory with complaints.
    public let issueLimit: Int

    /// Makes an empty report.
    public init(issueLimit: Int = 1000) {
        self.issueLimit = issueLimit
    }

    /// Adds a problem found by a later stage, such as an object without identity.
    public mutating func add(_ issue: MappingIssue) {
        issueCount += 1
        if issues.count < issueLimit { issues.append(issue) }
    }

    /// Adds what another run reported.
    public mutating func add(_ other: MappingReport) {
        issues += other.issues.prefix(max(issueLimit - issues.count, 0))
        issueCount += other.issueCount
        coercions.merge(other.coercions, uniquingKeysWith: +)
        objectCount += other.objectCount
        droppedObjectCount += other.droppedObjectCount
    }

    /// How many values were converted from another kind, whichever.
    public var coercionCount: Int { coercions.values.reduce(0, +) }

    mutating func add(unkept count: Int) { issueCount += count }
}
