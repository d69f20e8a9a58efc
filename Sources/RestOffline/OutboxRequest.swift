// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
public import RestDocument
import RestOutbox

/// A request of an outbox that is no edit.
public struct OutboxRequest: Sendable {
    let command: OutboxCommand

    private init(_ command: OutboxCommand) { self.command = command }

    /// Returns a POST request.
    ///
    /// Without a key it is sent at most once: if its answer is lost, the entry is uncertain.
    ///
    /// - Parameters:
    ///   - path: The pattern of the path, which the values of the object fill, such as `orders/:id/cancel`.
    ///   - parameters: The body, as JSON; `nil` for none.
    ///   - keyLifetime: The time for which the server remembers an `Idempotency-Key`, with which the request is
    ///     sent again; `nil` for a request without a key.
    /// - Returns: The request.
    public static func post(
        _ path: String, parameters: Document? = nil, keyLifetime: Duration? = nil
    ) -> OutboxRequest {
        let body = parameters.map { Data(JSONWriter.compact.bytes(of: $0)) } ?? Data()
        return OutboxRequest(
            OutboxCommand(
                method: HTTPRequest.Method.post.rawValue, path: path, body: body,
                contentType: parameters == nil ? nil : "application/json",
                remedy: keyLifetime.map { .idempotencyKey(lifetime: $0) } ?? .atMostOnce))
    }
}
