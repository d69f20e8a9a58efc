// SPDX-License-Identifier: Apache-2.0

import RestTransport

/// A position in a list, at which a later iteration resumes.
///
/// ```swift
/// var pages = api.pages(of: Article.self, at: "articles", by: .linkHeader)
/// pages.start = try JSONDecoder().decode(PagePosition.self, from: saved)
/// for try await page in pages {
///     try save(page.objects, JSONEncoder().encode(page.nextPosition))
/// }
/// ```
///
/// A position consists of the rule of the pagination, the path of the list, the number, cursor or
/// link of the next page, and the numbers of preceding pages and objects. It contains no credentials:
/// neither header fields nor the parameters of the first request. Where a link repeats such a
/// parameter, the position contains only its name, and the value is taken from the request that
/// resumes the list. The link itself is checked again when it is followed.
public struct PagePosition: Sendable, Hashable, Codable {
    /// The number of pages before the position.
    public let pageCount: Int

    /// The number of objects on these pages.
    public let objectCount: Int

    private let rule: String
    private let path: String
    private let target: Target

    private enum Target: Sendable, Hashable, Codable {
        case number(Int)
        case cursor(PageCursor)
        case parameters([String: String])
        case link(StoredLink)
    }

    /// The maximum of a number in a position and in a pagination: the largest that JSON documents
    /// represent exactly in every implementation.
    static let maximumNumber = 1 << 53 - 1

    /// Creates the position of a page; returns `nil` for the first page.
    init?(
        of target: PageTarget, in pagination: Pagination, from first: HTTPURL, pageCount: Int,
        objectCount: Int
    ) {
        switch target {
        case .first: return nil
        case .number(let number): self.target = .number(number)
        case .cursor(let cursor): self.target = .cursor(cursor)
        case .parameters(let parameters): self.target = .parameters(parameters)
        case .link(let url): self.target = .link(StoredLink(to: url, from: first))
        }
        rule = pagination.name
        path = first.path
        self.pageCount = pageCount
        self.objectCount = objectCount
    }

    /// Returns the page at the position.
    ///
    /// - Parameters:
    ///   - pagination: The pagination, with the rule of the position.
    ///   - first: The URL of the first page, with the path of the position.
    /// - Returns: The page.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` if the
    ///   position belongs to another list.
    func target(
        in pagination: Pagination, from first: HTTPURL
    ) throws(NetworkingError) -> PageTarget {
        var causes: [String] = []
        if rule != pagination.name {
            causes.append("the position is one by \(rule), the pagination is by \(pagination.name)")
        }
        if path != first.path { causes.append("the position is one of a list with another path") }
        let numbers = 0...Self.maximumNumber
        var isValid = numbers.contains(pageCount) && numbers.contains(objectCount)
        if case .number(let number) = target { isValid = isValid && numbers.contains(number) }
        if !isValid { causes.append("a number in the position is out of range") }
        var resumed = PageTarget.first
        switch target {
        case .number(let number): resumed = .number(number)
        case .cursor(let cursor): resumed = .cursor(cursor)
        case .parameters(let parameters): resumed = .parameters(parameters)
        case .link(let link):
            do {
                resumed = .link(try link.url(from: first))
            } catch {
                causes.append("\(error)")
            }
        }
        guard causes.isEmpty else {
            throw NetworkingError(
                .invalidRequest, stage: .pagination, url: first.redacted, causes: causes)
        }
        return resumed
    }
}

extension PagePosition: CustomStringConvertible, CustomDebugStringConvertible {
    /// The rule and the numbers of pages and objects before the position.
    public var description: String { "page \(pageCount + 1) by \(rule), object \(objectCount + 1)" }

    /// The description, as the cursor and the link may be confidential.
    public var debugDescription: String { description }
}

extension Pagination {
    /// The name of the rule in positions.
    fileprivate var name: String {
        switch rule {
        case .linkHeader: "link header"
        case .bodyLink: "next URL"
        case .cursor: "cursor"
        case .pageNumber: "page number"
        case .offset: "offset"
        case .custom(let rule): "the custom rule \(rule.name)"
        }
    }
}

/// A link in a position, without the values that the first request also contains.
private struct StoredLink: Sendable, Hashable, Codable {
    /// The origin; `nil` for that of the first request.
    private let origin: String?
    private let path: String
    /// The pairs of the query as they are written; `nil` without a query.
    ///
    /// A pair that the first request also contains is an ampersand, the name and, as its value, the
    /// position among the first request's pairs with this name.
    private let query: [String]?

    init(to url: HTTPURL, from first: HTTPURL) {
        origin = url.origin == first.origin ? nil : url.origin.description
        path = url.path
        guard url.query != nil else {
            query = nil
            return
        }
        let items = first.queryPairs.map { QueryItem(decoding: $0) }
        query = url.queryPairs.map { pair in
            let item = QueryItem(decoding: pair)
            let values = items.filter { $0.name == item.name }.map(\.value)
            guard let index = values.firstIndex(of: item.value) else { return String(pair) }
            return "&" + QueryItem(item.name, String(index)).encoded
        }
    }

    func url(from first: HTTPURL) throws(StoredLinkError) -> HTTPURL {
        let suffix = try query.map { query throws(StoredLinkError) in
            let pairs = try query.map { pair throws(StoredLinkError) in
                pair.hasPrefix("&")
                    ? try Self.pair(of: QueryItem(decoding: pair.dropFirst()), in: first) : pair
            }
            return "?" + pairs.joined(separator: "&")
        }
        do throws(TransportError) {
            let origin = origin ?? first.origin.description
            return try HTTPURL(parsing: origin + path + (suffix ?? ""))
        } catch {
            throw .unusable
        }
    }

    private static func pair(
        of item: QueryItem, in first: HTTPURL
    ) throws(StoredLinkError) -> String {
        let pairs = first.queryPairs.filter { QueryItem(decoding: $0).name == item.name }
        guard let index = Int(item.value), pairs.indices.contains(index) else {
            throw .missingParameter(item.name)
        }
        return String(pairs[index])
    }
}

private enum StoredLinkError: Error, CustomStringConvertible {
    case missingParameter(String)
    case unusable

    var description: String {
        switch self {
        case .missingParameter(let name):
            "the position needs the parameter \"\(name)\" of the first request; pass it again"
        case .unusable:
            "the link in the position is not a usable URL"
        }
    }
}
