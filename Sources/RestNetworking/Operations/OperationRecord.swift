// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport

/// The mutable part of a ``RequestOperation``: its state, and what is to be done when it changes.
///
/// Functions return what the caller has to do after it has left the lock.
struct OperationRecord {
    private(set) var state = OperationState.ready
    var priority: RequestPriority
    var willMapDocument: WillMapDocument?
    var progressReport: ProgressReport?

    /// The unfinished dependencies.
    ///
    /// A finished one is removed, so that it is not kept alive.
    private(set) var dependencies: [ObjectIdentifier: RequestOperation] = [:]

    /// The queue, from the time of enqueueing until the operation is finished.
    private(set) var membership: Membership?
    private var isReserved = false

    /// A Boolean value that indicates whether the operation has started, also if it was cancelled since.
    private(set) var hasStarted = false

    /// A Boolean value that indicates whether the operation is a call: it executes in a child of the task
    /// that owns it, not in a task that the queue starts.
    private(set) var isCall = false

    /// A Boolean value that indicates whether the task that owns the operation ends it, after the work.
    private var isEndedByOwner = false

    /// A Boolean value that indicates whether the work saves its result.
    private let isImport: Bool

    /// A Boolean value that indicates whether the work has succeeded and the owner ends the operation.
    private(set) var isHandedOver = false

    /// The task that owns the operation while it waits for the next event.
    // Invariant: resumed once, by the function that removes it.
    private var owner: CheckedContinuation<Void, Never>?

    /// The stage that a cancelled operation had reached.
    private var cancelledStage: NetworkingError.Stage?

    private(set) var error: (any Error)?
    private(set) var received = OperationSummary()

    private var task: Task<Void, Never>?
    private var finishHandlers: [@Sendable (RequestOperation) -> Void] = []
    // Invariant: each continuation is resumed once, by the function that ends the operation.
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var observers: [AsyncStream<OperationState>.Continuation] = []

    typealias WillMapDocument = @Sendable (Document) throws -> Document?

    /// A closure that receives the progress, and the minimum time between two of its calls.
    struct ProgressReport: Sendable {
        let interval: Duration
        let report: @Sendable (TransportProgress) -> Void
    }

    /// The queue of an operation and the operation's place in it.
    struct Membership: Sendable {
        let queue: ObjectRequestQueue
        let ticket: ObjectRequestQueue.Ticket
    }

    /// The work that follows the end of an operation.
    struct Ending: Sendable {
        let membership: Membership?
        let handlers: [@Sendable (RequestOperation) -> Void]
        let waiters: [CheckedContinuation<Void, Never>]
        let owner: CheckedContinuation<Void, Never>?
    }

    init(priority: RequestPriority, willMapDocument: WillMapDocument?, isImport: Bool) {
        self.priority = priority
        self.willMapDocument = willMapDocument
        self.isImport = isImport
    }

    /// Applies an event.
    ///
    /// - Returns: `false` if the state does not permit the event; it is then unchanged.
    mutating func apply(_ event: OperationState.Event) -> Bool {
        guard let next = state.state(after: event) else { return false }
        guard next != state else { return true }
        state = next
        // Under the lock, for the order of the states; consumers run elsewhere.
        for observer in observers { observer.yield(next) }
        return true
    }

    /// Reserves the operation for a queue.
    ///
    /// - Returns: `false` if it was reserved before.
    mutating func reserve() -> Bool {
        defer { isReserved = true }
        return !isReserved
    }

    mutating func unreserve() {
        isReserved = false
    }

    mutating func attach(to queue: ObjectRequestQueue, _ ticket: ObjectRequestQueue.Ticket) {
        if !state.isFinished { membership = Membership(queue: queue, ticket: ticket) }
    }

    /// Declares that the operation is a call of a task.
    ///
    /// - Parameter endsIt: A Boolean value that indicates whether the task ends the operation after the work.
    mutating func setCaller(ending endsIt: Bool) {
        isCall = true
        isEndedByOwner = endsIt
    }

    /// Adds the continuation of the owner, which the next event resumes.
    ///
    /// - Parameters:
    ///   - continuation: The continuation.
    ///   - isOver: Returns a Boolean value that indicates whether there is nothing to wait for.
    /// - Returns: `false` if there is nothing to wait for; the caller then resumes the continuation.
    mutating func addOwner(
        _ continuation: CheckedContinuation<Void, Never>, unless isOver: (OperationRecord) -> Bool
    ) -> Bool {
        if isOver(self) { return false }
        owner = continuation
        return true
    }

    /// Returns the owner if it waits.
    private mutating func takeOwner() -> CheckedContinuation<Void, Never>? {
        defer { owner = nil }
        return owner
    }

    /// The result of a request to start an operation.
    enum Start {
        /// The operation is not ready.
        case refused
        /// The operation has started, and the caller starts its task.
        case inQueue
        /// The operation has started, and its owner executes it.
        case byOwner(CheckedContinuation<Void, Never>?)
    }

