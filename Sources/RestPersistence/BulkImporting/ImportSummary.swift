// SPDX-License-Identifier: Apache-2.0

public import RestDocument
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
    public internal(set) var entities: [String: ImportCounts] = [:]
    /// The mapping report of all sources, whose paths are those in the file or stream.
    public internal(set) var report = MappingReport()
    /// The places of the report's issues, in the same order: the sources and the offsets of the elements.
    public internal(set) var issueLocations: [ImportLocation] = []

    /// The numbers of affected objects of all entities.
    public var total: ImportCounts {
        entities.values.reduce(into: ImportCounts()) { $0.add($1) }
    }

    /// Adds the result of another import.
    mutating func add(_ other: ImportSummary) {
        objectCount += other.objectCount
        resumedElementCount += other.resumedElementCount
        add(other.entities)
        report.add(other.report)
        let missing = max(report.issues.count - issueLocations.count, 0)
        issueLocations += other.issueLocations.prefix(missing)
    }

    /// Adds numbers of affected objects.
    mutating func add(_ counts: [String: ImportCounts]) {
        for (entity, counts) in counts { entities[entity, default: ImportCounts()].add(counts) }
    }
}

/// A place in an imported file or stream.
public struct ImportLocation: Sendable, Hashable, CustomStringConvertible {
    /// The name of the file or stream.
    public var source: String
    /// The offset in bytes of the error or of the element with it; `nil` if it is unknown.
    public var offset: Int?
    /// The line, counted from 1; `nil` if it is unknown.
    public var line: Int?
    /// The path of the value; empty for an error outside of the elements.
    public var path: DocumentPath

    /// Creates a place.
    public init(
        source: String, offset: Int? = nil, line: Int? = nil, path: DocumentPath = .root
    ) {
        self.source = source
        self.offset = offset
        self.line = line
        self.path = path
    }

    /// The source, line, offset and path in one line.
    public var description: String {
        var text = source
        if let line { text += ", line \(line)" }
        if let offset { text += ", byte \(offset)" }
        if !path.components.isEmpty { text += ", \(path.abbreviated)" }
        return text
    }
}
