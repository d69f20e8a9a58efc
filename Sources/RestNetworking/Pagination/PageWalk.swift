// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
package import RestTransport

/// The way from page to page, as a state machine without effects: it is told every response and
/// says what to ask for next.
///
/// Not Sendable: belongs to the one who walks.
package struct PageWalk {
    private let pagination: Pagination
    private let client: HTTPClient
    private let path: String
    private let parameters: RequestParameters
    private var pageCount = 0
    private var visited: Set<HTTPURL> = []
    private var previous: Document?

    /// Whether the last page was told.
    package private(set) var isFinished = false

    package init(
        _ pagination: Pagination, at path: String, parameters: RequestParameters, client: HTTPClient
    ) {
        self.pagination = pagination
        self.path = path
        self.parameters = parameters
        self.client = client
    }

    /// The request of the first page.
    package mutating func start() throws(NetworkingError) -> TransportRequest {
        switch pagination.rule {
        case .linkHeader:
            let request = try RequestAssembler(client: client)
                .request(.get, at: path, parameters: parameters)
            visited = [request.url]
            return request
        case .pageNumber(let numbering):
            return try request(ofPage: numbering.first, numbering)
        }
    }

    /// The request of the page after a response; `nil` if there is none.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/foreignOrigin`` for a link
    ///   that leads away from the base URL's origin, ``NetworkingError/Code/endlessPagination`` for
    ///   pages that repeat or are too many.
    package mutating func next(
        after response: ObjectResponse
    ) throws(NetworkingError) -> TransportRequest? {
        pageCount += 1
        let next: TransportRequest?
        switch pagination.rule {
        case .linkHeader: next = try linkedRequest(after: response)
        case .pageNumber(let numbering): next = try numberedRequest(after: response, numbering)
        }
        guard next != nil else {
            isFinished = true
            return nil
        }
        guard pageCount < pagination.maximumPageCount else {
            throw response.error(
                .endlessPagination, stage: .pagination,
                causes: ["more than \(pagination.maximumPageCount) pages"])
        }
        return next
    }

    private mutating func linkedRequest(
        after response: ObjectResponse
    ) throws(NetworkingError) -> TransportRequest? {
        guard let target = LinkField(of: response.head).target(of: "next") else { return nil }
        let url: HTTPURL
        do throws(TransportError) {
            url = try response.url.resolving(target)
        } catch {
            throw response.error(
                .foreignOrigin, stage: .pagination, causes: ["the next link is not a usable URL"],
                underlying: error)
        }
        guard isAllowed(url) else {
            throw response.error(
                .foreignOrigin, stage: .pagination,
                causes: [
                    "the next link leads to \(url.origin), the base URL is on "
                        + "\(client.baseURL.origin)"
                ])
        }
        guard visited.insert(url).inserted else {
            throw response.error(
                .endlessPagination, stage: .pagination,
                causes: ["the next link leads back to a page already fetched"])
        }
        var request = response.request
        request.url = url
        return request
    }

    /// A link may lead where the base URL is, and where redirects may take everything along.
    private func isAllowed(_ url: HTTPURL) -> Bool {
        let base = client.baseURL
        if url.origin == base.origin { return true }
        let isInsecure = base.scheme == .https && url.scheme == .http
        return client.redirects.trustedOrigins.contains(url.origin)
            && (!isInsecure || client.redirects.allowsInsecureTarget)
    }

    private mutating func numberedRequest(
        after response: ObjectResponse, _ numbering: PageNumbering
    ) throws(NetworkingError) -> TransportRequest? {
        let count = response.representationCount
        if count == 0 { return nil }
        if numbering.end == .shortPage, let size = numbering.size, count < size { return nil }
        if let document = response.document, let previous, document.root == previous.root {
            throw response.error(
                .endlessPagination, stage: .pagination,
                causes: ["the page is the same as the one before"])
        }
        previous = response.document
        return try request(ofPage: numbering.first + pageCount, numbering)
    }

    private func request(
        ofPage number: Int, _ numbering: PageNumbering
    ) throws(NetworkingError) -> TransportRequest {
        var parameters = parameters
        for entry in numbering.parameters(ofPage: number).entries {
            parameters[entry.name] = entry.value
        }
        return try RequestAssembler(client: client)
            .request(.get, at: path, parameters: parameters)
    }
}
