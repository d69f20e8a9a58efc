// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A gate at which tasks wait until a test opens it.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivalCount = 0
        var leftCount = 0
    }

    private let state = Mutex(State())

    /// The number of tasks that have reached the gate.
    var arrivalCount: Int { state.withLock { $0.arrivalCount } }

    /// The number of tasks that were cancelled while waiting.
    var leftCount: Int { state.withLock { $0.leftCount } }

    /// Waits until the gate is open.
    func pass() async throws {
        state.withLock { $0.arrivalCount += 1 }
        while !state.withLock({ $0.isOpen }) {
            do {
                try await Task.sleep(for: .milliseconds(1))
            } catch {
                state.withLock { $0.leftCount += 1 }
                throw error
            }
        }
    }

    /// Opens the gate for all waiting and later tasks.
    func open() {
        state.withLock { $0.isOpen = true }
    }
}
