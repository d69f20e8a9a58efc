// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#else
import CryptoKit
import Security
#endif

#if canImport(Security)

/// The trust evaluation of servers by a TLS configuration, on Apple platforms.
struct ServerTrustPolicy: Sendable {
    private let authorities: [Data]?
    private let pins: [String: Set<PublicKeyPin>]

    /// Creates a policy.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` if the system does not support the
    ///   configuration, or if its authorities cannot be read.
    init(_ tls: TLSConfiguration) throws(TransportError) {
        if tls.identity != nil {
            throw Self.configurationError(
                "URLSession does not support a client identity in PEM format")
        }
        switch tls.authorities {
        case .system: authorities = nil
        case .only(let source): authorities = try Self.certificates(in: source)
        }
        pins = tls.pins
    }

    /// Applies the part of the configuration that the session evaluates itself.
    func apply(_ tls: TLSConfiguration, to session: URLSessionConfiguration) {
        session.tlsMinimumSupportedProtocolVersion =
            tls.minimumVersion == .tls12 ? .TLSv12 : .TLSv13
    }

    /// A Boolean value that indicates whether the default evaluation of the session is sufficient.
    var isSystemDefault: Bool { authorities == nil && pins.isEmpty }

    /// Returns a Boolean value that indicates whether a server is trusted.
    func accepts(_ trust: SecTrust, host: String) -> Bool {
        if let authorities {
            let anchors = authorities.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
            SecTrustSetAnchorCertificates(trust, anchors as CFArray)
            SecTrustSetAnchorCertificatesOnly(trust, true)
        }
        guard SecTrustEvaluateWithError(trust, nil) else { return false }
        guard let pins = pins[host.lowercased()] else { return true }
        guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate],
            let certificate = chain.first,
            let key = SubjectPublicKeyInfo.bytes(
                of: [UInt8](SecCertificateCopyData(certificate) as Data))
        else { return false }
        let digest = Data(SHA256.hash(data: Data(key))).base64EncodedString()
        return pins.contains { $0.sha256 == digest }
    }

    private static func certificates(in source: PEMSource) throws(TransportError) -> [Data] {
        let text: String
        switch source.storage {
        case .text(let bytes): text = String(decoding: bytes, as: UTF8.self)
        case .file(let path):
            guard let data = FileManager.default.contents(atPath: path) else {
                throw configurationError("the certificate authorities cannot be read")
            }
            text = String(decoding: data, as: UTF8.self)
        }
        let blocks = text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
        let certificates = blocks.compactMap { block in
            let body = block.components(separatedBy: "-----END CERTIFICATE-----").first ?? ""
            return Data(base64Encoded: body, options: .ignoreUnknownCharacters)
        }
        guard !certificates.isEmpty, certificates.count == blocks.count else {
            throw configurationError("the certificate authorities cannot be read")
        }
        return certificates
    }

    private static func configurationError(_ reason: String) -> TransportError {
        TransportError(.invalidRequest, stage: .preparing, reason: reason)
    }
}
#else
/// The trust evaluation of servers on Linux, where Foundation supports only the authorities of the
/// system.
struct ServerTrustPolicy: Sendable {
    /// Creates a policy.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` if the configuration is not the default
    ///   one.
    init(_ tls: TLSConfiguration) throws(TransportError) {
        if tls != .default {
            throw TransportError(
                .invalidRequest, stage: .preparing,
                reason: "Foundation on Linux supports only the default TLS configuration")
        }
    }

    func apply(_ tls: TLSConfiguration, to session: URLSessionConfiguration) {}
}
#endif
