// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// One exchange for several requests, run by the task of the first one.
final class CoalescedExchange: Sendable {
    /// The result for the coalesced requests; indirect, because a response is large and copied for
    /// each of them.
    indirect enum Outcome: Sendable {
        /// A response whose body is complete.
        case response(TransportResponse)

        /// The body is too long to be shared; only the first request gets it.
        case tooLarge

        /// The first request was cancelled; another one must be sent.
        case abandoned
    }

    let outcome = SharedOutcome<Outcome>()

    /// The deadline of the first request.
    let deadline: ContinuousClock.Instant?

    init(deadline: ContinuousClock.Instant?) {
        self.deadline = deadline
    }

    /// Closes the exchange to further requests and shares a response with those that wait.
    ///
    /// - Parameters:
    ///   - response: The response, whose body may still be arriving.
    ///   - limit: The maximum number of bytes of a shared body.
    /// - Returns: The response for the first request.
    /// - Throws: Errors of reading the body.
    func share(_ response: TransportResponse, upTo limit: Int) async throws -> TransportResponse {
        guard outcome.close() > 0 else { return response }
        var response = response
        let length = response.headerFields.first(.contentLength).flatMap { Int($0) } ?? 0
        if length <= limit { response.body = try await response.body.buffered(upTo: limit) }
        outcome.finish(
            .success(response.body.completeBytes == nil ? .tooLarge : .response(response)))
        return response
    }

    /// Ends the coalesced requests with the error of the first one.
    func fail(_ error: any Error) {
        outcome.finish(error is CancellationError ? .success(.abandoned) : .failure(error))
    }
}
