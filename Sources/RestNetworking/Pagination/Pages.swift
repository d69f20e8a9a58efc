// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestMapping
public import RestTransport

/// A page of a list.
public struct Page<Object> {
    /// The objects in document order.
    public let objects: [Object]

    /// The URL of the page.
    public let url: HTTPURL

    /// The mapping report of the page.
    public let report: MappingReport
}

extension Page: Sendable where Object: Sendable {}

/// The pages of a list, as an asynchronous sequence that fetches each page on demand.
///
/// Every iteration starts with the first page. An iteration ends after an error.
public struct Pages<Object: Mapped>: AsyncSequence, Sendable {
    /// A page of the list.
    public typealias Element = Page<Object>

    /// The error type: ``NetworkingError`` or `CancellationError`.
    public typealias Failure = any Error

    let manager: ObjectManager
    let path: String
    let parameters: RequestParameters
    let pagination: Pagination

    /// Creates an iterator that has fetched nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self)
    }

    /// An iterator over the pages of a list.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: Pages
        private var pager: ResponsePager<[Object]>?

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
                let response = try await pager.next()
                self.pager = pager
                guard let response else { return nil }
                return try await pages.page(from: response)
            } catch {
                pager.finish()
                self.pager = pager
                throw error
            }
        }
    }

    private func pager() throws(NetworkingError) -> ResponsePager<[Object]> {
        let request = ObjectRequest<[Object]>(
            .objects(of: Object.self), .get, .path(path), parameters: parameters)
        return try ResponsePager(manager, by: pagination, request)
    }

    @concurrent
    private func page(from response: ObjectResponse) async throws -> sending Page<Object> {
        try await manager.map(response) { response, report in
            let reading = ResponseReading.objects(of: Object.self)
            let objects = try await reading.map(response, &report)
            return Page(objects: objects, url: response.url, report: report)
        }
    }
}

extension ObjectManager {
    /// Returns the pages of a list of objects.
    ///
    /// A response descriptor for the type and the path gives the key path of the objects. Without
    /// one, the whole document is mapped.
    ///
    /// - Parameters:
    ///   - type: The type of the objects.
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - pagination: The pagination of the list.
    /// - Returns: An asynchronous sequence of pages.
    public func pages<Object: Mapped>(
        of type: Object.Type, at path: String, parameters: RequestParameters = [:],
        by pagination: Pagination
    ) -> Pages<Object> {
        Pages(manager: self, path: path, parameters: parameters, pagination: pagination)
    }
}
