// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A queue in which the responses of operations wait to be mapped.
///
/// The queue bounds the processor time that operations take from the rest of the program. Responses
/// of operations with a higher ``RequestPriority`` are mapped first. Only enqueued operations use it: the
/// response to a call, such as ``ObjectManager/send(_:)``, is mapped at once, because a task waits for it.
public final class ResponseMappingQueue: Sendable {
    typealias Ticket = PrioritySchedule<Void>.Ticket

    private struct State {
        var schedule: PrioritySchedule<Void>
        // Invariant: each continuation is resumed once, by the function that removes it.
        var waiters: [Ticket: CheckedContinuation<Bool, Never>] = [:]
        /// The decisions about tasks that do not wait yet: `true` for a slot, `false` for a
        /// cancelled task.
        var decisions: [Ticket: Bool] = [:]
    }

    private let state: Mutex<State>

    /// The queue of all operations whose ``ObjectRequestQueue`` was created without one.
    ///
    /// It maps one response at a time.
    public static let shared = ResponseMappingQueue()

    /// Creates a queue.
    ///
    /// - Parameter maximumConcurrentCount: The maximum number of responses that are mapped at the
    ///   same time, at least 1.
    public init(maximumConcurrentCount: Int = 1) {
        state = Mutex(
            State(schedule: PrioritySchedule(slotCount: max(1, maximumConcurrentCount))))
    }

    /// The maximum number of responses that are mapped at the same time, at least 1.
    public var maximumConcurrentCount: Int {
        get { state.withLock { $0.schedule.slotCount } }
        set {
            state.withLock { $0.schedule.slotCount = max(1, newValue) }
            grantSlots()
        }
    }

    /// A Boolean value that indicates whether responses wait instead of being mapped.
    ///
    /// Responses that are being mapped already are not affected. A cancelled operation does not
    /// wait.
    public var isSuspended: Bool {
        get { state.withLock { $0.schedule.isSuspended } }
        set {
            state.withLock { $0.schedule.isSuspended = newValue }
            grantSlots()
        }
    }

    /// The number of responses that wait or are mapped.
    var count: Int { state.withLock { $0.schedule.count } }

    /// Waits for a slot.
    ///
    /// - Returns: The ticket to pass to ``leave(_:)``.
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    func enter(_ priority: RequestPriority) async throws -> Ticket {
        let ticket = state.withLock { state in
            state.schedule.insert((), priority: priority, isReady: true)
        }
        grantSlots()
        if state.withLock({ $0.decisions.removeValue(forKey: ticket) }) == true { return ticket }
        return try await withTaskCancellationHandler {
            let isGranted = await withCheckedContinuation { continuation in
                let decision = state.withLock { state -> Bool? in
                    if let decision = state.decisions.removeValue(forKey: ticket) {
                        return decision
                    }
                    state.waiters[ticket] = continuation
                    return nil
                }
                if let decision { continuation.resume(returning: decision) }
            }
            guard isGranted else { throw CancellationError() }
            return ticket
        } onCancel: {
            cancel(ticket)
        }
    }

    /// Frees a slot.
    func leave(_ ticket: Ticket) {
        _ = state.withLock { $0.schedule.remove(ticket) }
        grantSlots()
    }

    private func cancel(_ ticket: Ticket) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.schedule.hasSlot(ticket), state.schedule.remove(ticket) != nil else {
                return nil
            }
            let waiter = state.waiters.removeValue(forKey: ticket)
            if waiter == nil { state.decisions[ticket] = false }
            return waiter
        }
        waiter?.resume(returning: false)
    }

    private func grantSlots() {
        let waiters = state.withLock { state in
            var waiters: [CheckedContinuation<Bool, Never>] = []
            while let (ticket, _) = state.schedule.takeSlot() {
                if let waiter = state.waiters.removeValue(forKey: ticket) {
                    waiters.append(waiter)
                } else {
                    state.decisions[ticket] = true
                }
            }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }
}
