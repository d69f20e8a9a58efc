// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A buffer that reads a body ahead of a transport whose library takes bytes without suspending.
///
/// A separate task reads the chunks. It starts with the first call of ``take()`` and suspends while
/// ``bufferLimit`` bytes are buffered. A transport whose library reads chunks asynchronously uses
/// ``MessageBody/chunks`` instead.
package final class BodyPump: Sendable {
    /// The result of taking bytes.
    package enum Supply: Sendable {
        /// All bytes read since the last call, at least one.
        case bytes([UInt8])

        /// There are no bytes yet; the pump calls `wake` when there are more.
        case pending

        /// The body is complete.
        case end

        /// The body could not be read.
        case failed(any Error)
    }

    private struct State {
        var buffer: [UInt8] = []
        var task: Task<Void, Never>?
        var ending: Supply?
        var isTakerWaiting = false
        // Invariant: set by the reading task and taken by the function that resumes it, both under
        // the lock, so each continuation is resumed exactly once.
        var reader: CheckedContinuation<Void, Never>?
    }

    /// The number of buffered bytes at which reading suspends; one more chunk may exceed it.
    package static let bufferLimit = 64 << 10

    private let body: MessageBody
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a pump at the start of a body, without opening the body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - wake: A closure called on any thread when there are bytes after ``take()`` returned
    ///     ``Supply/pending``.
    package init(_ body: MessageBody, wake: @escaping @Sendable () -> Void) {
        self.body = body
        self.wake = wake
    }

    /// Takes all buffered bytes.
    ///
    /// Only one caller at a time may call this method.
    package func take() -> Supply {
        var mustStart = false
        let (supply, reader) = state.withLock { state in
            mustStart = state.task == nil && state.ending == nil
            if !state.buffer.isEmpty {
                var bytes: [UInt8] = []
                swap(&bytes, &state.buffer)
                return (Supply.bytes(bytes), state.reader.take())
            }
            state.isTakerWaiting = state.ending == nil
            return (state.ending ?? .pending, nil)
        }
        reader?.resume()
        if mustStart { start() }
        return supply
    }

    /// Cancels the reading task and releases the source.
    package func cancel() {
        let (task, reader) = state.withLock { state in
            state.ending = .end
            state.buffer = []
            return (state.task.take(), state.reader.take())
        }
        task?.cancel()
        reader?.resume()
    }

    private func start() {
        let task = Task { [self] in
            do {
                for try await chunk in body.chunks {
                    guard await append(chunk) else { return }
                }
                end(.end)
            } catch {
                end(.failed(error))
            }
        }
        let isCancelled = state.withLock { state in
            // The whole body may have been read by now.
            if state.ending == nil { state.task = task }
            return state.ending != nil
        }
        if isCancelled { task.cancel() }
    }

    /// Appends a chunk to the buffer and suspends until the buffer is below its limit.
    ///
    /// - Returns: `true` if reading continues.
    private func append(_ chunk: [UInt8]) async -> Bool {
        let mustWake = state.withLock { state in
            guard state.ending == nil else { return false }
            if state.buffer.isEmpty {
                state.buffer = chunk
            } else {
                state.buffer += chunk
            }
            defer { state.isTakerWaiting = false }
            return state.isTakerWaiting
        }
        if mustWake { wake() }
        await withCheckedContinuation { continuation in
            let continues = state.withLock { state in
                if state.ending != nil || state.buffer.count < Self.bufferLimit { return true }
                state.reader = continuation
                return false
            }
            if continues { continuation.resume() }
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
