// SPDX-License-Identifier: Apache-2.0

import RestTransport

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

/// The rows of the state that the first request of a list and its end need, read for many lists at once.
struct StoredList: Sendable, Equatable {
    var state: ListState
    /// The progress of a walk that has not reached its end; `nil` for none.
    var walk: WalkState?
    /// The first page; `nil` for none.
    var firstPage: StoredListPage?
    /// The number of the last page; `nil` for none.
    var lastPage: Int?
    /// A Boolean value that indicates whether walks of changes have found rows that no page has.
    var hasChangedRows = false
    /// A Boolean value that indicates whether the list has lost rows that the server may still have.
    var hasUnprovenMissing = false

    /// Returns whether the file has pages that a list with a number of pages does not have.
    func exceeds(pageCount: Int) -> Bool { hasChangedRows || (lastPage ?? -1) >= pageCount }
}

/// The state of a page, by which the next walk finds out that it has not changed.
struct StoredListPage: Sendable, Equatable {
    /// The position of the page.
    var position: PagePosition
    /// The digest of the body of the request; empty for none.
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

    /// Returns whether the page is the response to a request.
    func answers(_ request: TransportRequest) -> Bool {
        url == request.url.requestText && self.request == request.bodyDigest
    }

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
