// SPDX-License-Identifier: Apache-2.0

public import RestDocument
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
    let parameters: Document
    let pagination: Pagination

    /// Begins a walk; nothing is fetched yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self)
    }

    /// A walk from page to page.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: Pages
        private var walk: ResponseWalk?

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
            var walk = try walk ?? pages.walk()
            do {
                let response = try await walk.next()
                self.walk = walk
                guard let response else { return nil }
                return try await pages.page(of: response)
            } catch {
                walk.end()
                self.walk = walk
                throw error
            }
        }
    }

    private func walk() throws(NetworkingError) -> ResponseWalk {
        ResponseWalk(
            manager, by: pagination, at: path, parameters: parameters,
            expecting: try manager.defaultDescriptor(for: Object.self))
    }

    @concurrent
    private func page(of response: ObjectResponse) async throws -> sending Page<Object> {
        let (objects, report) = try response.objects(Object.self)
        await manager.markMapped(response)
        return Page(objects: objects, url: response.url, report: report)
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
    ///   - parameters: An object whose members go into the query, as a form.
    ///   - pagination: How to get from one page to the next.
    /// - Returns: The pages, to be walked with `for try await`.
    public func pages<Object: Mapped>(
        of type: Object.Type, at path: String, parameters: Document = [:],
        by pagination: Pagination
    ) -> Pages<Object> {
        Pages(manager: self, path: path, parameters: parameters, pagination: pagination)
    }
}
