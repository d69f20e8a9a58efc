// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
import RestPersistence
import RestTransport

/// The state of an iteration over pages.
struct WalkState: Sendable {
    let request: AssembledRequest<ObjectResponse>
    var pager: ResponsePager
    /// The record in the collection of the list; `nil` if the request has no collection.
    var recorder: WalkRecorder?
    /// The moment of the store before the first page; `nil` if no object is deleted at the end.
    var moment: CommitPosition?
    var isFinished = false
    /// A Boolean value that indicates whether the next page is that of a stored position.
    var isAtStoredPosition = false
}

/// The traversal of the pages of a list: what is requested, and how each page is imported.
struct PageTraversal: Sendable {
    let manager: ObjectManager
    /// The request for the list, without the parameters of the pagination; its error is thrown by the first
    /// iteration step.
    let request: Result<AssembledRequest<ObjectResponse>, any Error>
    /// The treatment of the responses.
    let requestOptions: ManagedRequestOptions
    let pagination: Pagination

    /// See ``ManagedPages/start``.
    var start: PagePosition?
    /// See ``ManagedPages/prefetchesNextPage``.
    var prefetchesNextPage = false
    /// See ``ManagedPages/resumes``.
    var resumes = false
    /// See ``ManagedPages/validatesStoredPages``.
    var validatesStoredPages = true
    /// See ``ManagedPages/collectionParameters``.
    var collectionParameters: Set<String>?
    /// See ``ManagedPages/orphans``.
    var orphans = OrphanPolicy.keep

    /// Creates a traversal, whose request is assembled now and sent by the iteration.
    init(
        _ manager: ObjectManager, by pagination: Pagination, _ make: () throws -> ManagedRequest
    ) {
        self.manager = manager
        self.pagination = pagination
        var options = ManagedRequestOptions()
        request = Result {
            let request = try make()
            options = request.options
            var assembled = try manager.assemble(request.request, forPagesBy: pagination)
            assembled.destination = .store
            return assembled
        }
        requestOptions = options
        collectionParameters = options.collectionParameters
    }

    /// The options of a page.
    private var options: ManagedRequestOptions {
        var options = requestOptions.forPartOfList
        options.collectionParameters = collectionParameters
        return options
    }

    /// Imports a page.
    func importPage(
        _ page: PageResponse, _ state: WalkState, into destination: ImportDestination
    ) async throws -> ManagedResult {
        try await manager.importPage(page, options, state.recorder, into: destination)
    }
}

extension PageTraversal {
    /// Returns the state before the first page, or before the one at which a walk continues.
    @concurrent
    func begin(_ reader: CollectionReader) async throws -> WalkState {
        try await begin(reader, resumes: resumes)
    }

    /// Returns the next page; `nil` after the last one.
    ///
    /// A walk that continues at a stored position, which the server does not accept any more, starts
    /// again with the first page.
    @concurrent
    func nextPage(
        _ state: inout WalkState, _ reader: CollectionReader
    ) async throws -> PageResponse? {
        try await wrapping(state.request) { try await reader.content.checkContent() }
        let isAtStoredPosition = state.isAtStoredPosition
        state.isAtStoredPosition = false
        let page: PageResponse?
        do {
            page = try await state.pager.next()
        } catch let error as NetworkingError {
            guard isAtStoredPosition, let status = error.status,
                [400, 404, 410, 422].contains(status)
            else { throw error }
            state = try await begin(reader, resumes: false)
            page = try await state.pager.next()
        }
        // The first request may have got the credentials of the user.
        if let page, state.recorder?.isFirst == true {
            state.recorder?.request.setUser(of: page.response.request)
        }
        return page
    }

    private func begin(_ reader: CollectionReader, resumes: Bool) async throws -> WalkState {
        var request = try request.get()
        let key = try manager.collectionRequest(
            of: request.transportRequest, options, isPaged: true)
        guard let key else {
            return WalkState(request: request, pager: try pager(request, start))
        }
        let version = MappingVersion.digest(
            of: request.candidateDescriptors, model: reader.modelText,
            text: manager.mappingVersion)
        let stored = try await wrapping(request) { try await reader.collection(of: key) }
        let recorder = WalkRecorder(
            key, version: version, stored: stored, start: start, resumes: resumes,
            pagination: pagination)
        // A walk that may delete proves that the pages are those of the server, so it requests them.
        let isReusable =
            validatesStoredPages && orphans.maximumShare == nil && stored?.facts.version == version
        let storedPages =
            isReusable ? try await wrapping(request) { try await reader.pages(of: key) } : []
        let pages = WalkedPages(storedPages, of: key, pagination)
        request.makeInterceptor = { PageInterceptor(pages, reader) }
        request.acceptedStatusCodes = [304]
        return WalkState(
            request: request, pager: try pager(request, recorder.start), recorder: recorder,
            moment: orphans.maximumShare == nil ? nil : reader.beginWalk(),
            isAtStoredPosition: start == nil && !recorder.isFirst)
    }

    /// Returns what a closure reads from the store.
    ///
    /// - Throws: ``SyncError`` with code `fetchFailed`; `CancellationError`.
    private func wrapping<Result>(
        _ request: AssembledRequest<ObjectResponse>, _ read: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await read()
        } catch let error as PersistenceError {
            throw SyncError(.fetchFailed, request.transportRequest, error)
        }
    }

    private func pager(
        _ request: AssembledRequest<ObjectResponse>, _ start: PagePosition?
    ) throws(NetworkingError) -> ResponsePager {
        try manager.pager(
            for: request, by: pagination, from: start, prefetching: prefetchesNextPage)
    }

    /// Notes later what a walk has seen, if the store does not have it: unchanged pages write nothing.
    func noteLater(_ state: WalkState, _ reader: CollectionReader) {
        guard let request = state.recorder?.request else { return }
        let clock = state.request.configuration.value.client.clock
        let time = clock.now + WalkRecorder.noteInterval
        reader.noteWalk(over: request) { try await clock.sleep(until: time) }
    }

    /// Ends an iteration before the end of the list, and notes where it continues.
    func stop(_ state: inout WalkState, _ reader: CollectionReader) async {
        state.pager.finish()
        state.isFinished = true
        if let request = state.recorder?.request { await reader.noteWalk(over: request) }
    }

    /// Completes the collection of the list after the last page.
    @concurrent
    func complete(
        _ state: WalkState, _ collections: CollectionReader, _ walk: inout PageTraversalResult
    ) async throws {
        guard let recorder = state.recorder else { return }
        let completion = WalkCompletion(
            recorder: recorder, policy: orphans, collections: collections, manager: manager,
            firstRequest: state.request, pager: state.pager, moment: state.moment)
        try await completion.run(into: &walk)
    }
}
