// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A gate that the responses of a server wait at until a test opens it.
final class ResponseGate: Sendable {
    private enum State {
        case closed([CheckedContinuation<Void, Never>])
        case open
    }

    private let state = Mutex(State.closed([]))

    /// Waits until the gate is open.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard case .closed(let waiting) = state else { return true }
                state = .closed(waiting + [continuation])
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Opens the gate, for good.
    func open() {
        let waiting = state.withLock { state in
            guard case .closed(let waiting) = state else {
                return [CheckedContinuation<Void, Never>]()
            }
            state = .open
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
