// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import RestDocument
public import RestMapping
public import RestTransport

/// A list that is loaded one page at a time, forwards and backwards.
///
/// ```swift
/// let paginator = try api.paginator(
///     of: Article.self, pathPattern: "articles?per_page=:perPage&page=:currentPage")
/// show(try await paginator.loadPage(1))
/// if try paginator.hasNextPage { show(try await paginator.loadNextPage()) }
/// ```
///
/// The parameters `:perPage`, `:currentPage` and `:offset` of the path pattern are replaced by the
/// values of the page that is loaded. The pagination mapping of the object manager maps each response
/// body onto the ``state``, before and independently of the objects.
///
/// One load runs at a time. It is allowed after every load that has ended, whether it succeeded or
/// not. A failed load resets ``isLoaded`` and ``result``.
///
/// A paginator is also an asynchronous sequence of the pages from the first one on. For lists that
/// are only read forwards, ``Pages`` has more rules.
///
/// - Isolation: Not Sendable. A paginator belongs to the isolation that uses it, usually the main
///   actor, and so do its objects and its callbacks, which therefore need not be Sendable. An actor
///   would exclude objects of classes and make every property asynchronous. Sending, parsing and
///   mapping run outside of the isolation.
/// - Source: `RKPaginator`. Differs: loading functions return the objects, a page before the first
///   one is refused without a request, a canceled load is in ``error``, and the offset of a request
///   always follows from its page.
public final class Paginator<Object> {
    /// The path pattern.
    public let pathPattern: PathPattern

    /// The parameters that are added to the query of every page.
    public let parameters: RequestParameters

    /// The current page and the extent of the list.
    ///
    /// Set ``PaginationState/perPage`` before a load to request pages of another size.
    public var state = PaginationState() {
        didSet { if state != oldValue { onStateChange?(oldValue, state) } }
    }

    /// The objects of the last load; `nil` before it and after a failed one.
    public private(set) var result: [Object]?

    /// The error of the last load; `nil` before it and after a successful one.
    ///
    /// After ``cancel()`` it is a `CancellationError`.
    public private(set) var error: (any Error)?

    /// A Boolean value that indicates whether the last load succeeded.
    public private(set) var isLoaded = false

    /// The mapping report of the last load: of the objects, and of the pagination mapping.
    public private(set) var report = MappingReport()

    /// The last load, which each load replaces; `nil` before the first one.
    public private(set) var lastLoad: PageLoad?

    /// A closure that is called after every change of the state, with the old and the new state.
    public var onStateChange: ((_ old: PaginationState, _ new: PaginationState) -> Void)?

    /// A closure that is called after every load, when all properties have their new values.
    public var onLoad: ((Result<[Object], any Error>) -> Void)?

    /// The maximum number of pages of an iteration, which throws beyond it: 10,000 by default.
    public var maximumPageCount = 10_000

    let manager: ObjectManager
    let reading: ResponseReading<[Object]>
    let mapping: MappingPlan
    private var running: Task<ObjectResponse, any Error>?

    init(
        _ manager: ObjectManager, pathPattern: PathPattern, parameters: RequestParameters,
        mapping: MappingPlan, reading: ResponseReading<[Object]>
    ) {
        self.manager = manager
        self.pathPattern = pathPattern
        self.parameters = parameters
        self.mapping = mapping
        self.reading = reading
    }

    deinit {
        running?.cancel()
    }

    /// A Boolean value that indicates whether a load is in progress.
    public var isLoading: Bool { running != nil }

    /// Cancels the load in progress, if there is one.
    ///
    /// The load has ended when this function returns: the ``error`` is a `CancellationError`, and
    /// another load may begin.
    public func cancel() {
        guard let running else { return }
        running.cancel()
        end(.failure(CancellationError()))
    }

    /// Begins a load.
    fileprivate func begin(
        _ page: Int, _ url: HTTPURL, _ task: Task<ObjectResponse, any Error>
    ) -> Int {
        let number = (lastLoad?.number ?? 0) + 1
        running = task
        lastLoad = PageLoad(number: number, page: page, url: url)
        report = MappingReport()
        var next = state
        next.currentPage = page
        next.offset = nil
        state = next
        return number
    }

