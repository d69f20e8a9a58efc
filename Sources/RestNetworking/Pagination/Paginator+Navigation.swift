// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestTransport

extension Paginator {
    /// The number of objects in a page: 25, unless it was set or a response said otherwise.
    public var perPage: Int {
        get { state.perPage }
        set { state.perPage = newValue }
    }

    /// The number of the current page, from 1; `nil` before the first load.
    public var currentPage: Int? { state.currentPage }

    /// The number of objects before the current page; 0 before the first load.
    public var offset: Int { state.offset ?? state.offset(ofPage: state.currentPage ?? 1) ?? .max }

    /// The number of pages; `nil` if it is not known.
    public var pageCount: Int? { state.pageCount }

    /// The number of objects in the list; `nil` if it is not known.
    public var objectCount: Int? { state.objectCount }

    /// A Boolean value that indicates whether a page follows the current one.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/pageUnavailable`` if no page is
    ///   loaded, or if the number of pages is not known.
    public var hasNextPage: Bool {
        get throws(NetworkingError) {
            let current = try loadedPage("hasNextPage")
            guard let pageCount else {
                throw refusal(
                    .pageUnavailable,
                    "hasNextPage needs the number of pages, which no response named")
            }
            return current < pageCount
        }
    }

    /// A Boolean value that indicates whether a page precedes the current one.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/pageUnavailable`` if no page is
    ///   loaded.
    public var hasPreviousPage: Bool {
        get throws(NetworkingError) { try loadedPage("hasPreviousPage") > 1 }
    }

    /// The path and query of the current page, relative to the base URL; those of the first page
    /// before the first load.
    ///
    /// - Throws: The errors of ``url``.
    public var path: String {
        get throws(NetworkingError) {
            let url = try url
            return url.relativePart(to: manager.baseURL) ?? url.requestTarget
        }
    }

    /// The URL of the current page; that of the first page before the first load.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` if the
    ///   pattern has other parameters than those of a paginator, or with code
    ///   ``NetworkingError/Code/crossOrigin``.
    public var url: HTTPURL {
        get throws(NetworkingError) {
            try request(forPage: currentPage ?? 1).transportRequest.url
        }
    }

    /// Returns the request for a page.
    func request(forPage page: Int) throws(NetworkingError) -> AssembledRequest<[Object]> {
        let path = try path(ofPage: page)
        return try manager.assemble(
            ObjectRequest(reading, .get, .path(path), parameters: parameters))
    }

    /// Returns the pattern with the values of a page.
    private func path(ofPage page: Int) throws(NetworkingError) -> String {
        guard let offset = state.offset(ofPage: page) else {
            throw refusal(.pageUnavailable, "the offset of page \(page) is too large")
        }
        let values = ["perPage": perPage, "currentPage": page, "offset": offset]
        return try pathPattern.interpolated(with: values).path
    }

    /// Returns the current page, or throws if there was no load.
    func currentPage(_ purpose: String) throws(NetworkingError) -> Int {
        guard let currentPage else {
            throw refusal(.pageUnavailable, "\(purpose) needs a current page; load a page first")
        }
        return currentPage
    }

    private func loadedPage(_ purpose: String) throws(NetworkingError) -> Int {
        guard isLoaded else {
            throw refusal(.pageUnavailable, "\(purpose) needs a loaded page; load a page first")
        }
        return try currentPage(purpose)
    }
}

// MARK: - Sequence

extension Paginator: AsyncSequence {
    /// A page of the list.
    public typealias Element = Page<Object>

    /// The error type: ``NetworkingError`` or `CancellationError`.
    public typealias Failure = any Error

    /// Creates an iterator that loads the first page next.
    public func makeAsyncIterator() -> Iterator {
        Iterator(paginator: self)
    }

    /// An iterator over the pages of a list.
    ///
    /// It loads each page through the paginator, which shows its state. The list ends with the page
    /// count, or at a page without objects while the page count is not known.
    public struct Iterator: AsyncIteratorProtocol {
        private let paginator: Paginator
        private var page = 1
        private var isFinished = false

        init(paginator: Paginator) {
            self.paginator = paginator
        }

        /// Loads the next page; returns `nil` after the last one.
        public mutating func next() async throws -> Page<Object>? {
            try await next(isolation: #isolation)
        }

        /// Loads the next page in the caller's isolation; returns `nil` after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Page<Object>? {
            guard !isFinished else { return nil }
            isFinished = true
            guard page <= paginator.maximumPageCount else {
                throw paginator.refusal(
                    .endlessPagination, "more than \(paginator.maximumPageCount) pages")
            }
            let loaded = try await paginator.load(page)
            if loaded.objects.isEmpty, paginator.pageCount == nil {
                return page == 1 ? loaded : nil
            }
            // The number is counted here, as a server that repeats one would never end the list.
            isFinished = paginator.pageCount.map { page >= $0 } ?? false
            page += 1
            return loaded
        }
    }
}

@available(*, unavailable)
extension Paginator.Iterator: Sendable {}
