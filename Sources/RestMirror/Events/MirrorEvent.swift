// SPDX-License-Identifier: Apache-2.0

/// An event of a run.
public enum MirrorEvent: Sendable, Equatable {
    /// The numbers of a page.
    public struct Page: Sendable, Equatable {
        /// The name of the resource.
        public var resource: String
        /// The values of the parents; empty without parents.
        public var parent: String
        /// The number of the page, from 1.
        public var number: Int
        /// The number of its records.
        public var recordCount: Int
        /// The numbers of rows that it has changed.
        public var rows: RowCounts
        /// The number of records of the whole list, if the server says it.
        public var total: Int?
        /// A Boolean value that indicates whether the page is the one that is stored.
        public var isUnmodified: Bool
    }

    /// The numbers of a response.
    public struct Response: Sendable, Equatable {
        /// The resource.
        public var resource: String
        /// The status code.
        public var status: Int
        /// The number of bytes of the body.
        public var byteCount: Int
        /// The number of requests that the server still accepts; `nil` if it does not say it.
        public var remainingRequestCount: Int?
    }

    /// A resource begins.
    case started(resource: String)
    /// A response has arrived.
    case response(Response)
    /// A page has been saved, or has not changed.
    case page(Page)
    /// A request is sent again, or later than it could be.
    case waiting(resource: String, seconds: Double, reason: String)
    /// Rows have been deleted.
    case deleted(entity: String, count: Int)
    /// Something that the result does not show, and that the user should know.
    case warning(MirrorWarning)
    /// A resource has reached its end or has failed.
    case finished(ResourceSummary)
}

/// The numbers of rows that a page, a resource or a run has changed.
public struct RowCounts: Sendable, Equatable {
    /// The number of inserted rows.
    public var inserted = 0
    /// The number of updated rows.
    public var updated = 0
    /// The number of rows that had all values already.
    public var unchanged = 0
    /// The number of deleted rows.
    public var deleted = 0
    /// The number of changed rows of join tables.
    public var links = 0

    /// Creates counts of zero.
    public init() {}

    /// A Boolean value that indicates whether a row was written.
    public var hasChanges: Bool { inserted + updated + deleted + links > 0 }

    /// Adds other counts.
    public mutating func add(_ other: RowCounts) {
        inserted += other.inserted
        updated += other.updated
        unchanged += other.unchanged
        deleted += other.deleted
        links += other.links
    }
}

/// A problem that does not end a walk.
public struct MirrorWarning: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a warning.
    public enum Kind: String, Sendable, Hashable {
        /// The first page is full, and no page after it was found.
        case onlyOnePage
        /// The server counts more records than it has sent.
        case fewerThanTotal
        /// The server counts fewer records than it has sent.
        case moreThanTotal
        /// Rows are missing in a list that changed while it was read, so that they are not deleted yet.
        case unprovenDeletion
        /// The list changed while it was read, so that the cursor stays.
        case cursorStays
        /// Values or records do not fit the schema.
        case unfitting
        /// Records of a page have one identity.
        case repeatedIdentity
        /// A window of a search has more records than the server returns.
        case windowTooSmall
        /// Records have embedded lists with fewer elements than they count.
        case shortEmbeddedList
        /// The refresh token that the server expects next is in no file.
        case unsavedToken
    }

    /// The kind.
    public var kind: Kind
    /// The name of the resource.
    public var resource: String
    /// The sentence for the user, without values of records.
    public var message: String
    /// A Boolean value that indicates whether the resource is incomplete because of it.
    public var isIncomplete: Bool

    /// The name of the resource and the sentence.
    public var description: String { "\(resource): \(message)" }
}

/// The result of a resource.
public struct ResourceSummary: Sendable, Equatable {
    /// The name of the resource.
    public var resource: String
    /// The number of requests, including those that were sent again.
    public var requestCount = 0
    /// The number of bytes of bodies.
    public var byteCount = 0
    /// The number of pages, including unmodified ones.
    public var pageCount = 0
    /// The number of pages that have not changed.
    public var unmodifiedPageCount = 0
    /// The number of records.
    public var recordCount = 0
    /// The numbers of rows.
    public var rows = RowCounts()
    /// The reason why the resource is incomplete; `nil` if it is complete.
    public var failure: String?
    /// The number of lists that are incomplete.
    public var incompleteListCount = 0

    init(_ resource: String) { self.resource = resource }
}

/// The result of a run.
public struct MirrorSummary: Sendable, Equatable {
    /// The results of the resources in the order of their runs.
    public var resources: [ResourceSummary] = []
    /// The number of rows that were deleted because the server does not have them any more.
    public var deletedCount = 0
    /// The warnings.
    public var warnings: [MirrorWarning] = []
    /// A Boolean value that indicates whether the run was cancelled.
    public var isCancelled = false

    /// A Boolean value that indicates whether every list has been read to its end.
    public var isComplete: Bool {
        !isCancelled && resources.allSatisfy { $0.failure == nil }
            && !warnings.contains { $0.isIncomplete }
    }

    /// The numbers of rows of all resources.
    public var rows: RowCounts {
        var rows = resources.reduce(into: RowCounts()) { $0.add($1.rows) }
        rows.deleted += deletedCount
        return rows
    }

    /// The number of requests of all resources.
    public var requestCount: Int { resources.reduce(0) { $0 + $1.requestCount } }
}
