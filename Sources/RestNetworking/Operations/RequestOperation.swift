// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestMapping
public import RestTransport
import Synchronization

/// A request that is executed by an ``ObjectRequestQueue``, without the type of its value.
///
/// ``ObjectRequestOperation`` is the same operation with the type of its value. An operation is an
/// object because it has an identity: it is enqueued once, finishes once, and can be cancelled from
/// anywhere.
///
/// - Isolation: All members can be used from any isolation. No callback runs under a lock.
public final class RequestOperation: Sendable {
    /// The request.
    public let request: TransportRequest

    /// The metadata that the caller passed to the mapping.
    public let mappingMetadata: Document

    /// The kind of the operation, which performs it.
    public let kind: any OperationKind

    /// The configuration in which the request was assembled.
    let configuration: ConfigurationSnapshot

    private let work: @Sendable (RequestOperation) async throws -> OperationSummary
    private let didFinish: @Sendable (RequestOperation) -> Void
    let record: Mutex<OperationRecord>

    /// The operations within whose work the task is, the outermost first.
    @TaskLocal static var executing: [RequestOperation] = []

    /// The operations that are executing and within whose work this one was created.
    let scope: [RequestOperation]

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - metadata: The metadata that the caller passed to the mapping.
    ///   - configuration: The configuration in which the request was assembled.
    ///   - kind: The kind of the operation.
    ///   - priority: The priority in the queue.
    ///   - willMapDocument: See ``willMapDocument``.
    ///   - isImport: A Boolean value that indicates whether the work saves its result.
    ///   - work: Sends the request and maps its response. It must not refer to the operation.
    ///   - didFinish: Delivers the outcome. It must not refer to the operation.
    init(
        _ request: TransportRequest, metadata: Document,
        configuration: ConfigurationSnapshot, kind: any OperationKind,
        priority: RequestPriority, willMapDocument: OperationRecord.WillMapDocument?,
        isImport: Bool = false,
        work: @escaping @Sendable (RequestOperation) async throws -> OperationSummary,
        didFinish: @escaping @Sendable (RequestOperation) -> Void
    ) {
        self.request = request
        self.mappingMetadata = metadata
        self.configuration = configuration
        self.kind = kind
        self.work = work
        self.didFinish = didFinish
        scope = Self.executing.filter { !$0.state.isFinished }
        record = Mutex(
            OperationRecord(
                priority: priority, willMapDocument: willMapDocument, isImport: isImport))
    }

    /// The state.
    public var state: OperationState { record.withLock(\.state) }

    /// The state and all states that follow, as a sequence that ends when the operation is finished.
    ///
    /// The sequence begins with the current state. Each access returns a sequence of its own.
    public var states: AsyncStream<OperationState> {
        let (stream, continuation) = AsyncStream.makeStream(of: OperationState.self)
        record.withLock { $0.addObserver(continuation) }
        return stream
    }

    /// A Boolean value that indicates whether the operation was cancelled.
    public var isCancelled: Bool { state.isCancelled }

    /// The priority in the queue.
    ///
    /// A change takes effect until the operation starts, and when its response waits to be mapped.
    public var priority: RequestPriority {
        get { record.withLock(\.priority) }
        set {
            let membership = record.withLock { record in
                record.priority = newValue
                return record.membership
            }
            if let membership { membership.queue.update(self, membership.ticket) }
        }
    }

    /// The error of a failed or cancelled operation.
    ///
    /// `nil` if the operation succeeded or has not finished. The error of a cancelled operation is a
    /// ``NetworkingError`` with code ``NetworkingError/Code/cancelled``, whose stage is the one that
    /// the operation had reached.
    public var error: (any Error)? { record.withLock(\.error) }

    /// The status and header fields of the response, also of one that is an error.
    ///
    /// `nil` if the operation has not finished or received no response.
    public var response: HTTPResponse? {
        record.withLock { $0.received.head ?? ($0.error as? NetworkingError)?.head }
    }

    /// The bytes of the response's body, if the operation has succeeded and
    /// ``ObjectRequest/keepsResponseBody`` is `true`; `nil` otherwise.
    ///
    /// ``NetworkingError/body`` has the first bytes of a response that is an error.
    public var responseBody: [UInt8]? { record.withLock(\.received.body) }

    /// The report of the mapping; `nil` if nothing was mapped.
    public var mappingReport: MappingReport? { record.withLock(\.received.report) }

    /// The response descriptors that match the method and the path of the request.
    ///
    /// They are those of the configuration in which the request was assembled, in the order in which
    /// they were added. The status and the document of the response select among them.
    public var responseDescriptors: [ResponseDescriptor] {
        let location = RequestedLocation(
            url: request.url, baseURL: configuration.value.client.baseURL)
        return configuration.value.responseDescriptors.descriptors.filter { descriptor in
            descriptor.matches(method: request.method) && descriptor.matches(location)
        }
    }

    /// A closure that receives the parsed body before it is matched and mapped, and returns the
    /// document to map in its place.
    ///
    /// If it returns `nil`, nothing is mapped, and the operation fails with code
    /// ``NetworkingError/Code/mappingDeclined``. An error that it throws is the error of the
    /// operation. A change after the response was received has no effect.
    public var willMapDocument: (@Sendable (Document) throws -> Document?)? {
        get { record.withLock(\.willMapDocument) }
        set { record.withLock { $0.willMapDocument = newValue } }
    }

