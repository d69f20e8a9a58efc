// SPDX-License-Identifier: Apache-2.0

import RestTransport

/// The part of a page's request that differs from that of the first page.
enum PageTarget: Sendable, Hashable {
    case first
    case number(Int)
    case cursor(String)
    case link(HTTPURL)
}

extension Pagination {
    /// Returns the URL of a page.
    ///
    /// - Parameters:
    ///   - target: The page.
    ///   - first: The URL of the request for the list, without the parameters of the pagination.
    /// - Returns: The URL.
    /// - Throws: `TransportError` if the URL is not usable.
    func url(of target: PageTarget, from first: HTTPURL) throws(TransportError) -> HTTPURL {
        var items: [QueryItem] = []
        switch (rule, target) {
        case (_, .link(let url)):
            return url
        case (.pageNumber(let numbering), .number(let number)),
            (.offset(let numbering), .number(let number)):
            items.append(QueryItem(numbering.parameter, String(number)))
            items += numbering.size.map { [QueryItem($0.parameter, String($0.value))] } ?? []
        case (.cursor(let cursor), _):
            if case .cursor(let text) = target { items.append(QueryItem(cursor.parameter, text)) }
            items += cursor.size.map { [QueryItem($0.parameter, String($0.value))] } ?? []
        default:
            break
        }
        return try first.replacingQueryItems(items)
    }

    /// The first page.
    var firstTarget: PageTarget {
        switch rule {
        case .linkHeader, .bodyLink, .cursor: .first
        case .pageNumber(let numbering), .offset(let numbering): .number(numbering.first)
        }
    }
}

extension PageTarget {
    /// Returns the page after this one; `nil` after the last one.
    ///
    /// - Parameters:
    ///   - response: The response for this page.
    ///   - count: The number of objects in the response.
    ///   - pagination: The pagination.
    ///   - pageCount: The number of pages up to this one.
    ///   - objectCount: The number of objects up to this page's last one.
    /// - Returns: The next page.
    /// - Throws: ``NetworkingError`` if the response contains no usable cursor or link.
    func successor(
        after response: ObjectResponse, count: Int, in pagination: Pagination, pageCount: Int,
        objectCount: Int
    ) throws(NetworkingError) -> PageTarget? {
        if count == 0, pagination.ends.contains(.emptyPage) { return nil }
        if pagination.ends.contains(.shortPage), let size = pagination.size, count < size {
            return nil
        }
        if let hasMore = pagination.hasMore, !hasMore.isTrue(in: response) { return nil }
        switch (pagination.rule, self) {
        case (.linkHeader, _):
            let target = LinkField(of: response.head).target(of: "next")
            return try target.map { target throws(NetworkingError) in
                try Self.link(to: target, in: response)
            }
        case (.bodyLink(let location), _):
            let target = try location.text(in: response, as: "the URL of the next page")
            return try target.map { target throws(NetworkingError) in
                try Self.link(to: target, in: response)
            }
        case (.cursor(let cursor), _):
            return try cursor.location.text(in: response, as: "the cursor").map { .cursor($0) }
        case (.pageNumber(let numbering), .number(let number)):
            if let total = pagination.totalObjects?.count(in: response), objectCount >= total {
                return nil
            }
            if let total = pagination.totalPages?.count(in: response),
                number - numbering.first + 1 >= total
            {
                return nil
            }
            return .number(number + 1)
        case (.offset, .number(let number)):
            if let total = pagination.totalObjects?.count(in: response), number + count >= total {
                return nil
            }
            if let total = pagination.totalPages?.count(in: response), pageCount >= total {
                return nil
            }
            return .number(number + count)
        case (.pageNumber, _), (.offset, _):
            return nil
        }
    }

    private static func link(
        to target: String, in response: ObjectResponse
    ) throws(NetworkingError) -> PageTarget {
        do throws(TransportError) {
            return .link(try response.url.resolving(target))
        } catch {
            throw response.error(
                .crossOrigin, stage: .pagination, causes: ["the next link is not a usable URL"],
                underlying: error)
        }
    }
}
