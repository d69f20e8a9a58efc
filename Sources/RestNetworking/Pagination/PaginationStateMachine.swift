// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
package import RestTransport

/// The requests for the pages of a list, as a state machine without effects.
///
/// The caller sends a request for each ``nextRequest()`` and passes its response to ``receive(_:)`` or
/// its error to ``isEnd(_:)``. The machine keeps at most one document and a fixed number of digests.
package struct PaginationStateMachine: Sendable {
    private enum State {
        case ready(PageTarget, PageRequest)
        case requested(PageTarget, PageRequest)
        case failed(NetworkingError)
        case finished
    }

    /// The facts about a page that its response and the preceding pages determine.
    package struct Page: Sendable {
        /// The number of pages before this one.
        package let index: Int
        /// The number of objects in the list, as the server sent it.
        package let totalObjects: Int?
        /// The number of pages of the list, as the server sent it.
        package let totalPages: Int?
        /// The position of the next page; `nil` if there is none.
        package let nextPosition: PagePosition?
    }

    /// A response that is no page and only marks the end of the list.
    package struct End: Sendable {
        /// The request.
        package let request: PageRequest
        /// A Boolean value that indicates whether the response is a list without elements; `false` for
        /// any other body without objects.
        package let isList: Bool
        /// The status of the response: 200 or 404.
        package let status: Int

        /// Returns a Boolean value that indicates whether another response marks the same end.
        package func isMarked(by response: ObjectResponse) -> Bool {
            status == response.head.status.code && response.representationCount == 0
                && isList == response.isList
        }
    }

    /// The response that marked the end of the list; `nil` if a page did.
    package private(set) var end: End?

    private let pagination: Pagination
    private let firstURL: HTTPURL
    private let client: HTTPClient
    private var state = State.finished
    private var pageCount = 0
    private var objectCount = 0
    private var history = RequestHistory()
    private var previousDocument: Document?
    /// A Boolean value that indicates whether the last page has the only element of the one before.
    private var hasRepeatedElement = false

    /// Creates a machine before the first page, or before a position.
    ///
    /// - Parameters:
    ///   - pagination: The pagination.
    ///   - firstURL: The URL of the list, without the parameters of the pagination.
    ///   - position: The position to resume from; `nil` for the first page.
    ///   - client: The client, whose base URL and trusted origins links may lead to.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidConfiguration`` for an
    ///   invalid pagination, or ``NetworkingError/Code/invalidRequest`` for the position of another
    ///   list.
    package init(
        _ pagination: Pagination, from firstURL: HTTPURL, at position: PagePosition? = nil,
        client: HTTPClient
    ) throws(NetworkingError) {
        let diagnostics = pagination.diagnostics
        guard diagnostics.isEmpty else {
            throw NetworkingError(
                .invalidConfiguration, stage: .pagination, url: firstURL.redacted,
                causes: diagnostics)
        }
        self.pagination = pagination
        self.firstURL = firstURL
        self.client = client
        var target = pagination.firstTarget
        if let position {
            target = try position.target(in: pagination, from: firstURL)
            pageCount = position.pageCount
            objectCount = position.objectCount
        }
        state = try ready(target) { code, causes, underlying in
            NetworkingError(
                code, stage: .pagination, url: firstURL.redacted, causes: causes,
                underlying: underlying)
        }
    }

    /// A Boolean value that indicates whether ``nextRequest()`` returns a request.
    package var hasNextRequest: Bool {
        if case .ready = state { true } else { false }
    }

    /// The number of digests of requests in memory.
    package var digestCount: Int { history.digestCount }

    /// Ends the pagination before the last page.
    package mutating func finish() {
        state = .finished
        previousDocument = nil
    }

    /// Returns the request of the next page; `nil` after the last one.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/crossOrigin`` for a link
    ///   that leads to an origin that is not allowed, ``NetworkingError/Code/mappingFailed`` for a
    ///   cursor or link of another kind than text, ``NetworkingError/Code/endlessPagination`` for
    ///   a request that repeats an earlier one or for too many pages. The pagination is finished
    ///   then.
    package mutating func nextRequest() throws(NetworkingError) -> PageRequest? {
        switch state {
        case .ready(let target, let request):
            state = .requested(target, request)
            return request
        case .failed(let error):
            finish()
            throw error
        case .requested, .finished:
            finish()
            return nil
        }
    }

    /// Receives the response to the last request.
    ///
    /// - Parameter response: The response.
    /// - Returns: The page; `nil` if the response is empty and only marks the end.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/endlessPagination`` if the
    ///   page equals the previous one although its number differs, for a page of one element only if it
    ///   does so again, or
    ///   ``NetworkingError/Code/unexpectedStatus`` if the page was not modified and is not stored. The
    ///   pagination is finished then.
    package mutating func receive(_ response: ObjectResponse) throws(NetworkingError) -> Page? {
        guard case .requested(let target, let request) = state else { return nil }
        state = .finished
        if response.head.status == .notModified { return try receiveUnmodified(response) }
        let count = response.representationCount
        if case .number = target, pageCount > 0 {
            if count == 0, pagination.ends.contains(.emptyPage) {
                finish()
                end = End(
                    request: request, isList: response.isList, status: response.head.status.code)
                return nil
            }
            let isRepeated =
                count > 0 && response.document != nil
                && response.document?.root == previousDocument?.root
            // An insertion before the last element shifts it to the next page, once.
            defer { hasRepeatedElement = isRepeated }
            if isRepeated, count > 1 || hasRepeatedElement {
                finish()
                throw response.error(
                    .endlessPagination, stage: .pagination,
                    causes: ["the page is the same as the one before"])
            }
            previousDocument = response.document
        } else if case .number = target {
            previousDocument = response.document
        }
        let index = pageCount
        pageCount += 1
        objectCount += count
        state = successor(of: target, after: response, count: count)
        return Page(
            index: index, totalObjects: pagination.totalObjects?.count(in: response),
            totalPages: pagination.totalPages?.count(in: response), nextPosition: position)
    }

    /// Receives a response without body, in place of which the stored page is used.
    private mutating func receiveUnmodified(
        _ response: ObjectResponse
    ) throws(NetworkingError) -> Page {
        guard let stored = (response.interceptor as? any PageValidator)?.unmodifiedPage else {
            finish()
            throw response.error(
                .unexpectedStatus, stage: .response,
                causes: ["the page was not modified, and the store does not have it"])
        }
        let index = pageCount
        pageCount += 1
        objectCount += stored.representationCount
        previousDocument = nil
        if let next = stored.nextPosition {
            do throws(NetworkingError) {
                state = try ready(next.target(in: pagination, from: firstURL)) {
                    code, causes, underlying in
                    response.error(code, stage: .pagination, causes: causes, underlying: underlying)
                }
            } catch {
                state = .failed(error)
            }
        }
        return Page(
            index: index, totalObjects: stored.totalObjects, totalPages: stored.totalPages,
            nextPosition: position)
    }

    /// Returns a Boolean value that indicates whether an error in place of a response marks the end
    /// of the list.
    package mutating func isEnd(_ error: any Error) -> Bool {
        defer { finish() }
        guard pagination.ends.contains(.notFound), pageCount > 0,
            (error as? NetworkingError)?.status == 404
        else { return false }
        if case .requested(_, let request) = state {
            end = End(request: request, isList: true, status: 404)
        }
        return true
    }

    /// The position of the next page; `nil` if there is none.
    private var position: PagePosition? {
        guard case .ready(let target, _) = state else { return nil }
        return PagePosition(
            of: target, in: pagination, from: firstURL, pageCount: pageCount,
            objectCount: objectCount)
    }

    /// Returns the state after a page.
    ///
    /// An error is thrown when the next page is requested, so that this page is not lost.
    private mutating func successor(
        of target: PageTarget, after response: ObjectResponse, count: Int
    ) -> State {
        do throws(NetworkingError) {
            let next = try target.successor(
                after: response, count: count, in: pagination, pageCount: pageCount,
                objectCount: objectCount)
            guard let next else { return .finished }
            return try ready(next) { code, causes, underlying in
                response.error(code, stage: .pagination, causes: causes, underlying: underlying)
            }
        } catch {
            return .failed(error)
        }
    }

    private mutating func ready(
        _ target: PageTarget,
        _ error: (NetworkingError.Code, [String], TransportError?) -> NetworkingError
    ) throws(NetworkingError) -> State {
        guard pageCount < pagination.maximumPageCount else {
            throw error(.endlessPagination, ["more than \(pagination.maximumPageCount) pages"], nil)
        }
        let request: PageRequest
        do throws(TransportError) {
            request = try pagination.request(of: target, from: firstURL)
        } catch let transportError {
            throw error(
                .invalidRequest, ["the URL of the next page is not usable"], transportError)
        }
        guard isAllowed(request.url) else {
            throw error(
                .crossOrigin,
                [
                    "the next link leads to \(request.url.origin), the base URL is on "
                        + "\(client.baseURL.origin)"
                ],
                nil)
        }
        guard history.insert(request) else {
            throw error(
                .endlessPagination, ["the next page is one that was already fetched"], nil)
        }
        return .ready(target, request)
    }

    /// Returns a Boolean value that indicates whether a page may be requested from a URL: from the
    /// origin of the base URL, or an origin that redirects may send credentials to.
    private func isAllowed(_ url: HTTPURL) -> Bool {
        let baseURL = client.baseURL
        if url.origin == baseURL.origin { return true }
        let isInsecure = baseURL.scheme == .https && url.scheme == .http
        return client.redirects.trustedOrigins.contains(url.origin)
            && (!isInsecure || client.redirects.allowsInsecureTarget)
    }
}

extension ObjectResponse {
    /// A Boolean value that indicates whether the body is a list, at the key path of the objects.
    package var isList: Bool {
        !matches.isEmpty && matches.allSatisfy { $0.representation.kind == .array }
    }
}