    /// Sets the response of the load in progress, and the state that it describes.
    fileprivate func receive(_ response: ObjectResponse) {
        lastLoad?.head = response.head
        guard let root = response.document?.root else { return }
        // The objects are independent of the pagination data, so its errors are issues only.
        let mapped = try? mapping.object(updating: state, from: root, report: &report)
        state = state.adopting(mapped ?? state)
    }

    /// Ends the load in progress: all properties have their values before the closure is called.
    fileprivate func end(_ outcome: Result<[Object], any Error>, _ report: MappingReport? = nil) {
        running = nil
        switch outcome {
        case .success(let objects):
            result = objects
            error = nil
            isLoaded = true
        case .failure(let failure):
            result = nil
            error = failure
            isLoaded = false
        }
        if let report { self.report.add(report) }
        onLoad?(outcome)
    }
}

@available(*, unavailable)
extension Paginator: Sendable {}

/// A load of a page by a ``Paginator``.
public struct PageLoad: Sendable {
    /// The number of the load among those of the paginator, from 1.
    public let number: Int

    /// The number of the page that was requested.
    public let page: Int

    /// The URL that was requested.
    public let url: HTTPURL

    /// The status and header fields of the response; `nil` before it is received, and for a response
    /// that is an error.
    public internal(set) var head: HTTPResponse?
}

// MARK: - Loading

extension Paginator {
    /// Loads a page.
    ///
    /// - Parameter page: The number of the page, from 1.
    /// - Returns: The objects, which are also the ``result``.
    /// - Throws: ``NetworkingError``, with code ``NetworkingError/Code/loadInProgress`` if a load has
    ///   not ended, or ``NetworkingError/Code/pageUnavailable`` for a number less than 1; the state
    ///   is then unchanged. `CancellationError` if the load or the caller's task is canceled.
    @discardableResult
    public func loadPage(_ page: Int) async throws -> [Object] {
        try await load(page).objects
    }

    /// Loads the page after the current one.
    ///
    /// Whether it exists is not checked.
    ///
    /// - Throws: The errors of ``loadPage(_:)``, with code
    ///   ``NetworkingError/Code/pageUnavailable`` if there is no current page.
    @discardableResult
    public func loadNextPage() async throws -> [Object] {
        let current = try currentPage("the next page")
        return try await loadPage(current == .max ? current : current + 1)
    }

    /// Loads the page before the current one.
    ///
    /// - Throws: The errors of ``loadPage(_:)``, with code
    ///   ``NetworkingError/Code/pageUnavailable`` if there is no current page or no page before it.
    @discardableResult
    public func loadPreviousPage() async throws -> [Object] {
        try await loadPage(currentPage("the previous page") - 1)
    }

    func load(_ page: Int) async throws -> Page<Object> {
        guard !isLoading else {
            throw refusal(.loadInProgress, "a page is being loaded; cancel it or wait for its end")
        }
        guard page > 0 else {
            throw refusal(.pageUnavailable, "the first page is page 1")
        }
        let request = try request(forPage: page)
        let task = Task { [manager] in try await manager.response(to: request) }
        let number = begin(page, request.transportRequest.url, task)
        do {
            let response = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            try check(number)
            receive(response)
            let (objects, report) = try await manager.objects(of: request, in: response)
            try check(number)
            end(.success(objects), report)
            return Page(
                objects: objects, url: response.url, head: response.head, report: self.report,
                index: page - 1, totalObjects: state.objectCount, totalPages: state.pageCount,
                nextPosition: nil)
        } catch {
            if isCurrent(number) { end(.failure(error)) }
            throw error
        }
    }

    private func isCurrent(_ number: Int) -> Bool { isLoading && lastLoad?.number == number }

    /// Throws an error if a load was canceled.
    private func check(_ number: Int) throws {
        guard isCurrent(number) else { throw CancellationError() }
    }

    /// Returns an error of a function that the state does not allow.
    func refusal(_ code: NetworkingError.Code, _ cause: String) -> NetworkingError {
        NetworkingError(
            code, stage: .pagination, causes: ["paginator \"\(pathPattern)\": \(cause)"])
    }
}
