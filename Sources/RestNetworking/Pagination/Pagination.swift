// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The way in which an API divides a list into pages.
///
/// ```swift
/// var pagination = Pagination.cursor(at: .body("meta.next_cursor"), parameter: "cursor")
/// pagination.totalObjects = .headerField("X-Total-Count")
/// for try await page in api.pages(of: Article.self, at: "articles", by: pagination) {
///     show(page.objects)
/// }
/// ```
///
/// A rule derives the request of the next page from a response. The request differs from that of the first page
/// in its URL only, or in the members of its body that ``placement`` declares. A list ends where the rule finds
/// no next page, and at the signs in ``ends``, ``hasMore`` and, for numbers and offsets, in the totals.
public struct Pagination: Sendable, Hashable {
    enum Rule: Sendable, Hashable {
        case linkHeader
        case bodyLink(at: PageValue)
        case cursor(Cursor)
        case pageNumber(Numbering)
        case offset(Numbering)
        case custom(Custom)
    }

    /// The parameters of a rule that sends a cursor.
    struct Cursor: Sendable, Hashable {
        var location: PageValue
        var parameter: String
        var size: Size?
    }

    /// The parameters of a rule that sends a number.
    struct Numbering: Sendable, Hashable {
        var parameter: String
        var first: Int
        var size: Size?
    }

    /// A parameter for the number of objects in a page.
    struct Size: Sendable, Hashable {
        var parameter: String
        var value: Int
    }

    let rule: Rule

    /// The place of the cursor, number or offset, and of the size, in a request: the query by default.
    public var placement = Placement.query

    /// The signs in a response that mark the end of the list.
    public var ends: Ends

    /// The location of a Boolean value that indicates whether a page follows; `nil` if there is none.
    ///
    /// The list ends if the value is `false`, 0, null or absent.
    public var hasMore: PageValue?

    /// The location of the number of objects in the list; `nil` if the server does not send it.
    ///
    /// A list by numbers or offsets ends with this number of objects. The value is
    /// ``Page/totalObjects``.
    public var totalObjects: PageValue?

    /// The location of the number of pages in the list; `nil` if the server does not send it.
    ///
    /// A list by numbers or offsets ends with this page. The value is ``Page/totalPages``.
    public var totalPages: PageValue?

    /// The maximum number of pages of a walk, which throws beyond it: 10,000 by default.
    ///
    /// The pages before a position that a walk resumes from count.
    public var maximumPageCount = 10_000

    init(_ rule: Rule, ends: Ends) {
        self.rule = rule
        self.ends = ends
    }
}

// MARK: - Rules

extension Pagination {
    /// Pagination by the link with the relation `next` in the `Link` header field (RFC 8288).
    ///
    /// The response without such a link is the last page. Links are followed only to the origin of
    /// the base URL and to the origins that the client's `RedirectPolicy` trusts.
    public static let linkHeader = Pagination(.linkHeader, ends: [])

    /// Returns a pagination by the URL of the next page in a response.
    ///
    /// The response with null, an empty string, `false` or nothing at the location is the last page.
    /// The URL may be relative to that of the response. It is followed as for ``linkHeader``.
    ///
    /// - Parameter location: The location of the URL, such as `.body("links.next")`.
    /// - Returns: The pagination.
    public static func nextURL(at location: PageValue) -> Pagination {
        Pagination(.bodyLink(at: location), ends: [])
    }

    /// Returns a pagination by a cursor in a response, which the next request repeats: in its query,
    /// or at another ``placement``.
    ///
    /// The response with null, an empty string, `false` or nothing at the location is the last page.
    ///
    /// - Parameters:
    ///   - location: The location of the cursor, a string or a number, such as
    ///     `.body("meta.next_cursor")` or `.lastObject("id")`.
    ///   - parameter: The name of the parameter for the cursor.
    ///   - size: The number of objects to request for each page; `nil` for the server's default.
    ///   - sizeParameter: The name of the parameter for the size.
    /// - Returns: The pagination.
    public static func cursor(
        at location: PageValue, parameter: String = "cursor", size: Int? = nil,
        sizeParameter: String = "limit"
    ) -> Pagination {
        let cursor = Cursor(
            location: location, parameter: parameter, size: Size(sizeParameter, size))
        return Pagination(.cursor(cursor), ends: [])
    }

    /// Returns a pagination by a page number in the query.
    ///
    /// - Parameters:
    ///   - parameter: The name of the parameter for the page number.
    ///   - size: The number of objects to request for each page; `nil` for the server's default.
    ///   - sizeParameter: The name of the parameter for the size.
    ///   - first: The number of the first page.
    ///   - ends: The signs that mark the end of the list.
    /// - Returns: The pagination.
    public static func pageNumber(
        parameter: String = "page", size: Int? = nil, sizeParameter: String = "per_page",
        first: Int = 1, ends: Ends = .emptyPage
    ) -> Pagination {
        let numbering = Numbering(
            parameter: parameter, first: first, size: Size(sizeParameter, size))
        return Pagination(.pageNumber(numbering), ends: ends)
    }

