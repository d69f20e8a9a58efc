// SPDX-License-Identifier: Apache-2.0

/// The state of a list: the records of a resource for one combination of parents.
struct ListState: Sendable, Equatable {
    /// The number of the list in the file; `nil` before it is stored.
    var id: Int64?
    let resource: String
    /// The values of the parents; empty without parents.
    let parent: String
    /// The position that the last complete walk reached; `nil` for none.
    var cursor: String?
    /// A Boolean value that indicates whether a walk has reached the end of the list.
    var isComplete = false
    /// The digest of the values of the parents when the list was read.
    var parentDigest: [UInt8]?
    /// A time at which all changes until then had been read, in seconds since 1970; `nil` if nothing needs it.
    var walkedAt: Int64?

    init(_ resource: String, of parent: String) {
        self.resource = resource
        self.parent = parent
    }
}

/// The state of a page, by which the next walk finds out that it has not changed.
struct StoredListPage: Sendable, Equatable {
    /// The position of the page.
    var position: PagePosition
    /// The digest of the request, without credentials.
    var request: [UInt8]
    var entityTag: String?
    var lastModified: String?
    /// The digest of the body.
    var digest: [UInt8]
    /// The position of the page that follows; `nil` at the end of the list.
    var next: PagePosition?
    /// The number of records.
    var recordCount: Int
    /// The keys of the rows of the page's records.
    var keys: [Int64]
    /// The URL of the request, without credentials.
    var url = ""

    /// A Boolean value that indicates whether a request can have a condition.
    var hasValidator: Bool { entityTag != nil || lastModified != nil }
}

/// The progress of a walk that has not reached the end of its list.
struct WalkState: Sendable, Equatable {
    /// The number of the next page.
    var page = 0
    /// The position of the next page.
    var position = PagePosition.first
    /// The start of the interval that the walk reads; `nil` to read everything.
    var start: String?
    /// The end of the interval; `nil` for the end of the list.
    var end: String?
    /// The largest position among the records so far.
    var high: String?
    /// The time of the first request by the clock of the server, in seconds since 1970.
    var startedAt: Int64?
    /// The number of records so far.
    var recordCount = 0
}
