// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
public import RestMapping
public import RestNetworking
public import RestPersistence
public import RestTransport

/// The result of importing a page of a list into a store or a context.
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

    /// A Boolean value that indicates whether the server confirmed the page as unmodified instead of
    /// sending it.
    public var isNotModified: Bool { result.isNotModified }

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

/// A page of managed objects of a context.
///
/// Not Sendable: the objects belong to the context.
public struct ContextPage<Object: ManagedEntity> {
    /// The objects in document order.
    public let objects: [Object]

    /// The result of importing the page.
    public let page: ManagedPage
}

@available(*, unavailable)
extension ContextPage: Sendable {}

/// The pages of a list, as an asynchronous sequence that fetches and saves each page on demand.
///
/// A page of a list that is imported into a store is a ``ManagedPage``, one of a list that is imported into a
/// context a ``ContextPage``.
///
/// Every iteration starts with the first page, or at ``start``. An iteration ends after an error.
/// The destination then contains the pages before the one that failed. An iteration belongs to the content of the
/// store at its start, and ends with an error after a reset.
///
/// The pages of a context are not Sendable: iterate where the context belongs.
public struct ManagedPages<Page>: AsyncSequence {
    /// A page.
    public typealias Element = Page

    /// The error type; see `ObjectManager.getObjects(_:at:parameters:keyPath:into:configure:)`.
    public typealias Failure = any Error

    /// The position of the first page of an iteration; `nil`, the default, for that of the list.
    public var start: PagePosition? {
        get { traversal.start }
        set { traversal.start = newValue }
    }

    /// A Boolean value that indicates whether the next page is requested while the current one is
    /// imported and while the caller works on it; `false` by default.
    public var prefetchesNextPage: Bool {
        get { traversal.prefetchesNextPage }
        set { traversal.prefetchesNextPage = newValue }
    }

    /// A Boolean value that indicates whether an iteration continues the last one if that did not reach
    /// the end; `false` by default.
    ///
    /// The position of the next page is saved with the rows of each page that has changed something, so that a
    /// walk continues where its process ended; a process that is killed repeats the unchanged pages of the last
    /// three seconds. Without an unfinished walk, if the model or the mappings have changed, or
    /// if the server refuses the position, the iteration starts with the first page.
    public var resumes: Bool {
        get { traversal.resumes }
        set { traversal.resumes = newValue }
    }

    /// A Boolean value that indicates whether the validators of stored pages are sent; `true` by default.
    ///
    /// The server then confirms unmodified pages instead of sending them, and their rows stay as they
    /// are. Without validators, every page is sent and written over changes that were made in the store.
    public var validatesStoredPages: Bool {
        get { traversal.validatesStoredPages }
        set { traversal.validatesStoredPages = newValue }
    }

    /// The names of the query's parameters that distinguish collections; `nil`, the default, for all.
    ///
    /// See ``ManagedRequestOptions/collectionParameters``. With a token in the query, no walk would resume
    /// one with another token, or find the objects that the list has lost.
    public var collectionParameters: Set<String>? {
        get { traversal.collectionParameters }
        set { traversal.collectionParameters = newValue }
    }

    /// The treatment of the objects that an earlier walk found and a complete one does not;
    /// ``OrphanPolicy/keep`` by default.
    public var orphans: OrphanPolicy {
        get { traversal.orphans }
        set { traversal.orphans = newValue }
    }

    var traversal: PageTraversal
    /// Returns the store or the context that an iteration imports into.
    let destination: () throws -> ImportDestination
    /// Returns a page from the result of its import.
    let page: (ManagedPage) throws -> Page

