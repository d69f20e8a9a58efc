// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
public import RestMapping
public import RestNetworking
public import RestPersistence
public import RestTransport

/// The result of importing a page of a list into a store.
public struct ManagedPage: Sendable {
    /// The result of the import.
    public let result: ManagedResult

    /// The number of pages before this one.
    public let index: Int

    /// The number of objects in the list; `nil` if the server does not send it.
    public let totalObjects: Int?

    /// The number of pages of the list; `nil` if the server does not send it.
    public let totalPages: Int?

    /// The position of the next page, from which a later iteration can resume.
    ///
    /// The rows of this page are saved. The position is `nil` for the last page, and if the next
    /// page cannot be requested. In the latter case the iteration ends with an error.
    public let nextPosition: PagePosition?

    /// The IDs of the imported objects in document order.
    public var objectIDs: [ManagedObjectID] { result.objectIDs }

    /// The rows that the transaction wrote, including those of related objects.
    public var changes: SaveReport { result.changes }

    /// The mapping report.
    public var report: MappingReport { result.report }

    /// The URL of the response.
    public var url: HTTPURL { result.url }

    init(_ result: ManagedResult, _ page: PaginationStateMachine.Page) {
        self.result = result
        index = page.index
        totalObjects = page.totalObjects
        totalPages = page.totalPages
        nextPosition = page.nextPosition
    }
}

/// The pages of a list, as an asynchronous sequence that fetches and saves each page on demand.
///
/// Every iteration starts with the first page, or at ``start``. An iteration ends after an error.
/// The store then contains the pages before the one that failed.
public struct ManagedPages<Object: ManagedEntity>: AsyncSequence, Sendable {
    /// The result of importing a page.
    public typealias Element = ManagedPage

    /// The error type; see `ObjectManager.getObjects(_:at:parameters:into:)`.
    public typealias Failure = any Error

    /// The position of the first page of an iteration; `nil`, the default, for that of the list.
    public var start: PagePosition?

    /// A Boolean value that indicates whether the next page is requested while the current one is
    /// imported and while the caller works on it; `false` by default.
    public var prefetchesNextPage = false

    let manager: ObjectManager
    let path: String
    let parameters: RequestParameters
    let pagination: Pagination
    /// The store to import into; `nil` for that of the manager.
    let store: ManagedObjectStore?
    var keyPath: DocumentPath?

    /// Creates an iterator that has fetched nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self)
    }

    /// An iterator over the pages of a list.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: ManagedPages
        private var pager: ResponsePager?

        init(pages: ManagedPages) {
            self.pages = pages
        }

        /// Fetches and saves the next page; returns `nil` after the last one.
        public mutating func next() async throws -> ManagedPage? {
            try await next(isolation: #isolation)
        }

        /// Fetches and saves the next page; returns `nil` after the last one.
        ///
        /// - Isolation: Suspends in the caller's isolation.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> ManagedPage? {
            let store = try pages.manager.destination(pages.store)
            var pager = try pager ?? pages.pager()
            do {
                let received = try await pager.next()
                self.pager = pager
                guard let received else { return nil }
                return try await pages.importPage(received, into: store)
            } catch {
                pager.finish()
                self.pager = pager
                throw error
            }
        }
    }

    func pager() throws(NetworkingError) -> ResponsePager {
        var request = ObjectRequest<ObjectResponse>(
            .get, to: .path(path), parameters: parameters,
            expecting: ObjectManager.defaultDescriptor(for: Object.self))
        request.keyPath = keyPath
        let assembled = try manager.assemble(request)
        return try manager.pager(
            for: assembled, by: pagination, from: start, prefetching: prefetchesNextPage)
    }

    /// The options of a page, which does not contain the objects of the other pages, so that they are
    /// no orphans.
    static var options: ManagedRequestOptions {
        var options = ManagedRequestOptions()
        options.deletesOrphanedObjects = false
        options.fetchRequestRules = []
        return options
    }

    private func importPage(
        _ received: PageResponse, into store: ManagedObjectStore
    ) async throws -> ManagedPage {
        let result = try await manager.importResponse(
            received.response, Self.options, into: store)
        return ManagedPage(result, received.page)
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

    /// Returns the pages of a list of objects, which are imported into the ``store`` of the manager.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - keyPath: The location of the objects in a response, in place of that of a descriptor.
    ///   - pagination: The pagination of the list.
    /// - Returns: An asynchronous sequence of pages. The first one is an error if the manager has no
    ///   store.
    public func pages<Object: ManagedEntity>(
        of type: Object.Type, at path: String, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, by pagination: Pagination
    ) -> ManagedPages<Object> {
        ManagedPages(
            manager: self, path: path, parameters: parameters, pagination: pagination,
            store: nil, keyPath: keyPath)
    }
}
