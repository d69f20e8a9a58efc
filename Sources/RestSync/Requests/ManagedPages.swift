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

/// The pages of a list, as an asynchronous sequence that fetches and saves each page on demand.
///
/// Every iteration starts with the first page, or at ``start``. An iteration ends after an error.
/// The store then contains the pages before the one that failed. An iteration belongs to the content of the store
/// at its start, and ends with an error after a reset.
public struct ManagedPages<Object: ManagedEntity>: AsyncSequence, Sendable {
    /// The result of importing a page.
    public typealias Element = ManagedPage

    /// The error type; see `ObjectManager.getObjects(_:at:parameters:keyPath:into:configure:)`.
    public typealias Failure = any Error

    /// The position of the first page of an iteration; `nil`, the default, for that of the list.
    public var start: PagePosition?

    /// A Boolean value that indicates whether the next page is requested while the current one is
    /// imported and while the caller works on it; `false` by default.
    public var prefetchesNextPage = false

    /// A Boolean value that indicates whether an iteration continues the last one if that did not reach
    /// the end; `false` by default.
    ///
    /// The position of the next page is saved with the rows of each page that has changed something, so that a
    /// walk continues where its process ended; a process that is killed repeats the unchanged pages of the last
    /// three seconds. Without an unfinished walk, if the model or the mappings have changed, or
    /// if the server refuses the position, the iteration starts with the first page.
    public var resumes = false

    /// A Boolean value that indicates whether the validators of stored pages are sent; `true` by default.
    ///
    /// The server then confirms unmodified pages instead of sending them, and their rows stay as they
    /// are. Without validators, every page is sent and written over changes that were made in the store.
    public var validatesStoredPages = true

    /// The names of the query's parameters that distinguish collections; `nil`, the default, for all.
    ///
    /// See ``ManagedRequestOptions/collectionParameters``. With a token in the query, no walk would resume
    /// one with another token, or find the objects that the list has lost.
    public var collectionParameters: Set<String>?

    /// The treatment of the objects that an earlier walk found and a complete one does not;
    /// ``OrphanPolicy/keep`` by default.
    public var orphans = OrphanPolicy.keep

    let manager: ObjectManager
    /// The request for the list, without the parameters of the pagination; its error is thrown by the first
    /// iteration step.
    let request: Result<AssembledRequest<ObjectResponse>, any Error>
    /// The treatment of the responses.
    let requestOptions: ManagedRequestOptions
    let pagination: Pagination
    /// The store to import into; `nil` for that of the manager.
    let store: ManagedObjectStore?

    /// Creates an iterator that has fetched nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self)
    }

    /// Fetches and saves all pages, and deletes the objects that ``orphans`` says.
    ///
    /// - Returns: The result at the end of the list.
    /// - Throws: The errors of iterating. The store then contains the pages before the one that failed,
    ///   and nothing was deleted.
    @concurrent
    public func fetchAll() async throws -> ManagedWalk {
        var iterator = makeAsyncIterator()
        while try await iterator.next() != nil {}
        return iterator.walk
    }

    /// An iterator over the pages of a list.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: ManagedPages
        private var state: WalkState?
        /// The content of the store at the start of the iteration.
        private var store: StoreContent?
        /// The result so far, which is complete after ``next()`` has returned `nil`.
        public private(set) var walk = ManagedWalk()

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
            let store = try self.store ?? pages.manager.destination(pages.store).content
            self.store = store
            var state: WalkState
            if let current = self.state {
                state = current
            } else {
                state = try await pages.begin(store.collectionReader)
            }
            if state.isFinished { return nil }
            do {
                guard let received = try await pages.nextPage(&state, store.collectionReader) else {
                    state.isFinished = true
                    self.state = state
                    try await pages.complete(state, store.collectionReader, &walk)
                    return nil
                }
                self.state = state
                let page = try await pages.importPage(received, state, into: store)
                self.state?.recorder?.isFirst = false
                pages.noteLater(state, store.collectionReader)
                walk.pageCount += 1
                return page
            } catch {
                await pages.stop(&state, store.collectionReader)
                self.state = state
                throw error
            }
        }
    }

    /// The options of a page, which does not contain the objects of the other pages, so that they are
    /// no orphans.
    var options: ManagedRequestOptions {
        var options = requestOptions
        options.deletesOrphanedObjects = false
        options.fetchRequestRules = []
        options.collectionParameters = collectionParameters
        return options
    }

    private func importPage(
        _ received: PageResponse, _ state: WalkState, into store: StoreContent
    ) async throws -> ManagedPage {
        let result = try await manager.importPage(
            received, options, state.recorder, into: store)
        return ManagedPage(result, received.page)
    }
}

extension ManagedPages {
    /// Creates the pages of a list, whose request is assembled now and sent by the iteration.
    init(
        _ manager: ObjectManager, at target: some RequestTargetConvertible,
        _ parameters: RequestParameters, _ keyPath: DocumentPath?, by pagination: Pagination,
        into store: ManagedObjectStore?, _ configure: (inout ManagedRequest) throws -> Void
    ) {
        self.manager = manager
        self.pagination = pagination
        self.store = store
        var options = ManagedRequestOptions()
        request = Result {
            let request = try ManagedRequest(
                for: Object.self, at: target, parameters, keyPath, configure)
            options = request.options
            var assembled = try manager.assemble(request.request, forPagesBy: pagination)
            assembled.destination = .store
            return assembled
        }
        requestOptions = options
        collectionParameters = options.collectionParameters
    }
}

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
    ) -> ManagedPages<Object> {
        ManagedPages(
            self, at: target, parameters, keyPath, by: pagination, into: store, configure)
    }

    // Without this function, a call that names no destination is ambiguous.

    /// Returns the pages of a list of objects, which are imported into the ``store`` of the manager.
    public func pages<Object: ManagedEntity>(
        of type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil, by pagination: Pagination
    ) -> ManagedPages<Object> {
        pages(
            of: type, at: target, parameters: parameters, keyPath: keyPath, by: pagination,
            into: nil)
    }
}
