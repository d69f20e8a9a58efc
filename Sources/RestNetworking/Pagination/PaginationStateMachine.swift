// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import RestDocument
package import RestTransport

/// The requests for the pages of a list, as a state machine without effects.
///
/// The caller sends each ``nextRequest()`` and passes the response to ``receive(_:)``.
package struct PaginationStateMachine: Sendable {
    private enum State {
        case initial
        case received(ObjectResponse)
        case finished
    }

    private let pagination: Pagination
    private let assembler: RequestAssembler
    private let path: String
    private let parameters: Document
    private var state = State.initial
    private var pageCount = 0
    private var requestedURLs: Set<HTTPURL> = []
    private var previousDocument: Document?

    package init(
        _ pagination: Pagination, at path: String, parameters: Document,
        configuration: ObjectManagerConfiguration
    ) {
        self.pagination = pagination
        self.path = path
        self.parameters = parameters
        assembler = RequestAssembler(configuration: configuration)
    }

    /// Ends the pagination before the last page.
    package mutating func finish() {
        state = .finished
    }

    /// Returns the request for the next page; `nil` after the last one.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/crossOrigin`` for a link
    ///   that leads to an origin that is not allowed, ``NetworkingError/Code/endlessPagination`` for
    ///   a link to an earlier page or for too many pages. The pagination is finished then.
    package mutating func nextRequest() throws(NetworkingError) -> TransportRequest? {
        let state = state
        self.state = .finished
        switch (state, pagination.rule) {
        case (.finished, _):
            return nil
        case (.initial, .linkHeader):
            let request = try assembler.request(.get, at: path, parameters: parameters)
            requestedURLs = [request.url]
            return request
        case (.initial, .pageNumber(let numbering)):
            return try request(forPage: numbering.first, numbering)
        case (.received(let response), let rule):
            let next = try request(after: response, rule)
            guard next == nil || pageCount < pagination.maximumPageCount else {
                throw response.error(
                    .endlessPagination, stage: .pagination,
                    causes: ["more than \(pagination.maximumPageCount) pages"])
            }
            return next
        }
    }

    /// Receives the response to the last request.
    ///
    /// - Parameter response: The response.
    /// - Returns: `true` if the response is a page of the list, `false` if it is empty and only
    ///   marks the end.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/endlessPagination`` if the
    ///   page equals the previous one. The pagination is finished then.
    package mutating func receive(_ response: ObjectResponse) throws(NetworkingError) -> Bool {
        if case .pageNumber = pagination.rule, pageCount > 0 {
            if response.representationCount == 0 { return false }
            if let document = response.document, document.root == previousDocument?.root {
                throw response.error(
                    .endlessPagination, stage: .pagination,
                    causes: ["the page is the same as the one before"])
            }
        }
        previousDocument = response.document
        pageCount += 1
        state = .received(response)
        return true
    }

    private mutating func request(
        after response: ObjectResponse, _ rule: Pagination.Rule
    ) throws(NetworkingError) -> TransportRequest? {
        switch rule {
        case .linkHeader: try linkedRequest(after: response)
        case .pageNumber(let numbering): try numberedRequest(after: response, numbering)
        }
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
                .crossOrigin, stage: .pagination, causes: ["the next link is not a usable URL"],
                underlying: error)
        }
        guard isAllowed(url) else {
            throw response.error(
                .crossOrigin, stage: .pagination,
                causes: [
                    "the next link leads to \(url.origin), the base URL is on "
                        + "\(assembler.client.baseURL.origin)"
                ])
        }
        guard requestedURLs.insert(url).inserted else {
            throw response.error(
                .endlessPagination, stage: .pagination,
                causes: ["the next link leads back to a page already fetched"])
        }
        var request = response.request
        request.url = url
        return request
    }

    /// Returns a Boolean value that indicates whether a link may be followed: to the origin of the
    /// base URL, or to an origin that redirects may send credentials to.
    private func isAllowed(_ url: HTTPURL) -> Bool {
        let baseURL = assembler.client.baseURL
        if url.origin == baseURL.origin { return true }
        let isInsecure = baseURL.scheme == .https && url.scheme == .http
        return assembler.client.redirects.trustedOrigins.contains(url.origin)
            && (!isInsecure || assembler.client.redirects.allowsInsecureTarget)
    }

    private func numberedRequest(
        after response: ObjectResponse, _ numbering: PageNumbering
    ) throws(NetworkingError) -> TransportRequest? {
        let count = response.representationCount
        if count == 0 { return nil }
        if numbering.end == .shortPage, let size = numbering.size, count < size { return nil }
        return try request(forPage: numbering.first + pageCount, numbering)
    }

    private func request(
        forPage number: Int, _ numbering: PageNumbering
    ) throws(NetworkingError) -> TransportRequest {
        let parameters = numbering.parameters(forPage: number, adding: parameters)
        return try assembler.request(.get, at: path, parameters: parameters)
    }
}