    /// Returns a pagination by the number of preceding objects in the query.
    ///
    /// An offset grows by the number of objects that the previous page contained, which may be less
    /// than the requested size if the server has a lower limit.
    ///
    /// - Parameters:
    ///   - parameter: The name of the parameter for the offset.
    ///   - size: The number of objects to request for each page; `nil` for the server's default.
    ///   - sizeParameter: The name of the parameter for the size.
    ///   - first: The offset of the first object.
    ///   - ends: The signs that mark the end of the list.
    /// - Returns: The pagination.
    public static func offset(
        parameter: String = "offset", size: Int? = nil, sizeParameter: String = "limit",
        first: Int = 0, ends: Ends = .emptyPage
    ) -> Pagination {
        let numbering = Numbering(
            parameter: parameter, first: first, size: Size(sizeParameter, size))
        return Pagination(.offset(numbering), ends: ends)
    }
}

// MARK: - Placement

extension Pagination {
    /// A place of the parameters of a pagination in a request.
    public enum Placement: Sendable, Hashable {
        /// The query of the URL.
        case query

        /// The body of a PATCH, POST or PUT request, as of GraphQL and search APIs.
        ///
        /// The names of the parameters are the paths of members, which are merged with the parameters
        /// of the request. A cursor keeps its kind, and can be an array or an object.
        ///
        /// ```swift
        /// var pagination = Pagination.cursor(
        ///     at: .body("data.articles.pageInfo.endCursor"), parameter: "variables.after")
        /// pagination.placement = .body
        /// pagination.hasMore = .body("data.articles.pageInfo.hasNextPage")
        /// let pages = api.pages(
        ///     of: Article.self, at: "graphql", parameters: ["query": query],
        ///     keyPath: "data.articles.nodes", by: pagination
        /// ) { $0.method = .post }
        /// ```
        case body
    }
}

// MARK: - Ends

extension Pagination {
    /// Signs in a response that mark the end of a list.
    public struct Ends: OptionSet, Sendable, Hashable {
        /// The bits of the signs.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// A page without objects.
        ///
        /// With numbers and offsets, this works with every server and costs one additional request.
        /// The empty page is not an element of the sequence, unless it is the first one.
        public static let emptyPage = Ends(rawValue: 1)

        /// A page with fewer objects than requested, which requires a size.
        ///
        /// Use it only with servers that always send pages of the requested size. With other servers
        /// the list would end too early.
        public static let shortPage = Ends(rawValue: 2)

        /// The status 404 in place of a page after the first one.
        public static let notFound = Ends(rawValue: 4)
    }
}

// MARK: - Validation

extension Pagination {
    /// The number of objects to request for each page; `nil` for the server's default.
    var size: Int? {
        switch rule {
        case .linkHeader, .bodyLink, .custom: nil
        case .cursor(let cursor): cursor.size?.value
        case .pageNumber(let numbering), .offset(let numbering): numbering.size?.value
        }
    }

    /// The errors in the pagination; empty if it is valid.
    var diagnostics: [String] {
        var causes: [String] = []
        var locations = [hasMore, totalObjects, totalPages]
        switch rule {
        case .linkHeader: break
        case .custom(let rule): causes += rule.diagnostics
        case .bodyLink(let location): locations.append(location)
        case .cursor(let cursor):
            locations.append(cursor.location)
            if cursor.parameter.isEmpty {
                causes.append("the parameter for the cursor has no name")
            }
        case .pageNumber(let numbering), .offset(let numbering):
            if numbering.parameter.isEmpty {
                causes.append("the parameter for the number has no name")
            }
            if !(0...PagePosition.maximumNumber).contains(numbering.first) {
                causes.append("the first number is not from 0 to \(PagePosition.maximumNumber)")
            }
        }
        causes += locations.compactMap { $0?.diagnostic }
        causes += placementDiagnostics
        if let size, !(1...PagePosition.maximumNumber).contains(size) {
            causes.append("the size of a page is less than 1 or too large")
        }
        if ends.contains(.shortPage), size == nil {
            causes.append("a short page is recognized by its size; pass one")
        }
        if maximumPageCount < 1 { causes.append("the maximum number of pages is less than 1") }
        return causes
    }
}

extension Pagination {
    /// The names of the parameters.
    private var parameters: [String] {
        switch rule {
        case .linkHeader, .bodyLink: []
        case .custom(let rule): Array(rule.first.keys)
        case .cursor(let cursor): [cursor.parameter] + (cursor.size.map { [$0.parameter] } ?? [])
        case .pageNumber(let numbering), .offset(let numbering):
            [numbering.parameter] + (numbering.size.map { [$0.parameter] } ?? [])
        }
    }

    private var placementDiagnostics: [String] {
        guard placement == .body else { return [] }
        switch rule {
        case .linkHeader, .bodyLink: return ["a pagination by links has no parameters for the body"]
        case .cursor, .pageNumber, .offset, .custom: break
        }
        return parameters.filter { Self.keys(of: $0) == nil }.map { name in
            "\"\(name)\" is not the path of a member of the body"
        }
    }

    /// Returns the keys of a member of the body, outermost first; `nil` if a name is not its path.
    static func keys(of name: String) -> [String]? {
        guard let path = try? DocumentPath(parsing: name), !path.components.isEmpty else {
            return nil
        }
        let keys = path.components.compactMap { component -> String? in
            if case .key(let key) = component { key } else { nil }
        }
        return keys.count == path.components.count ? keys : nil
    }
}

extension Pagination.Size {
    fileprivate init?(_ parameter: String, _ value: Int?) {
        guard let value else { return nil }
        self.init(parameter: parameter, value: value)
    }
}

extension Pagination {
    /// A Boolean value that indicates whether a page with fewer objects than requested is the last one.
    package var endsByShortPage: Bool { ends.contains(.shortPage) }
}
