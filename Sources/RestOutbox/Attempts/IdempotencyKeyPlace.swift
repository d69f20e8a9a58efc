// SPDX-License-Identifier: Apache-2.0

/// The part of a request that has its idempotency key.
package enum IdempotencyKeyPlace: Sendable, Hashable, Codable {
    /// A header field, whose value is a quoted string or bare text.
    case field(String, isQuoted: Bool)
    /// A member of the JSON object of the body, or a field of the form.
    case member(String)

    /// The header field of the draft of the IETF.
    ///
    /// - Source: draft-ietf-httpapi-idempotency-key-header.
    package static let standard = IdempotencyKeyPlace.field("Idempotency-Key", isQuoted: true)
}
