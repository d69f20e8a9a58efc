// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A gate at which tasks, as the responses of a server, wait until a test opens it.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivalCount = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits until the gate is open, also if the task is cancelled.
    package func pass() async {
        await withCheckedContinuation { continuation in
            let resumed = state.withLock { state in
                state.arrivalCount += 1
                let reached = state.observers.filter { $0.count <= state.arrivalCount }
                state.observers.removeAll { $0.count <= state.arrivalCount }
                if !state.isOpen { state.waiters.append(continuation) }
                return reached.map(\.continuation) + (state.isOpen ? [continuation] : [])
            }
            for continuation in resumed { continuation.resume() }
        }
    }

    /// Waits until a number of tasks have reached the gate.
    package func arrivals(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.arrivalCount < count { state.observers.append((count, continuation)) }
                return state.arrivalCount >= count
            }
            if isReached { continuation.resume() }
        }
    }

    /// Opens the gate for all waiting and later tasks.
    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
