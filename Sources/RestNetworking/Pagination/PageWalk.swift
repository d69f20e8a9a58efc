// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import RestDocument
package import RestTransport

/// The way from page to page, as a state machine without effects: it says what to ask for and is
/// told every response.
package struct PageWalk: Sendable {
    private enum State {
        case fresh
        case received(ObjectResponse)
        case finished
    }

    private let pagination: Pagination
    private let assembler: RequestAssembler
    private let path: String
    private let parameters: Document
    private var state = State.fresh
    private var pageCount = 0
    private var visited: Set<HTTPURL> = []
    private var previous: Document?

    package init(
        _ pagination: Pagination, at path: String, parameters: Document,
        configuration: ObjectManagerConfiguration
    ) {
        self.pagination = pagination
        self.path = path
        self.parameters = parameters
        assembler = RequestAssembler(configuration: configuration)
    }

    /// Ends the walk where it is.
    package mutating func end() {
        state = .finished
    }

    /// The request of the next page; `nil` after the last one.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/foreignOrigin`` for a link
    ///   that leads away from the base URL's origin, ``NetworkingError/Code/endlessPagination`` for
    ///   a link back or for too many pages. The walk is over then.
    package mutating func request() throws(NetworkingError) -> TransportRequest? {
        let state = state
        self.state = .finished
        switch (state, pagination.rule) {
        case (.finished, _):
            return nil
        case (.fresh, .linkHeader):
            let request = try assembler.request(.get, at: path, parameters: parameters)
            visited = [request.url]
            return request
        case (.fresh, .pageNumber(let numbering)):
            return try request(ofPage: numbering.first, numbering)
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

    /// Takes the response to the last request.
    ///
    /// - Parameter response: The response.
    /// - Returns: Whether it is a page of the list; an empty one that only marks the end is not.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/endlessPagination`` if the
    ///   page is the one before again. The walk is over then.
    package mutating func receive(_ response: ObjectResponse) throws(NetworkingError) -> Bool {
        if case .pageNumber = pagination.rule, pageCount > 0 {
            if response.representationCount == 0 { return false }
            if let document = response.document, document.root == previous?.root {
                throw response.error(
                    .endlessPagination, stage: .pagination,
                    causes: ["the page is the same as the one before"])
            }
        }
        previous = response.document
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
                .foreignOrigin, stage: .pagination, causes: ["the next link is not a usable URL"],
                underlying: error)
        }
        guard isAllowed(url) else {
            throw response.error(
                .foreignOrigin, stage: .pagination,
                causes: [
                    "the next link leads to \(url.origin), the base URL is on "
                        + "\(assembler.client.baseURL.origin)"
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
        let base = assembler.client.baseURL
        if url.origin == base.origin { return true }
        let isInsecure = base.scheme == .https && url.scheme == .http
        return assembler.client.redirects.trustedOrigins.contains(url.origin)
            && (!isInsecure || assembler.client.redirects.allowsInsecureTarget)
    }

    private func numberedRequest(
        after response: ObjectResponse, _ numbering: PageNumbering
    ) throws(NetworkingError) -> TransportRequest? {
        let count = response.representationCount
        if count == 0 { return nil }
        if numbering.end == .shortPage, let size = numbering.size, count < size { return nil }
        return try request(ofPage: numbering.first + pageCount, numbering)
    }

    private func request(
        ofPage number: Int, _ numbering: PageNumbering
    ) throws(NetworkingError) -> TransportRequest {
        let parameters = numbering.parameters(ofPage: number, with: parameters)
        return try assembler.request(.get, at: path, parameters: parameters)
    }
}