    /// Calls a closure with the progress of the request and its response.
    ///
    /// Replaces an earlier closure. A change after the operation started has no effect.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two reports of bytes.
    ///   - report: The closure, called for one report at a time, on any thread. The exchange waits
    ///     until it returns.
    public func onProgress(
        interval: Duration = .milliseconds(100),
        _ report: @escaping @Sendable (TransportProgress) -> Void
    ) {
        progressReport = OperationRecord.ProgressReport(interval: interval, report: report)
    }

    var progressReport: OperationRecord.ProgressReport? {
        get { record.withLock(\.progressReport) }
        set { record.withLock { $0.progressReport = newValue } }
    }

    /// The state and the priority at one moment.
    var stateAndPriority: (OperationState, RequestPriority) {
        record.withLock { ($0.state, $0.priority) }
    }
}

// MARK: - Execution

extension RequestOperation {
    /// Cancels the operation.
    ///
    /// An operation that has not started finishes at once. The work of an operation that executes is
    /// cancelled; the operation finishes when the work has ended, and without a value even if the
    /// work succeeded after all, unless it has saved imported objects. A finished operation does not
    /// change.
    public func cancel() {
        switch record.withLock({ $0.cancel() }) {
        case .executing(let task, let owner):
            task?.cancel()
            owner?.resume()
        case .unstarted: end(.failure(CancellationError()))
        case .none: break
        }
    }

    /// Waits until the operation is finished, whatever its outcome.
    ///
    /// If the task that waits is cancelled, it continues to wait, and the operation is not affected.
    public func finished() async {
        await withCheckedContinuation { continuation in
            let isAdded = record.withLock { $0.addWaiter(continuation) }
            if !isAdded { continuation.resume() }
        }
    }

    /// Reserves the operation for a queue.
    ///
    /// - Returns: `false` if it was reserved before.
    func reserve() -> Bool { record.withLock { $0.reserve() } }

    /// Takes a reservation back.
    func unreserve() { record.withLock { $0.unreserve() } }

    /// Attaches the operation to the queue that it is reserved for.
    func attach(to queue: ObjectRequestQueue, _ ticket: ObjectRequestQueue.Ticket) {
        record.withLock { $0.attach(to: queue, ticket) }
    }

    /// Starts the work: in a task of its own, or in a child of the task that owns the operation.
    ///
    /// - Returns: `false` if the operation is not ready.
    func start() -> Bool {
        switch record.withLock({ $0.start() }) {
        case .refused: return false
        case .byOwner(let owner): owner?.resume()
        case .inQueue:
            // Detached, because the caller is whoever freed the slot, not whoever enqueued this.
            let task = Task.detached(priority: priority.taskPriority) { await self.execute() }
            if record.withLock({ $0.setTask(task) }) { task.cancel() }
        }
        return true
    }

    /// Enters a phase of the work.
    ///
    /// - Throws: `CancellationError` if the operation was cancelled.
    func enter(_ phase: OperationState.Phase) throws {
        guard record.withLock({ $0.apply(.enter(phase)) }) else { throw CancellationError() }
    }

    /// The queue in which the response waits to be mapped; `nil` if the operation is not enqueued.
    var mappingQueue: ResponseMappingQueue? {
        record.withLock(\.membership)?.queue.mappingQueue
    }

    /// Calls a closure after the operation has finished; at once if it is finished.
    func whenFinished(_ handler: @escaping @Sendable (RequestOperation) -> Void) {
        let isAdded = record.withLock { $0.addFinishHandler(handler) }
        if !isAdded { handler(self) }
    }

    func execute() async {
        do {
            let summary = try await Self.$executing.withValue(scope + [self]) {
                try await work(self)
            }
            var owner: CheckedContinuation<Void, Never>?
            if record.withLock({ $0.handOver(summary, to: &owner) }) {
                owner?.resume()
            } else {
                end(.success(summary))
            }
        } catch {
            end(.failure(error))
        }
    }

    /// Ends the operation: first for its queue and its dependents, then for callbacks and tasks that
    /// wait, so that these find the queue without it.
    func end(_ result: Result<OperationSummary, any Error>) {
        kind.willFinish(self)
        let ending = record.withLock { $0.end(result, cancelled: cancellationError) }
        guard let ending else { return }
        if let membership = ending.membership {
            membership.queue.remove(self, membership.ticket)
        }
        for handler in ending.handlers { handler(self) }
        didFinish(self)
        for waiter in ending.waiters { waiter.resume() }
        ending.owner?.resume()
    }

    private func cancellationError(_ stage: NetworkingError.Stage) -> NetworkingError {
        error(.cancelled, stage: stage, cause: "the operation was cancelled")
    }

    /// Returns an error that names the request.
    func error(
        _ code: NetworkingError.Code, stage: NetworkingError.Stage, cause: String
    ) -> NetworkingError {
        NetworkingError(
            code, stage: stage, method: request.method.rawValue, url: request.url.redacted,
            causes: [cause])
    }
}

extension RequestOperation: Hashable {
    /// Returns a Boolean value that indicates whether two operations are the same.
    public static func == (left: RequestOperation, right: RequestOperation) -> Bool {
        left === right
    }

    /// Hashes the identity of the operation.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension RequestOperation: CustomStringConvertible {
    /// The method, the URL without its query, and the state.
    public var description: String {
        "\(request.method.rawValue) \(request.url.redacted): \(state)"
    }
}

extension RequestPriority {
    /// The priority of the task in which an operation executes.
    var taskPriority: TaskPriority {
        switch self {
        case .veryLow: .background
        case .low: .low
        case .normal: .medium
        case .high, .veryHigh: .high
        }
    }
}
