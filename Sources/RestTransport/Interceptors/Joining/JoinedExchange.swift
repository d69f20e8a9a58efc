// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// One exchange for several requests, made by the task of the one that began it.
final class JoinedExchange: Sendable {
    /// What those who joined get; in a box, as a response is large and handed on several times.
    indirect enum Outcome: Sendable {
        /// A response whose body is complete.
        case response(TransportResponse)

        /// The body is too long to be held for all: it is for the one that began.
        case tooLarge

        /// The one that began was cancelled; somebody else must ask.
        case abandoned
    }

    let outcome = SharedOutcome<Outcome>()

    /// When the request that began it must be over.
    let deadline: ContinuousClock.Instant?

    init(deadline: ContinuousClock.Instant?) {
        self.deadline = deadline
    }

    /// Closes the door and gives those inside what they can share of a response.
    ///
    /// - Parameters:
    ///   - response: The response, whose body may still be arriving.
    ///   - limit: Longest body to hold.
    /// - Returns: The response for the one that began.
    /// - Throws: What reading the body throws.
    func share(_ response: TransportResponse, upTo limit: Int) async throws -> TransportResponse {
        guard outcome.close() > 0 else { return response }
        var response = response
        let length = response.headerFields.first(.contentLength).flatMap { Int($0) } ?? 0
        if length <= limit { response.body = try await response.body.gathered(upTo: limit) }
        outcome.finish(
            .success(response.body.completeBytes == nil ? .tooLarge : .response(response)))
        return response
    }

    /// Ends for those inside as it ended for the one that began.
    func fail(_ error: any Error) {
        outcome.finish(error is CancellationError ? .success(.abandoned) : .failure(error))
    }
}