    /// Creates an iterator that has fetched nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self)
    }

    /// Fetches and saves all pages, and deletes the objects that ``orphans`` says.
    ///
    /// - Returns: The result at the end of the list.
    /// - Throws: The errors of iterating. The destination then contains the pages before the one that failed,
    ///   and nothing was deleted.
    public func fetchAll() async throws -> PageTraversalResult {
        var iterator = makeAsyncIterator()
        while try await iterator.next() != nil {}
        return iterator.result
    }

    /// An iterator over the pages of a list.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: ManagedPages
        private var state: WalkState?
        /// The context, or the content of the store at the start of the iteration.
        private var destination: ImportDestination?
        /// The result so far, which is complete after ``next()`` has returned `nil`.
        public private(set) var result = PageTraversalResult()

        init(pages: ManagedPages) {
            self.pages = pages
        }

        /// Fetches and saves the next page; returns `nil` after the last one.
        public mutating func next() async throws -> Page? {
            try await next(isolation: #isolation)
        }

        /// Fetches and saves the next page; returns `nil` after the last one.
        ///
        /// - Isolation: Suspends in the caller's isolation.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Page? {
            let destination = try self.destination ?? pages.destination()
            self.destination = destination
            let collections = destination.collections
            var state: WalkState
            if let current = self.state {
                state = current
            } else {
                state = try await pages.traversal.begin(collections)
            }
            if state.isFinished { return nil }
            do {
                guard let received = try await pages.traversal.nextPage(&state, collections) else {
                    state.isFinished = true
                    self.state = state
                    try await pages.traversal.complete(state, collections, &result)
                    return nil
                }
                self.state = state
                let imported = try await pages.traversal.importPage(
                    received, state, into: destination)
                let page = try pages.page(ManagedPage(imported, received.page))
                self.state?.recorder?.isFirst = false
                pages.traversal.noteLater(state, collections)
                result.pageCount += 1
                return page
            } catch {
                await pages.traversal.stop(&state, collections)
                self.state = state
                throw error
            }
        }
    }
}

// Invariant: only the pages of a context are not Sendable, and all others have no context as their destination.
extension ManagedPages: @unchecked Sendable where Page: Sendable {}

extension ObjectManager {
    /// Returns the pages of a list of objects, which are imported into a store.
    ///
    /// The request is created by this function and sent by the iteration, which also throws its errors.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: The parameters of the query, form-encoded; of the body, if `configure` sets a method
    ///     such as POST.
    ///   - keyPath: The location of the objects in a response, in place of that of a descriptor.
    ///   - pagination: The pagination of the list.
    ///   - store: The store to import into; `nil` for the ``store`` of the manager.
    ///   - configure: Sets further properties of the requests and the treatment of the responses. Pages delete
    ///     no orphans by fetch requests.
    /// - Returns: An asynchronous sequence of pages. The first one is an error if there is no store.
    public func pages<Object: ManagedEntity>(
        of type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        by pagination: Pagination,
        into store: ManagedObjectStore? = nil,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) -> ManagedPages<ManagedPage> {
        ManagedPages(
            traversal: PageTraversal(self, by: pagination) {
                try ManagedRequest(for: type, at: target, parameters, keyPath, configure)
            },
            destination: { .store(try self.destination(store).content) },
            page: { $0 })
    }

    // Without this function, a call that names no destination is ambiguous.

    /// Returns the pages of a list of objects, which are imported into the ``store`` of the manager.
    public func pages<Object: ManagedEntity>(
        of type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil, by pagination: Pagination
    ) -> ManagedPages<ManagedPage> {
        pages(
            of: type, at: target, parameters: parameters, keyPath: keyPath, by: pagination,
            into: nil)
    }

    /// Returns the pages of a list of objects, which are imported into a context.
    ///
    /// Each page is saved to the store, as by ``ManagedRequestOptions/savesToPersistentStore``; edits of the
    /// context stay unsaved.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - keyPath: The location of the objects in a response, in place of that of a descriptor.
    ///   - pagination: The pagination of the list.
    ///   - context: A context of the caller.
    ///   - configure: Sets further properties of the requests and the treatment of the responses.
    /// - Returns: An asynchronous sequence of pages.
    public func pages<Object: ManagedEntity>(
        of type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        by pagination: Pagination,
        in context: ManagedObjectContext,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) -> ManagedPages<ContextPage<Object>> {
        ManagedPages(
            traversal: PageTraversal(self, by: pagination) {
                try ManagedRequest(for: type, at: target, parameters, keyPath, configure)
            },
            destination: { .context(context) },
            page: { page in
                ContextPage(
                    objects: try context.objects(with: page.objectIDs).compactMap { $0 as? Object },
                    page: page)
            })
    }
}
