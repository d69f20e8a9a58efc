// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestNetworking
public import RestPersistence

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

/// The pages of a list, as an asynchronous sequence that imports each page into a context on demand.
///
/// An iteration ends after an error. The context then contains the pages before the one that failed.
/// Not Sendable: iterate where the context belongs.
public struct ContextPages<Object: ManagedEntity>: AsyncSequence {
    /// A page with its objects.
    public typealias Element = ContextPage<Object>

    /// The error type; see `ObjectManager.getObjects(_:at:parameters:keyPath:in:configure:)`.
    public typealias Failure = any Error

    /// The position of the first page of an iteration; `nil`, the default, for that of the list.
    public var start: PagePosition? {
        get { list.start }
        set { list.start = newValue }
    }

    /// A Boolean value that indicates whether the next page is requested while the current one is
    /// imported and while the caller works on it; `false` by default.
    public var prefetchesNextPage: Bool {
        get { list.prefetchesNextPage }
        set { list.prefetchesNextPage = newValue }
    }

    /// A Boolean value that indicates whether the validators of stored pages are sent; `true` by default.
    ///
    /// See ``ManagedPages/validatesStoredPages``.
    public var validatesStoredPages: Bool {
        get { list.validatesStoredPages }
        set { list.validatesStoredPages = newValue }
    }

    /// The names of the query's parameters that distinguish collections; `nil`, the default, for all.
    ///
    /// See ``ManagedPages/collectionParameters``.
    public var collectionParameters: Set<String>? {
        get { list.collectionParameters }
        set { list.collectionParameters = newValue }
    }

    var list: ManagedPages<Object>
    let context: ManagedObjectContext

    /// Creates an iterator that has fetched nothing yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self)
    }

    /// An iterator over the pages of a list.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: ContextPages
        private var state: WalkState?

        init(pages: ContextPages) {
            self.pages = pages
        }

        /// Fetches the next page and imports it; returns `nil` after the last one.
        public mutating func next() async throws -> ContextPage<Object>? {
            try await next(isolation: #isolation)
        }

        /// Fetches the next page and imports it; returns `nil` after the last one.
        ///
        /// - Isolation: Suspends in the caller's isolation.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> ContextPage<Object>? {
            let collections = pages.context.collectionReader
            var state: WalkState
            if let current = self.state {
                state = current
            } else {
                state = try await pages.list.begin(collections)
            }
            if state.isFinished { return nil }
            do {
                guard let received = try await pages.list.nextPage(&state, collections) else {
                    state.isFinished = true
                    self.state = state
                    var walk = ManagedWalk()
                    try await pages.list.complete(state, collections, &walk)
                    return nil
                }
                self.state = state
                let page = try await pages.importPage(received, state)
                self.state?.recorder?.isFirst = false
                pages.list.noteLater(state, collections)
                return page
            } catch {
                await pages.list.stop(&state, collections)
                self.state = state
                throw error
            }
        }
    }

    private func importPage(
        _ received: PageResponse, _ state: WalkState
    ) async throws -> ContextPage<Object> {
        let result = try await list.manager.importPage(
            received, list.options, state.recorder, in: context)
        let objects = try context.objects(with: result.objectIDs).compactMap { $0 as? Object }
        return ContextPage(objects: objects, page: ManagedPage(result, received.page))
    }
}

extension ObjectManager {
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
    ) -> ContextPages<Object> {
        ContextPages(
            list: ManagedPages(
                self, at: target, parameters, keyPath, by: pagination, into: nil, configure),
            context: context)
    }
}
