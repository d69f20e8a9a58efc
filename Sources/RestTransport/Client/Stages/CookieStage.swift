// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The stage that adds the cookies of the jar to a request.
///
/// ``TransportStage`` stores the cookies of responses: responses from the cache set none.
final class CookieStage: Sendable {
    private let jar: CookieJar?
    private let clock: any TransportClock
    private let next: CacheStage

    init(jar: CookieJar?, clock: any TransportClock, next: CacheStage) {
        self.jar = jar
        self.clock = clock
        self.next = next
    }

    /// Sends a request with its cookies.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - leftTrustedOrigins: Whether redirects led through an origin that is not trusted.
    /// - Returns: The response.
    /// - Throws: Errors of the next stage.
    func send(
        _ request: TransportRequest, leftTrustedOrigins: Bool
    ) async throws -> TransportResponse {
        var request = request
        if let jar, !request.headerFields.contains(.cookie),
            let pairs = jar.fieldValue(
                for: request, leftTrustedOrigins: leftTrustedOrigins, at: clock.date)
        {
            // The subscript would make one field for each pair.
            request.headerFields.append(HTTPField(name: .cookie, lenientValue: pairs))
        }
        // Later stages may not add fields that are meant for a trusted origin.
        let allowedFields = leftTrustedOrigins ? request.headerFields : nil
        return try await next.send(request, allowedFields: allowedFields)
    }
}
