// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The way in which an API divides a list into pages.
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

    /// The maximum number of pages of one iteration, which throws beyond it.
    public var maximumPageCount = 10_000

    /// Pagination by the link with the relation `next` in the `Link` header field (RFC 8288).
    ///
    /// The response without such a link is the last page. Links are followed only to the origin of
    /// the base URL and to the origins that the client's `RedirectPolicy` trusts.
    public static let linkHeader = Pagination(rule: .linkHeader)

    /// Returns a pagination by a page number in the query.
    ///
    /// - Parameters:
    ///   - parameter: The name of the parameter for the page number.
    ///   - size: The number of objects to request for each page; `nil` for the server's default.
    ///   - sizeParameter: The name of the parameter for the size.
    ///   - first: The number of the first page.
    ///   - end: The page that marks the end of the list.
    /// - Returns: The pagination.
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

/// The query parameters of a pagination by page number.
public struct PageNumbering: Sendable, Hashable {
    /// The page that marks the end of a list.
    public enum End: Sendable, Hashable {
        /// A page without objects.
        ///
        /// This works with every server and costs one additional request.
        case emptyPage
        /// A page with fewer objects than requested.
        ///
        /// Use it only with servers that always send pages of the requested size. With other servers
        /// the list would end too early.
        case shortPage
    }

    /// The name of the parameter for the page number.
    public var parameter: String
    /// The number of objects to request for each page; `nil` for the server's default.
    public var size: Int?
    /// The name of the parameter for the size.
    public var sizeParameter: String
    /// The number of the first page.
    public var first: Int
    /// The page that marks the end of the list.
    public var end: End

    /// Returns parameters with those of a page, which replace parameters of the same name.
    func parameters(forPage number: Int, adding parameters: Document) -> Document {
        // Anything but an object is rejected when the request is created.
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
