// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import Synchronization

/// A channel that passes one response from the receiving side of an adapter to the waiting task.
///
/// A response that is complete before the task waits costs one lock and one resumption. The
/// receiving side never waits: each delivery returns the number of unread bytes, by which the
/// adapter pauses reading from the connection.
package final class ResponsePipe: Sendable {
    /// The head of a response, parsed or not, depending on the transport.
    package enum Head: Sendable {
        /// The status line and the field lines as received.
        case lines([UInt8])

        /// A parsed head.
        case parsed(HTTPResponse)
    }

    /// The result for the waiting task: the head, and the body if it is already complete.
    private struct Arrival: Sendable {
        var head: Head
        var body: [UInt8]?
    }

    @safe private enum Waiter {
        case none
        case head(UnsafeContinuation<Arrival, any Error>)
        case chunk(UnsafeContinuation<[UInt8]?, any Error>)
        case rest(UnsafeContinuation<[UInt8], any Error>)
    }

    private enum Outcome {
        case complete
        case failed(any Error)
    }

    private struct State {
        // Invariant: set by the waiting task and taken by the function that resumes it, both under
        // the lock, so each continuation is resumed exactly once.
        var waiter = Waiter.none
        var chunk: [UInt8] = []
        var isPaused = false
        var outcome: Outcome?

        mutating func takeWaiter() -> Waiter {
            let waiter = self.waiter
            self.waiter = .none
            return waiter
        }
    }

    private let state = Mutex(State())

    package init() {}

    // MARK: Waiting task

    /// Waits for the response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - exchange: The source of the body unless it is complete with the head; cancelled with the
    ///     waiting task.
    ///   - begin: A closure that starts the exchange; not called after a failure.
    /// - Returns: The response.
    /// - Throws: The error that ended the exchange, or ``TransportError`` for a malformed head,
    ///   which cancels the exchange.
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
    ///   - exchange: The exchange to cancel with the waiting task.
    ///   - resume: A closure that resumes receiving; called only if receiving is paused.
    /// - Returns: All bytes received since the last call, or `nil` at the end.
    /// - Throws: The error that ended the exchange.
    package func next(
        of exchange: any ResponseBodySource, resume: () -> Void
    ) async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await chunk(resume: resume)
        } onCancel: {
            exchange.cancel()
        }
    }

    /// Waits for the complete rest of the body.
    ///
    /// - Parameters:
    ///   - exchange: The exchange to cancel with the waiting task.
    ///   - begin: A closure that makes the receiving side buffer the rest of the body; not called
    ///     if the body is already complete.
    /// - Returns: All bytes since the last call up to the end.
    /// - Throws: The error that ended the exchange.
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

    // MARK: Receiving side

    /// Removes and returns the delivered bytes that have not been read.
    package func takeBack() -> [UInt8] {
        state.withLock { state in
            state.isPaused = false
            var chunk: [UInt8] = []
            swap(&chunk, &state.chunk)
            return chunk
        }
    }

    /// A Boolean value that indicates whether the exchange has not ended.
    package var isWanted: Bool {
        state.withLock { $0.outcome == nil }
    }

    /// A Boolean value that indicates whether all delivered bytes have been read.
    package var isDrained: Bool {
        state.withLock { $0.chunk.isEmpty }
    }

    /// Delivers the head with the beginning of the body or the complete body.
    ///
    /// - Returns: The number of delivered bytes that have not been read.
    package func deliver(
        head: Head, body: [UInt8], isPaused: Bool = false, isComplete: Bool
    ) -> Int {
        let waiter = state.withLock { state in
            guard state.outcome == nil else { return Waiter.none }
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

    /// Delivers more of the body.
    ///
    /// - Returns: The number of delivered bytes that have not been read.
    package func deliver(body: [UInt8], isPaused: Bool, isComplete: Bool) -> Int {
        var unreadByteCount = 0
        var whole: [UInt8] = []
        let waiter = state.withLock { state in
            guard state.outcome == nil else { return Waiter.none }
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
            unreadByteCount = state.chunk.count
            state.isPaused = isPaused && unreadByteCount > 0
            return Waiter.none
        }
        switch waiter {
        case .chunk(let continuation):
            unsafe continuation.resume(returning: body.isEmpty ? nil : body)
        case .rest(let continuation):
            unsafe continuation.resume(returning: whole.isEmpty ? body : whole + body)
        default: break
        }
        return unreadByteCount
    }

    /// Ends the exchange with an error, unless it has ended.
    ///
    /// - Parameters:
    ///   - error: The error for the waiting task, or for the next one that waits.
    ///   - keepsBody: Whether delivered bytes can still be read before the error.
    /// - Returns: `true` if the exchange had not ended before.
    @discardableResult
    package func fail(_ error: any Error, keepsBody: Bool) -> Bool {
        var isFirst = false
        let waiter = state.withLock { state in
            guard state.outcome == nil else { return Waiter.none }
            isFirst = true
            state.outcome = .failed(error)
            if !keepsBody { state.chunk = [] }
            return state.takeWaiter()
        }
        switch waiter {
        case .none: break
        case .head(let continuation): unsafe continuation.resume(throwing: error)
        case .chunk(let continuation): unsafe continuation.resume(throwing: error)
        case .rest(let continuation): unsafe continuation.resume(throwing: error)
        }
        return isFirst
    }
}
