// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The way in which an API divides a list into pages.
public struct PaginationDefinition: Sendable, Equatable {
    /// The rule that derives the request of the next page.
    public enum Rule: Sendable, Equatable {
        /// The response contains the whole list.
        case singlePage
        /// The link with the relation `next` in the `Link` header field (RFC 8288).
        case linkHeader
        /// A URL in the body, absolute or relative to that of the response.
        case link(at: DocumentPath)
        /// A cursor in the response, which a parameter of the next request repeats.
        case cursor(at: ValueLocation, parameter: String)
        /// A page number.
        case pageNumber(parameter: String, first: Int)
        /// The number of records before the page.
        case offset(parameter: String, first: Int)
        /// A value of the last record of the page, such as its identity or its sort values.
        case lastIdentity(at: DocumentPath, parameter: String)
        /// A rule of the program, by its name.
        case custom(String)
    }

    /// The place of cursors, numbers and sizes in a request.
    public enum Placement: String, Sendable, Hashable, CaseIterable {
        /// The query.
        case query
        /// The JSON or form body.
        case body
    }

    /// A sign of the end of a list.
    public enum Stop: String, Sendable, Hashable, CaseIterable {
        /// A page without records.
        case emptyPage = "empty_page"
        /// A page with fewer records than requested.
        case shortPage = "short_page"
        /// A page whose records are those of the page before.
        case repeatedPage = "repeated_page"
    }

    /// A parameter with the number of records of a page.
    public struct Size: Sendable, Equatable {
        /// The number of records to request for each page.
        public var count: Int
        /// The name of the parameter; `nil` if the size is fixed by the server.
        public var parameter: String?

        /// Creates a size.
        public init(_ count: Int, parameter: String? = nil) {
            self.count = count
            self.parameter = parameter
        }
    }

    /// The rule for the next page.
    public var rule: Rule
    /// The number of records of a page; `nil` if it is not known.
    public var size: Size?
    /// The place of cursors, numbers and sizes.
    public var placement: Placement
    /// The location of a Boolean value that indicates whether a page follows.
    public var hasMore: ValueLocation?
    /// The location of the number of records in the list.
    public var total: ValueLocation?
    /// The location of the number of pages in the list.
    public var totalPages: ValueLocation?
    /// The signs of the end, besides those of the rule.
    public var stops: Set<Stop>
    /// The maximum number of pages of a walk; `nil` for the default of the runner.
    public var maximumPageCount: Int?
    /// The number of records beyond which the server returns no pages; `nil` for no limit.
    ///
    /// A longer list is split into intervals of the resource's cursor.
    public var cap: Int?

    /// Creates a pagination.
    public init(
        _ rule: Rule, size: Size? = nil, placement: Placement = .query,
        hasMore: ValueLocation? = nil, total: ValueLocation? = nil,
        totalPages: ValueLocation? = nil, stops: Set<Stop> = [], maximumPageCount: Int? = nil,
        cap: Int? = nil
    ) {
        self.rule = rule
        self.size = size
        self.placement = placement
        self.hasMore = hasMore
        self.total = total
        self.totalPages = totalPages
        self.stops = stops
        self.maximumPageCount = maximumPageCount
        self.cap = cap
    }
}
