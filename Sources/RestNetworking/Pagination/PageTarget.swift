// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestTransport

/// The part of a page's request that differs from that of the first page.
enum PageTarget: Sendable, Hashable {
    case first
    case number(Int)
    case cursor(PageCursor)
    case parameters([String: String])
    case link(HTTPURL)
}

/// A cursor as a server sent it.
enum PageCursor: Sendable, Hashable, Codable {
    case text(String)
    /// A number, an array or an object, as JSON text.
    case json(String)

    /// The text in a query.
    var text: String {
        switch self {
        case .text(let text), .json(let text): text
        }
    }

    /// The value in a body.
    var document: Document {
        switch self {
        case .text(let text): .string(text)
        case .json(let text): (try? Document(parsing: text)) ?? .null
        }
    }
}

extension Pagination {
    /// Returns the request of a page.
    ///
    /// - Parameters:
    ///   - target: The page.
    ///   - first: The URL of the request for the list, without the parameters of the pagination.
    /// - Returns: The request.
    /// - Throws: `TransportError` if the URL is not usable.
    func request(of target: PageTarget, from first: HTTPURL) throws(TransportError) -> PageRequest {
        if case .link(let url) = target { return PageRequest(url: url) }
        let parameters = parameters(of: target)
        switch placement {
        case .query:
            let items = parameters.map { QueryItem($0.name, $0.value.text) }
            return PageRequest(url: try first.replacingQueryItems(items))
        case .body:
            let members = parameters.map { name, value in
                (Self.keys(of: name) ?? [name]).reversed().reduce(value.document) { value, key in
                    .object([(key, value)])
                }
            }
            return PageRequest(url: first, members: members.reduce([:]) { $0.merging($1) })
        }
    }

    /// Returns the parameters of a page.
    private func parameters(of target: PageTarget) -> [(name: String, value: PageCursor)] {
        var parameters: [(name: String, value: PageCursor)] = []
        var size: Size?
        switch (rule, target) {
        case (.pageNumber(let numbering), .number(let number)),
            (.offset(let numbering), .number(let number)):
            parameters.append((numbering.parameter, .json(String(number))))
            size = numbering.size
        case (.cursor(let cursor), _):
            if case .cursor(let value) = target { parameters.append((cursor.parameter, value)) }
            size = cursor.size
        case (.custom, .parameters(let values)):
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                parameters.append((name, .text(value)))
            }
        case (.linkHeader, _), (.bodyLink, _), (.pageNumber, _), (.offset, _), (.custom, _):
            break
        }
        if let size { parameters.append((size.parameter, .json(String(size.value)))) }
        return parameters
    }

    /// The first page.
    var firstTarget: PageTarget {
        switch rule {
        case .linkHeader, .bodyLink, .cursor: .first
        case .pageNumber(let numbering), .offset(let numbering): .number(numbering.first)
        case .custom(let custom): custom.first.isEmpty ? .first : .parameters(custom.first)
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
            return try cursor.location.cursor(
                in: response, allowsContainers: pagination.placement == .body
            ).map { .cursor($0) }
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
        case (.custom(let rule), _):
            return try Self.successor(
                of: ReceivedPage(
                    response: response, objectCount: count, pageCount: pageCount,
                    totalObjectCount: objectCount), by: rule)
        case (.pageNumber, _), (.offset, _):
            return nil
        }
    }

    static func link(
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
