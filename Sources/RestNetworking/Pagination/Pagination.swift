// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// How to get from one page of a list to the next.
///
/// ```swift
/// for try await page in api.pages(of: Article.self, at: "articles", by: .linkHeader) {
///     show(page.objects)
/// }
/// ```
public struct Pagination: Sendable, Hashable {
    enum Rule: Sendable, Hashable {
        case linkHeader
        case pageNumber(PageNumbering)
    }

    let rule: Rule

    /// How many pages may be fetched before the walk ends with an error.
    public var maximumPageCount = 10_000

    /// Follows the link with the relation `next` in the `Link` header (RFC 8288), up to the
    /// response without one.
    ///
    /// Only links to the base URL's own origin are followed, and to those that the client's
    /// ``RedirectPolicy`` trusts.
    public static let linkHeader = Pagination(rule: .linkHeader)

    /// Counts pages in a parameter of the query.
    ///
    /// - Parameters:
    ///   - parameter: Name of the parameter that holds the number.
    ///   - size: How many objects to ask for in a page; `nil` to leave it to the server.
    ///   - sizeParameter: Name of the parameter that holds the size.
    ///   - first: Number of the first page.
    ///   - end: What the page that ends the walk looks like.
    /// - Returns: The rule.
    public static func pageNumber(
        parameter: String = "page", size: Int? = nil, sizeParameter: String = "per_page",
        first: Int = 1, end: PageNumbering.End = .emptyPage
    ) -> Pagination {
        Pagination(
            rule: .pageNumber(
                PageNumbering(
                    parameter: parameter, size: size, sizeParameter: sizeParameter, first: first,
                    end: end)))
    }
}

/// How pages are counted in the query.
public struct PageNumbering: Sendable, Hashable {
    /// What the page that ends a walk looks like.
    public enum End: Sendable, Hashable {
        /// It has no objects. Safe with every server, for one more request.
        case emptyPage
        /// It has fewer objects than were asked for. Only for servers that give pages of the size
        /// they are asked for, or else objects are missed.
        case shortPage
    }

    /// Name of the parameter that holds the number.
    public var parameter: String
    /// How many objects to ask for in a page.
    public var size: Int?
    /// Name of the parameter that holds the size.
    public var sizeParameter: String
    /// Number of the first page.
    public var first: Int
    /// What the page that ends the walk looks like.
    public var end: End

    /// Parameters with those of a page, which take the place of others of their names.
    func parameters(ofPage number: Int, with parameters: Document) -> Document {
        // Whatever is no object is refused where the request is made.
        guard parameters.root.kind == .object else { return parameters }
        var builder = DocumentBuilder()
        builder.beginObject()
        for (name, value) in parameters.root.members {
            if name == parameter || (size != nil && name == sizeParameter) { continue }
            builder.key(name)
            builder.value(value)
        }
        builder.key(parameter)
        builder.number(number)
        if let size {
            builder.key(sizeParameter)
            builder.number(size)
        }
        builder.end()
        return builder.finish()
    }
}
