// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestNetworking
public import RestPersistence

/// The pages of a list, as an asynchronous sequence that fetches and saves each page on demand.
///
/// Every iteration starts with the first page. An iteration ends after an error. The store then
/// contains the pages before the one that failed.
public struct ManagedPages<Object: ManagedEntity>: AsyncSequence, Sendable {
    /// The result of importing a page.
    public typealias Element = ManagedResult

    /// The error type; see `ObjectManager.getObjects(_:at:parameters:into:)`.
    public typealias Failure = any Error

    let manager: ObjectManager
    let path: String
    let parameters: RequestParameters
    let pagination: Pagination
    let store: ManagedObjectStore

    /// Creates an iterator that has fetched nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// An iterator over the pages of a list.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: ManagedPages
        private var pager: ResponsePager<ObjectResponse>?

        init(_ pages: ManagedPages) {
            self.pages = pages
        }

        /// Fetches and saves the next page; returns `nil` after the last one.
        public mutating func next() async throws -> ManagedResult? {
            try await next(isolation: #isolation)
        }

        /// Fetches and saves the next page; returns `nil` after the last one.
        ///
        /// - Isolation: Suspends in the caller's isolation.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> ManagedResult? {
            var pager = try pager ?? pages.pager()
            do {
                let response = try await pager.next()
                self.pager = pager
                guard let response else { return nil }
                return try await pages.manager.importResponse(response, into: pages.store)
            } catch {
                pager.finish()
                self.pager = pager
                throw error
            }
        }
    }

    private func pager() throws(NetworkingError) -> ResponsePager<ObjectResponse> {
        let request = ObjectRequest<ObjectResponse>(
            .get, to: .path(path), parameters: parameters,
            expecting: ObjectManager.defaultDescriptor(for: Object.self))
        return try ResponsePager(manager, by: pagination, request)
    }
}

extension ObjectManager {
    /// Returns the pages of a list of objects, which are imported into a store.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - pagination: The pagination of the list.
    ///   - store: The store to import into.
    /// - Returns: An asynchronous sequence of pages.
    public func pages<Object: ManagedEntity>(
        of type: Object.Type, at path: String, parameters: RequestParameters = [:],
        by pagination: Pagination, into store: ManagedObjectStore
    ) -> ManagedPages<Object> {
        ManagedPages(
            manager: self, path: path, parameters: parameters, pagination: pagination,
            store: store)
    }
}