    mutating func start() -> Start {
        guard apply(.start) else { return .refused }
        hasStarted = true
        return isCall ? .byOwner(takeOwner()) : .inQueue
    }

    /// Leaves the end of an operation whose work has succeeded to its owner, if the owner ends it.
    ///
    /// - Parameters:
    ///   - summary: The result of the work.
    ///   - owner: Receives the owner if it waits.
    /// - Returns: `false` if the operation ends with its work.
    mutating func handOver(
        _ summary: OperationSummary, to owner: inout CheckedContinuation<Void, Never>?
    ) -> Bool {
        guard isEndedByOwner else { return false }
        received = summary
        isHandedOver = true
        owner = takeOwner()
        return true
    }

    mutating func addDependency(_ operation: RequestOperation) -> Bool {
        guard apply(.depend) else { return false }
        dependencies[ObjectIdentifier(operation)] = operation
        return true
    }

    mutating func removeDependency(_ operation: RequestOperation) {
        dependencies[ObjectIdentifier(operation)] = nil
        if dependencies.isEmpty { _ = apply(.release) }
    }

    /// Stores the task in which the operation executes.
    ///
    /// - Returns: A Boolean value that indicates whether the task must be cancelled.
    mutating func setTask(_ task: Task<Void, Never>) -> Bool {
        guard !state.isFinished else { return false }
        self.task = task
        return state == .cancelling
    }

    /// The result of a request to cancel an operation.
    enum Cancellation {
        /// The operation executes, and its task must be cancelled.
        case executing(Task<Void, Never>?, owner: CheckedContinuation<Void, Never>?)
        /// The operation has not started, and the caller must end it.
        case unstarted
        /// The operation was cancelled before, or is finished.
        case none
    }

    mutating func cancel() -> Cancellation {
        let reached = state
        guard apply(.cancel) else { return .none }
        cancelledStage = reached.stage
        return reached.isExecuting ? .executing(task, owner: takeOwner()) : .unstarted
    }

    /// Ends the operation.
    ///
    /// - Parameters:
    ///   - result: The result of the work.
    ///   - cancelled: Returns the error of a cancelled operation.
    /// - Returns: The work that follows; `nil` if the operation has ended before.
    mutating func end(
        _ result: Result<OperationSummary, any Error>,
        cancelled: (NetworkingError.Stage) -> NetworkingError
    ) -> Ending? {
        let stage = cancelledStage ?? state.stage
        // What was saved is saved, whether the operation was cancelled meanwhile or not.
        let isComplete = (isCall || isImport) && result.outcome == .succeeded
        guard apply(isComplete ? .complete : .end(result.outcome)) else { return nil }
        switch (state, result) {
        case (.finished(.cancelled), _):
            error = cancelled(stage)
            received = OperationSummary()
        case (_, .failure(let failure)):
            error = failure
            received = OperationSummary()
        case (_, .success(let summary)): received = summary
        }
        for observer in observers { observer.finish() }
        let ending = Ending(
            membership: membership, handlers: finishHandlers, waiters: waiters, owner: takeOwner())
        // Everything that the operation refers to because it had not finished.
        task = nil
        membership = nil
        dependencies = [:]
        finishHandlers = []
        waiters = []
        observers = []
        return ending
    }

    /// Adds a closure to call when the operation has ended.
    ///
    /// - Returns: `false` if the operation is finished; the caller then calls the closure.
    mutating func addFinishHandler(_ handler: @escaping @Sendable (RequestOperation) -> Void)
        -> Bool
    {
        guard !state.isFinished else { return false }
        finishHandlers.append(handler)
        return true
    }

    /// Adds a continuation to resume when the operation has ended.
    ///
    /// - Returns: `false` if the operation is finished; the caller then resumes the continuation.
    mutating func addWaiter(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
        guard !state.isFinished else { return false }
        waiters.append(waiter)
        return true
    }

    /// Adds an observer and passes the current state to it.
    mutating func addObserver(_ observer: AsyncStream<OperationState>.Continuation) {
        observer.yield(state)
        if state.isFinished {
            observer.finish()
        } else {
            observers.append(observer)
        }
    }
}

/// The parts of a response that an operation keeps in addition to its value.
struct OperationSummary: Sendable {
    var head: HTTPResponse?
    var report: MappingReport?
    var body: [UInt8]?
}

extension Result<OperationSummary, any Error> {
    /// The outcome of an operation whose work has this result.
    fileprivate var outcome: OperationState.Outcome {
        switch self {
        case .success: .succeeded
        case .failure(is CancellationError): .cancelled
        case .failure: .failed
        }
    }
}

extension OperationState {
    /// The stage that an operation in this state has reached, for its error.
    fileprivate var stage: NetworkingError.Stage {
        switch self {
        case .executing(.transport): .transport
        case .executing(.mapping): .mapping
        case .pending, .ready, .cancelling, .finished: .assembly
        }
    }
}
