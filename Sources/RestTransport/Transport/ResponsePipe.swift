// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import Synchronization

/// Carries one response from whatever receives it to the task that waits for it.
///
/// A response that is complete before it was asked for costs one lock and one resumption. The
/// receiving side never waits; it learns from the results how much nobody has taken yet and stops
/// reading from the connection by that.
package final class ResponsePipe: Sendable {
    /// The lines before the body, in the form the receiving side has them.
    package enum Head: Sendable {
        /// Status line and field lines as received.
        case lines([UInt8])

        /// Read already.
        case parsed(HTTPResponse)
    }

    /// What the waiting task gets: the head, and the body if it is complete by then.
    private struct Arrival: Sendable {
        var head: Head
        var body: [UInt8]?
    }

    @safe private enum Waiter {
        case nobody
        case head(UnsafeContinuation<Arrival, any Error>)
        case chunk(UnsafeContinuation<[UInt8]?, any Error>)
        case rest(UnsafeContinuation<[UInt8], any Error>)
    }

    private enum Outcome {
        case complete
        case failed(any Error)
    }

    private struct State {
        // Invariant: set by the waiting task, taken by whoever resumes it, both under the lock, so
        // each continuation is resumed exactly once.
        var waiter = Waiter.nobody
        var chunk: [UInt8] = []
        var isPaused = false
        var outcome: Outcome?

        mutating func takeWaiter() -> Waiter {
            let waiter = self.waiter
            self.waiter = .nobody
            return waiter
        }
    }

    private let state = Mutex(State())

    package init() {}

    // MARK: The waiting side

    /// Waits for the response.
    ///
    /// - Parameters:
    ///   - request: What is answered.
    ///   - exchange: Where the body is read unless it is complete by then; cancelled with the waiting
    ///     task.
    ///   - begin: Sets the receiving side to work; not called after a failure.
    /// - Returns: The response.
    /// - Throws: What the receiving side ended the exchange with; ``TransportError`` for a head that
    ///   is none, which cancels the exchange.
    package func response(
        to request: TransportRequest, of exchange: any ResponseBodySource, begin: () -> Void
    ) async throws -> TransportResponse {
        let arrived = try await withTaskCancellationHandler {
            try await arrival(begin: begin)
        } onCancel: {
            exchange.cancel()
        }
        let head: HTTPResponse
        do throws(TransportError) {
            head = try ResponseHead.parse(arrived.head, of: request)
        } catch {
            exchange.cancel()
            throw error
        }
        let body = arrived.body.map { ResponseBody($0) } ?? ResponseBody(source: exchange)
        return TransportResponse(to: request, head: head, body: body)
    }

    /// Waits for more of the body.
    ///
    /// - Parameters:
    ///   - exchange: What is cancelled with the waiting task.
    ///   - resume: Lets the receiving side read on; called when it had stopped.
    /// - Returns: All that has come since the last call, or `nil` at the end.
    /// - Throws: What the receiving side ended the exchange with.
    package func next(
        of exchange: any ResponseBodySource, resume: () -> Void
    ) async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await chunk(resume: resume)
        } onCancel: {
            exchange.cancel()
        }
    }

    /// Waits for all the rest of the body.
    ///
    /// - Parameters:
    ///   - exchange: What is cancelled with the waiting task.
    ///   - begin: Tells the receiving side to keep what comes until it has everything, as nobody will
    ///     take it before; not called when everything has come.
    /// - Returns: All that has come since the last call and still comes.
    /// - Throws: What the receiving side ended the exchange with.
    package func rest(
        of exchange: any ResponseBodySource, begin: () -> Void
    ) async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try await rest(begin: begin)
        } onCancel: {
            exchange.cancel()
        }
    }

    private func arrival(begin: () -> Void) async throws -> Arrival {
        try await unsafe withUnsafeThrowingContinuation { continuation in
            let failure: (any Error)? = state.withLock { state in
                if case .failed(let error) = state.outcome { return error }
                state.waiter = unsafe .head(continuation)
                return nil
            }
            if let failure {
                unsafe continuation.resume(throwing: failure)
            } else {
                begin()
            }
        }
    }

    private func chunk(resume: () -> Void) async throws -> [UInt8]? {
        try await unsafe withUnsafeThrowingContinuation { continuation in
            var mayResume = false
            let result: Result<[UInt8]?, any Error>? = state.withLock { state in
                if !state.chunk.isEmpty {
                    mayResume = state.isPaused
                    state.isPaused = false
                    var chunk: [UInt8] = []
                    swap(&chunk, &state.chunk)
                    return .success(chunk)
                }
                switch state.outcome {
                case .complete: return .success(nil)
                case .failed(let error): return .failure(error)
                case nil:
                    state.waiter = unsafe .chunk(continuation)
                    return nil
                }
            }
            if mayResume { resume() }
            if let result { unsafe continuation.resume(with: result) }
        }
    }

    private func rest(begin: () -> Void) async throws -> [UInt8] {
        try await unsafe withUnsafeThrowingContinuation { continuation in
            let result: Result<[UInt8], any Error>? = state.withLock { state in
                switch state.outcome {
                case .complete:
                    var chunk: [UInt8] = []
                    swap(&chunk, &state.chunk)
                    return .success(chunk)
                case .failed(let error): return .failure(error)
                case nil:
                    state.waiter = unsafe .rest(continuation)
                    return nil
                }
            }
            if let result {
                unsafe continuation.resume(with: result)
            } else {
                begin()
            }
        }
    }

    // MARK: The receiving side

    /// Takes back what was handed over and nobody has taken.
    package func takeBack() -> [UInt8] {
        state.withLock { state in
            state.isPaused = false
            var chunk: [UInt8] = []
            swap(&chunk, &state.chunk)
            return chunk
        }
    }

    /// Whether the response is still wanted.
    package var isWanted: Bool {
        state.withLock { $0.outcome == nil }
    }

    /// Whether everything handed over has been taken.
    package var isDrained: Bool {
        state.withLock { $0.chunk.isEmpty }
    }

    /// Hands over the head, and with it a body that is complete.
    ///
    /// - Returns: The number of bytes that nobody has taken yet.
    package func deliver(
        head: Head, body: [UInt8], isPaused: Bool = false, isComplete: Bool
    ) -> Int {
        let waiter = state.withLock { state in
            guard state.outcome == nil else { return Waiter.nobody }
            if isComplete {
                state.outcome = .complete
            } else {
                state.chunk = body
                state.isPaused = isPaused && !body.isEmpty
            }
            return state.takeWaiter()
        }
        if case .head(let continuation) = waiter {
            unsafe continuation.resume(
                returning: Arrival(head: head, body: isComplete ? body : nil))
        }
        return isComplete ? 0 : body.count
    }

    /// Hands over more of the body.
    ///
    /// - Returns: The number of bytes that nobody has taken yet.
    package func deliver(body: [UInt8], isPaused: Bool, isComplete: Bool) -> Int {
        var waiting = 0
        var whole: [UInt8] = []
        let waiter = state.withLock { state in
            guard state.outcome == nil else { return Waiter.nobody }
            if isComplete { state.outcome = .complete }
            switch state.waiter {
            case .chunk where !body.isEmpty || isComplete: return state.takeWaiter()
            case .rest where isComplete:
                swap(&whole, &state.chunk)
                return state.takeWaiter()
            default: break
            }
            if state.chunk.isEmpty {
                state.chunk = body
            } else {
                state.chunk += body
            }
            waiting = state.chunk.count
            state.isPaused = isPaused && waiting > 0
            return Waiter.nobody
        }
        switch waiter {
        case .chunk(let continuation):
            unsafe continuation.resume(returning: body.isEmpty ? nil : body)
        case .rest(let continuation):
            unsafe continuation.resume(returning: whole.isEmpty ? body : whole + body)
        default: break
        }
        return waiting
    }

    /// Ends the exchange with an error, unless it has ended.
    ///
    /// - Parameters:
    ///   - error: What the waiting task, or the next one to ask, gets.
    ///   - keepsBody: Whether the bytes that have come may still be read before the error.
    /// - Returns: Whether the exchange had not ended before.
    @discardableResult
    package func fail(_ error: any Error, keepsBody: Bool) -> Bool {
        var isFirst = false
        let waiter = state.withLock { state in
            guard state.outcome == nil else { return Waiter.nobody }
            isFirst = true
            state.outcome = .failed(error)
            if !keepsBody { state.chunk = [] }
            return state.takeWaiter()
        }
        switch waiter {
        case .nobody: break
        case .head(let continuation): unsafe continuation.resume(throwing: error)
        case .chunk(let continuation): unsafe continuation.resume(throwing: error)
        case .rest(let continuation): unsafe continuation.resume(throwing: error)
        }
        return isFirst
    }
}
