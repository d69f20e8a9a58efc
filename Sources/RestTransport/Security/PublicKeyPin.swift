// SPDX-License-Identifier: Apache-2.0

import RestSyntax

/// The digest of a public key that a host must present.
///
/// ```sh
/// openssl x509 -in certificate.pem -pubkey -noout | openssl pkey -pubin -outform der \
///     | openssl dgst -sha256 -binary | base64
/// ```
///
/// - Source: RFC 7469 §2.4 (the digest of the SubjectPublicKeyInfo).
public struct PublicKeyPin: Sendable, Hashable {
    /// The digest in base64, 44 characters.
    public let sha256: String

    /// Creates a pin.
    ///
    /// - Parameter sha256: The SHA-256 digest of the key's SubjectPublicKeyInfo, in base64.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the text is not such a digest.
    public init(sha256: String) throws(TransportError) {
        let digits = sha256.utf8.prefix(43)
        let isBase64 = digits.allSatisfy { byte in
            byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "/")
        }
        // Two bits of the last of 43 digits must be zero.
        let isComplete = digits.last.map { "AEIMQUYcgkosw048".utf8.contains($0) } ?? false
        guard sha256.utf8.count == 44, sha256.utf8.last == UInt8(ascii: "="), isBase64, isComplete
        else {
            throw TransportError(
                .invalidRequest, stage: .preparing,
                reason: "a pin is not a SHA-256 digest in base64")
        }
        self.sha256 = sha256
    }
}
