// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The stage that checks each request before it goes on the wire, after all interceptors.
final class GuardStage: Sendable {
    private let clock: any TransportClock
    private let next: TransportStage

    init(clock: any TransportClock, next: TransportStage) {
        self.clock = clock
        self.next = next
    }

    /// Sends a request if it is valid.
    ///
    /// - Parameters:
    ///   - request: The request as it goes on the wire.
    ///   - allowedFields: The header fields that the request may carry besides harmless ones; `nil`
    ///     allows all.
    /// - Returns: The response.
    /// - Throws: ``TransportError`` or `CancellationError`.
    func send(
        _ request: TransportRequest, allowedFields: HTTPFields?
    ) async throws -> TransportResponse {
        var request = request
        if let allowedFields {
            request.headerFields = request.headerFields.filter { field in
                CrossOriginPolicy.allows(field) || allowedFields.contains { $0 == field }
            }
        }
        try RequestValidator.validate(request)
        if let deadline = request.deadline {
            request.limits?.totalTimeout = max(.zero, deadline - clock.now)
        }
        return try await next.send(request)
    }
}
