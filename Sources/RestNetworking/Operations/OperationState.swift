// SPDX-License-Identifier: Apache-2.0

/// The state of a ``RequestOperation``.
///
/// ```
/// pending ⇄ ready ──▶ executing(transport ⇄ mapping) ──▶ finished(succeeded | failed | cancelled)
///    └────────┴──────────────┴──▶ cancelling ──▶ finished(cancelled)
/// ```
public enum OperationState: Sendable, Hashable {
    /// The operation depends on operations that are not finished.
    case pending
    /// The operation can start: it depends on nothing that is not finished.
    case ready
    /// The operation is in a phase of its work.
    case executing(Phase)
    /// The operation was cancelled and its work has not ended yet.
    case cancelling
    /// The operation has ended, and its outcome does not change any more.
    case finished(Outcome)

    /// A phase of an operation's work.
    public enum Phase: Sendable, Hashable, CaseIterable {
        /// The request is sent, and the response is received and parsed.
        case transport
        /// The response waits for the ``ResponseMappingQueue`` or is mapped.
        case mapping
    }

    /// The outcome of an operation.
    public enum Outcome: Sendable, Hashable, CaseIterable {
        /// The operation has a value.
        case succeeded
        /// The operation has an error.
        case failed
        /// The operation was cancelled. Its error has the code ``NetworkingError/Code/cancelled``.
        case cancelled
    }

    /// A Boolean value that indicates whether the operation is executing.
    public var isExecuting: Bool {
        if case .executing = self { return true }
        return false
    }

    /// A Boolean value that indicates whether the operation has ended.
    public var isFinished: Bool {
        if case .finished = self { return true }
        return false
    }

    /// A Boolean value that indicates whether the operation was cancelled.
    public var isCancelled: Bool {
        self == .cancelling || self == .finished(.cancelled)
    }
}

extension OperationState {
    /// An event that changes the state of an operation.
    enum Event: Sendable, Hashable {
        /// An operation that is not finished became a dependency.
        case depend
        /// The last dependency has finished.
        case release
        /// The queue starts the operation.
        case start
        /// A phase of the work begins.
        case enter(Phase)
        /// The operation is cancelled.
        case cancel
        /// The work has ended, or a cancelled operation without work ends.
        case end(Outcome)
        /// The work has succeeded, and its value reaches the caller although the operation was cancelled
        /// meanwhile.
        case complete
    }

    /// Returns the state after an event; `nil` if the event is not permitted in this state.
    ///
    /// This is the only place that defines transitions.
    func state(after event: Event) -> OperationState? {
        switch (self, event) {
        case (.pending, .depend), (.ready, .depend): .pending
        case (.pending, .release): .ready
        case (.ready, .start): .executing(.transport)
        case (.executing, .enter(let phase)): .executing(phase)
        case (.pending, .cancel), (.ready, .cancel), (.executing, .cancel): .cancelling
        case (.executing, .end(let outcome)): .finished(outcome)
        case (.cancelling, .end): .finished(.cancelled)
        case (.executing, .complete), (.cancelling, .complete): .finished(.succeeded)
        default: nil
        }
    }
}
