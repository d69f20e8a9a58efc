// SPDX-License-Identifier: Apache-2.0

import RestMapping
import RestTransport

/// The pages of a list, as an asynchronous sequence that fetches each page on demand.
///
/// ```swift
/// for try await page in api.pages(of: Article.self, at: "articles", by: .linkHeader) {
///     print(page.index, page.objects.count)
/// }
/// for try await article in api.pages(of: Article.self, at: "articles", by: .pageNumber()).objects {
///     print(article.title)
/// }
/// ```
///
/// Every iteration starts with the first page, or at ``start``. An iteration ends after an error.
/// All pages are mapped by the response descriptors for the path of the first one, whatever the
/// links of the server look like.
///
/// The sequence keeps the configuration that the manager had when the sequence was created.
///
/// Memory and work for a page do not depend on the number of pages before it.
public struct Pages<Object>: AsyncSequence, Sendable {
    /// A page of the list.
    public typealias Element = Page<Object>

    /// The error type: ``NetworkingError`` or `CancellationError`.
    public typealias Failure = any Error

    /// A position in the list.
    public typealias Position = PagePosition

    /// The position of the first page of an iteration; `nil`, the default, for that of the list.
    ///
    /// The pagination, the path and the parameters of a position must be those of the iteration that
    /// it comes from.
    public var start: Position?

    /// A Boolean value that indicates whether the next page is requested while the caller works on
    /// the current one; `false` by default.
    ///
    /// At most one page is requested ahead. The request is canceled when the iterator is no longer
    /// used.
    public var prefetchesNextPage = false

    let manager: ObjectManager
    let pagination: Pagination
    /// The request for the list, without the parameters of the pagination; its error is thrown by
    /// the first iteration step.
    let request: Result<AssembledRequest<[Object]>, NetworkingError>

    /// Creates an iterator that has fetched nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self)
    }

    /// An iterator over the pages of a list.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: Pages
        private var pager: ResponsePager?

        init(pages: Pages) {
            self.pages = pages
        }

        /// Fetches the next page; returns `nil` after the last one.
        public mutating func next() async throws -> Page<Object>? {
            try await next(isolation: #isolation)
        }

        /// Fetches the next page in the caller's isolation; returns `nil` after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Page<Object>? {
            var pager = try pager ?? pages.pager()
            do {
                let received = try await pager.next()
                self.pager = pager
                guard let received else { return nil }
                let (objects, report) = try await pages.manager.objects(
                    of: pages.request.get(), in: received.response)
                return Page(objects, report, of: received)
            } catch {
                pager.finish()
                self.pager = pager
                throw error
            }
        }
    }

    private func pager() throws(NetworkingError) -> ResponsePager {
        try manager.pager(
            for: request.get(), by: pagination, from: start, prefetching: prefetchesNextPage)
    }
}

extension ObjectManager {
    /// Returns a pager that has fetched nothing yet.
    ///
    /// All pages are read as the response to the first request, by the descriptors for its URL.
    ///
    /// - Parameters:
    ///   - request: The request for the list, without the parameters of the pagination.
    ///   - pagination: The pagination of the list.
    ///   - start: The position to resume from; `nil` for the first page.
    ///   - prefetches: A Boolean value that indicates whether the next page is requested ahead.
    /// - Returns: The pager.
    /// - Throws: ``NetworkingError`` for an invalid pagination, a position in another list, or a
    ///   request without the body that the pagination needs.
    package func pager<Value>(
        for request: AssembledRequest<Value>, by pagination: Pagination, from start: PagePosition?,
        prefetching prefetches: Bool
    ) throws(NetworkingError) -> ResponsePager {
        if pagination.placement == .body { try request.checkBodyForPages() }
        let machine = try PaginationStateMachine(
            pagination, from: request.transportRequest.url, at: start,
            client: request.configuration.value.client)
        return ResponsePager(machine, prefetching: prefetches) { page in
            try await self.response(to: request.for(page))
        }
    }

    /// Maps a response into objects, outside of the caller's isolation.
    @concurrent
    func objects<Object>(
        of request: AssembledRequest<[Object]>, in response: ObjectResponse
    ) async throws -> sending (objects: [Object], report: MappingReport) {
        let reading = request.reading
        return try await map(response) { response, report in
            let objects = try await read(response, by: reading, &report)
            return (objects: objects, report: report)
        }
    }
}
