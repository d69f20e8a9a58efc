// SPDX-License-Identifier: Apache-2.0

public import RestMapping
public import RestTransport

/// One page of a list.
public struct Page<Object> {
    /// The objects in document order.
    public let objects: [Object]

    /// The URL the page came from.
    public let url: HTTPURL

    /// What was met while mapping.
    public let report: MappingReport
}

extension Page: Sendable where Object: Sendable {}

/// The pages of a list, fetched one by one as they are asked for.
///
/// Every walk over it begins anew. After an error the walk is over.
public struct Pages<Object: Mapped>: AsyncSequence, Sendable {
    /// What a walk gives.
    public typealias Element = Page<Object>

    /// What a walk throws: ``NetworkingError`` or `CancellationError`.
    public typealias Failure = any Error

    let manager: ObjectManager
    let path: String
    let parameters: RequestParameters
    let pagination: Pagination

    /// Begins a walk; nothing is fetched yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self)
    }

    /// A walk from page to page.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case fresh
            case next(TransportRequest, PageWalk)
            case finished
        }

        private let pages: Pages
        private var state = State.fresh

        init(pages: Pages) {
            self.pages = pages
        }

        /// Fetches the next page; `nil` after the last one.
        public mutating func next() async throws -> Page<Object>? {
            try await next(isolation: #isolation)
        }

        /// Fetches the next page in the isolation of the caller; `nil` after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Page<Object>? {
            var walk: PageWalk
            let request: TransportRequest
            switch state {
            case .finished:
                return nil
            case .fresh:
                walk = PageWalk(
                    pages.pagination, at: pages.path, parameters: pages.parameters,
                    client: pages.manager.client)
                state = .finished
                request = try walk.start()
            case .next(let next, let current):
                walk = current
                state = .finished
                request = next
            }
            let (page, response) = try await pages.manager.page(Object.self, request)
            if let next = try walk.next(after: response) {
                state = .next(next, walk)
            }
            return page
        }
    }
}

extension ObjectManager {
    /// The pages of a list of objects.
    ///
    /// A descriptor that was added for the type and the path says where in the document the objects
    /// are; without one they are the whole document.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - path: A path under the base URL.
    ///   - parameters: What goes into the query.
    ///   - pagination: How to get from one page to the next.
    /// - Returns: The pages, to be walked with `for try await`.
    public func pages<Object: Mapped>(
        of type: Object.Type, at path: String, parameters: RequestParameters = [:],
        by pagination: Pagination
    ) -> Pages<Object> {
        Pages(manager: self, path: path, parameters: parameters, pagination: pagination)
    }

    @concurrent
    fileprivate func page<Object: Mapped>(
        _ type: Object.Type, _ request: TransportRequest
    ) async throws -> sending (page: Page<Object>, response: ObjectResponse) {
        let expected = try defaultDescriptor(for: type)
        let response = try await response(to: request, expecting: expected)
        let (objects, report) = try response.objects(type)
        return (Page(objects: objects, url: response.url, report: report), response)
    }
}
