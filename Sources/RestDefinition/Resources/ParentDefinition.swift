// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A parent of a resource: a set of records, for each of which the resource is read.
public struct ParentDefinition: Sendable, Equatable {
    /// The source of a parent's records.
    public enum Source: Sendable, Equatable {
        /// The records of another resource.
        case resource(String)
        /// Values, to which a placeholder refers by the path `value`.
        case values([ScalarValue])
        /// The rows of an SQL query of the database; a placeholder refers to columns.
        case query(String)
    }

    /// Several records in one request.
    public struct Batch: Sendable, Equatable {
        /// The maximum number of records in a request.
        public var count: Int
        /// The text between the values of a placeholder.
        public var separator: String

        /// Creates a batch.
        public init(count: Int, separator: String = ",") {
            self.count = count
            self.separator = separator
        }
    }

    /// The name of the parent in placeholders.
    public var name: String
    /// The source of the records.
    public var source: Source
    /// The number of records in one request; `nil` for one record in each request.
    public var batch: Batch?
    /// A Boolean value that indicates whether only parents that changed since their children were read are
    /// visited.
    public var onlyChanged: Bool
    /// The conditions for records of the parent, all of which must hold.
    public var filter: [Condition]
    /// The values of the parent that each record gets.
    public var inclusions: [FieldInclusion]

    /// Creates a parent.
    public init(
        name: String, source: Source, batch: Batch? = nil, onlyChanged: Bool = false,
        filter: [Condition] = [], inclusions: [FieldInclusion] = []
    ) {
        self.name = name
        self.source = source
        self.batch = batch
        self.onlyChanged = onlyChanged
        self.filter = filter
        self.inclusions = inclusions
    }
}

/// A value of an outer record that each inner record gets.
public struct FieldInclusion: Sendable, Equatable {
    /// The key in the inner record.
    public var key: String
    /// The path in the outer record.
    public var path: DocumentPath

    /// Creates an inclusion.
    public init(_ key: String, from path: DocumentPath) {
        self.key = key
        self.path = path
    }
}
