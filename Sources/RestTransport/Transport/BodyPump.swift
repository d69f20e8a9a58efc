// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Reads a body ahead of a transport that takes bytes when it can and never waits for them.
///
/// A task of its own reads the chunks; it begins when the first bytes are asked for and stops while
/// ``heldByteCount`` bytes are there that nobody has taken. A transport whose library asks for chunks
/// asynchronously needs none of this, only ``MessageBody/chunks``.
package final class BodyPump: Sendable {
    /// What there is to send at a moment.
    package enum Supply: Sendable {
        /// All bytes that have been read since the last time, at least one.
        case bytes([UInt8])

        /// Nothing yet; the pump tells when there is more.
        case nothingYet

        /// The body is complete.
        case end

        /// The body cannot be read further.
        case failed(any Error)
    }

    private struct State {
        var held: [UInt8] = []
        var task: Task<Void, Never>?
        var ending: Supply?
        var isTakerWaiting = false
        // Invariant: set by the reading task, taken by whoever resumes it, both under the lock, so
        // each continuation is resumed exactly once.
        var room: CheckedContinuation<Void, Never>?
    }

    /// Bytes at which reading ahead stops; one chunk of the source may come on top.
    package static let heldByteCount = 64 << 10

    private let body: MessageBody
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    /// Makes a pump at the start of a body; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - wake: Called after ``take()`` has come back empty-handed, once there is more; on any
    ///     thread.
    package init(_ body: MessageBody, wake: @escaping @Sendable () -> Void) {
        self.body = body
        self.wake = wake
    }

    /// Takes what there is; by one caller at a time.
    package func take() -> Supply {
        var mustStart = false
        let (supply, room) = state.withLock { state in
            mustStart = state.task == nil && state.ending == nil
            if !state.held.isEmpty {
                var bytes: [UInt8] = []
                swap(&bytes, &state.held)
                return (Supply.bytes(bytes), state.room.take())
            }
            state.isTakerWaiting = state.ending == nil
            return (state.ending ?? .nothingYet, nil)
        }
        room?.resume()
        if mustStart { start() }
        return supply
    }

    /// Ends the reading; the task that reads is cancelled and the source let go.
    package func cancel() {
        let (task, room) = state.withLock { state in
            state.ending = .end
            state.held = []
            return (state.task.take(), state.room.take())
        }
        task?.cancel()
        room?.resume()
    }

    private func start() {
        let task = Task { [self] in
            do {
                for try await chunk in body.chunks {
                    guard await hold(chunk) else { return }
                }
                end(.end)
            } catch {
                end(.failed(error))
            }
        }
        let isCancelled = state.withLock { state in
            // Also when the whole body has been read by now.
            if state.ending == nil { state.task = task }
            return state.ending != nil
        }
        if isCancelled { task.cancel() }
    }

    /// Keeps a chunk until it is taken.
    ///
    /// - Returns: Whether more is wanted, once there is room for it.
    private func hold(_ chunk: [UInt8]) async -> Bool {
        let mustWake = state.withLock { state in
            guard state.ending == nil else { return false }
            if state.held.isEmpty {
                state.held = chunk
            } else {
                state.held += chunk
            }
            defer { state.isTakerWaiting = false }
            return state.isTakerWaiting
        }
        if mustWake { wake() }
        await withCheckedContinuation { continuation in
            let isRoom = state.withLock { state in
                if state.ending != nil || state.held.count < Self.heldByteCount { return true }
                state.room = continuation
                return false
            }
            if isRoom { continuation.resume() }
        }
        return state.withLock { $0.ending == nil }
    }

    private func end(_ ending: Supply) {
        let mustWake = state.withLock { state in
            guard state.ending == nil else { return false }
            state.ending = ending
            state.task = nil
            defer { state.isTakerWaiting = false }
            return state.isTakerWaiting
        }
        if mustWake { wake() }
    }
}
