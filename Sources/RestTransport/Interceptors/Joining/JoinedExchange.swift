// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// One exchange for several requests, in a task of its own.
final class JoinedExchange: Sendable {
    /// What those who share it get; in a box, as a response is large and handed on several times.
    indirect enum Outcome: Sendable {
        /// A response whose body is complete, or has one reader.
        case response(TransportResponse)

        /// A response with a body that is too long to be held, for one of several.
        case tooLarge(TransportResponse)
    }

    private enum State {
        case starting
        case running(Task<Void, Never>)
        case cancelled
    }

    let outcome = SharedOutcome<Outcome>(isEntered: true)

    /// When the request that began it must be over.
    let deadline: ContinuousClock.Instant?

    private let state = Mutex(State.starting)
    private let isClaimed = Atomic(false)

    init(deadline: ContinuousClock.Instant?) {
        self.deadline = deadline
    }

    /// Runs the exchange, at once and as far as it comes without waiting.
    func start(_ work: @escaping @Sendable () async -> Void) {
        let task: Task<Void, Never>
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task = Task.immediate { await work() }
        } else {
            task = Task { await work() }
        }
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .running(task)
            return false
        }
        if isCancelled { task.cancel() }
    }

    /// Ends the exchange.
    func cancel() {
        let task: Task<Void, Never>? = state.withLock { state in
            guard case .running(let task) = state else {
                state = .cancelled
                return nil
            }
            return task
        }
        task?.cancel()
    }

    /// Closes the door and makes of a response what all inside can share.
    ///
    /// - Parameters:
    ///   - response: The response, whose body may still be arriving.
    ///   - limit: Longest body to hold.
    /// - Returns: What those inside get.
    /// - Throws: What reading the body throws.
    func share(_ response: TransportResponse, upTo limit: Int) async throws -> Outcome {
        guard outcome.close() > 1, response.body.completeBytes == nil else {
            return .response(response)
        }
        if let length = response.headerFields[.contentLength].flatMap({ Int($0) }), length > limit {
            return .tooLarge(response)
        }
        var response = response
        response.body = try await response.body.gathered(upTo: limit)
        return response.body.completeBytes == nil ? .tooLarge(response) : .response(response)
    }

    /// Takes the one body that cannot be held for all.
    ///
    /// - Returns: Whether this was the first to ask.
    func claim() -> Bool {
        !isClaimed.exchange(true, ordering: .relaxed)
    }
}
