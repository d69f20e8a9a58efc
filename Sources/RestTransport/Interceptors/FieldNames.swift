// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension HTTPField.Name {
    /// The field `X-Request-ID`.
    public static let requestID = fixed("X-Request-ID")

    /// The field `Idempotency-Key`, by which a server recognises repeated requests.
    ///
    /// - Source: draft-ietf-httpapi-idempotency-key-header.
    public static let idempotencyKey = fixed("Idempotency-Key")

    static let pragma = fixed("Pragma")
    static let traceParent = fixed("traceparent")
    static let traceState = fixed("tracestate")
    static let baggage = fixed("baggage")
    static let rateLimit = fixed("RateLimit")
    static let rateLimitReset = fixed("RateLimit-Reset")
    static let legacyRateLimitReset = fixed("X-RateLimit-Reset")
    static let legacyRateLimitRemaining = fixed("X-RateLimit-Remaining")

    /// Returns the name for a literal that contains only token characters.
    static func fixed(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            preconditionFailure("\(text) is not a field name")
        }
        return name
    }
}
