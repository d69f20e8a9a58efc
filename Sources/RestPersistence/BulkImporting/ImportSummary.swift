// SPDX-License-Identifier: Apache-2.0

import RestDocument
public import RestMapping

/// The result of importing files or streams.
///
/// It has the counts and issues of an ``ImportResult``, without the IDs of the objects, whose number is
/// not limited.
public struct ImportSummary: Sendable {
    /// The number of imported root objects; an object that occurs twice counts twice.
    public internal(set) var objectCount = 0
    /// The number of elements that were skipped because an interrupted import had saved them.
    public internal(set) var resumedElementCount = 0
    /// The numbers of affected objects by the name of the entity; entities without one are absent.
    ///
    /// An object that occurs in two chunks is counted in both.
    public internal(set) var counts: [String: ImportCounts] = [:]
    /// The mapping report of all sources, whose paths are those in the file or stream.
    public internal(set) var report = MappingReport()
    /// The places of the report's issues, in the same order: the sources and the offsets of the elements.
    public internal(set) var issueLocations: [ImportLocation] = []

    /// The numbers of affected objects of all entities.
    public var total: ImportCounts {
        counts.values.reduce(into: ImportCounts()) { $0.add($1) }
    }

    /// Adds the result of another import.
    mutating func add(_ other: ImportSummary) {
        objectCount += other.objectCount
        resumedElementCount += other.resumedElementCount
        add(other.counts)
        report.add(other.report)
        let missing = max(report.issues.count - issueLocations.count, 0)
        issueLocations += other.issueLocations.prefix(missing)
    }

    /// Adds numbers of affected objects.
    mutating func add(_ added: [String: ImportCounts]) {
        for (entity, added) in added { counts[entity, default: ImportCounts()].add(added) }
    }
}
