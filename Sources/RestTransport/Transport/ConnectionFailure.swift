// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The reason why there is no connection to a host, in the words of all transports.
package enum ConnectionFailure: String, Sendable, Hashable {
    case unknown = "no connection to the host"
    case unknownHost = "the host name cannot be resolved"
    case refused = "the host refused the connection"
    case unreachable = "the host is not reachable"

    case tls = "no secure connection to the host"
    case expired = "the certificate has expired"
    case notYetValid = "the certificate is not valid yet"
    case wrongHost = "the certificate is for another host"
    case selfSigned = "the certificate is self-signed"
    case untrusted = "the certificate is not trusted"
    case weakKey = "a key or digest of the certificate is too weak"
    case unpinnedKey = "the host's public key is not one of those pinned"
    case protocolVersion = "the host supports no TLS version that is allowed"
    case plainText = "the host does not use TLS"
    case clientCertificateRequired = "the host requires a client certificate"
    case clientCertificateRefused = "the host does not accept the client certificate"
    case handshakeRefused = "the host refused the secure connection"

    /// The kind of error.
    package var code: TransportError.Code {
        switch self {
        case .unknown, .unknownHost, .refused, .unreachable: .connectionFailed
        default: .tlsFailed
        }
    }

    /// Creates the reason for a number of `errno.h` after connecting failed.
    package init(systemError number: Int32) {
        self =
            switch number {
            case ECONNREFUSED: .refused
            case EHOSTUNREACH, ENETUNREACH, ENETDOWN: .unreachable
            default: .unknown
            }
    }

    /// Creates the reason that a message of OpenSSL, BoringSSL or libcurl describes.
    ///
    /// The libraries report most failures as text only. A text that is not known is ``tls``.
    package init(tlsMessage text: String) {
        let text = text.lowercased().replacing("_", with: " ")
        let failure = Self.messages.first { message, _ in text.contains(message) }?.failure
        self = failure ?? .tls
    }

    /// Creates the reason that an alert after the handshake describes, or returns `nil` if the alert is
    /// not about the client's certificate.
    ///
    /// - Source: RFC 8446 §4.4.2.4: the server may verify the certificate after the client has finished.
    package init?(clientCertificateAlert text: String) {
        let failure = ConnectionFailure(tlsMessage: text)
        guard failure.isOfClientCertificate else { return nil }
        self = failure
    }

    /// A Boolean value that indicates whether the host did not accept the client's certificate, which
    /// with TLS 1.3 is known only after the handshake.
    package var isOfClientCertificate: Bool {
        self == .clientCertificateRequired || self == .clientCertificateRefused
    }

    /// The parts of messages, the most specific first.
    private static let messages: [(text: String, failure: ConnectionFailure)] = [
        ("certificate has expired", .expired),
        ("certificate is not yet valid", .notYetValid),
        ("no alternative certificate subject name", .wrongHost),
        ("does not match target host", .wrongHost),
        ("hostname", .wrongHost),
        ("self-signed certificate in certificate chain", .untrusted),
        ("self signed certificate in certificate chain", .untrusted),
        ("self-signed certificate", .selfSigned),
        ("self signed certificate", .selfSigned),
        ("key too small", .weakKey),
        ("key too weak", .weakKey),
        ("md too weak", .weakKey),
        ("certificate verify failed", .untrusted),
        ("unable to get local issuer certificate", .untrusted),
        ("ssl certificate problem", .untrusted),
        ("certificate required", .clientCertificateRequired),
        ("alert bad certificate", .clientCertificateRefused),
        ("alert unknown ca", .clientCertificateRefused),
        ("alert certificate unknown", .clientCertificateRefused),
        ("alert certificate expired", .clientCertificateRefused),
        ("alert unsupported certificate", .clientCertificateRefused),
        ("protocol version", .protocolVersion),
        ("unsupported protocol", .protocolVersion),
        // OpenSSL has agreed to a version before TLS 1.2 and does not accept its signatures.
        ("legacy sigalg", .protocolVersion),
        ("wrong version number", .plainText),
        ("packet length too long", .plainText),
        ("http request", .plainText),
        (" alert ", .handshakeRefused),
    ]
}

extension TransportError {
    /// Creates the error of a request for which there is no connection.
    package init(_ failure: ConnectionFailure, request: TransportRequest, underlying: any Error) {
        self.init(
            failure.code, stage: .connecting, request: request, reason: failure.rawValue,
            underlying: underlying)
    }
}
