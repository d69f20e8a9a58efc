// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestTransport

/// The requests for the pages of a list, as a state machine without effects.
///
/// The caller sends each ``nextRequest()`` and passes the response to ``receive(_:)``.
package struct PaginationStateMachine<Value>: Sendable {
    private enum State {
        case initial
        case received(ObjectResponse)
        case finished
    }

    private let pagination: Pagination
    private let assembler: RequestAssembler
    /// The request for the list, without parameters of the pagination.
    private let list: AssembledRequest<Value>
    private let path: String
    private let parameters: Document
    private var state = State.initial
    private var pageCount = 0
    private var requestedURLs: Set<HTTPURL> = []
    private var previousDocument: Document?

    init(
        _ pagination: Pagination, _ request: ObjectRequest<Value>,
        configuration: ObjectManagerConfiguration
    ) throws(NetworkingError) {
        self.pagination = pagination
        assembler = RequestAssembler(configuration: configuration)
        list = try assembler.assemble(request)
        path = list.path
        parameters = list.metadata.parameters ?? [:]
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
    package mutating func nextRequest() throws(NetworkingError) -> AssembledRequest<Value>? {
        let state = state
        self.state = .finished
        switch (state, pagination.rule) {
        case (.finished, _):
            return nil
        case (.initial, .linkHeader):
            requestedURLs = [list.requestedURL]
            return list
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
    ) throws(NetworkingError) -> AssembledRequest<Value>? {
        switch rule {
        case .linkHeader: try linkedRequest(after: response)
        case .pageNumber(let numbering): try numberedRequest(after: response, numbering)
        }
    }

    private mutating func linkedRequest(
        after response: ObjectResponse
    ) throws(NetworkingError) -> AssembledRequest<Value>? {
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
                        + "\(assembler.configuration.client.baseURL.origin)"
                ])
        }
        guard requestedURLs.insert(url).inserted else {
            throw response.error(
                .endlessPagination, stage: .pagination,
                causes: ["the next link leads back to a page already fetched"])
        }
        return list.for(url)
    }

    /// Returns a Boolean value that indicates whether a link may be followed: to the origin of the
    /// base URL, or to an origin that redirects may send credentials to.
    private func isAllowed(_ url: HTTPURL) -> Bool {
        let baseURL = assembler.configuration.client.baseURL
        if url.origin == baseURL.origin { return true }
        let isInsecure = baseURL.scheme == .https && url.scheme == .http
        return assembler.configuration.client.redirects.trustedOrigins.contains(url.origin)
            && (!isInsecure || assembler.configuration.client.redirects.allowsInsecureTarget)
    }

    private func numberedRequest(
        after response: ObjectResponse, _ numbering: PageNumbering
    ) throws(NetworkingError) -> AssembledRequest<Value>? {
        let count = response.representationCount
        if count == 0 { return nil }
        if numbering.end == .shortPage, let size = numbering.size, count < size { return nil }
        return try request(forPage: numbering.first + pageCount, numbering)
    }

    private func request(
        forPage number: Int, _ numbering: PageNumbering
    ) throws(NetworkingError) -> AssembledRequest<Value> {
        let parameters = numbering.parameters(forPage: number, adding: parameters)
        return list.for(
            try assembler.url(for: path, adding: parameters, list.transportRequest.method))
    }
}
