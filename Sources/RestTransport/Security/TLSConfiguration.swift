// SPDX-License-Identifier: Apache-2.0

/// Whom a transport trusts, and as whom it shows itself.
///
/// Certificates and host names are always verified, and nothing in the environment of the process
/// changes that. TLS is 1.2 at least. A transport that cannot do what a configuration says refuses
/// it when it is made.
public struct TLSConfiguration: Sendable, Hashable {
    /// The authorities whose certificates are trusted.
    public enum Authorities: Sendable, Hashable {
        /// Those of the system.
        case system

        /// These, and no others.
        case only(PEMSource)
    }

    /// What a server that asks for it gets to know the client by.
    public struct Identity: Sendable, Hashable {
        /// The certificate, followed by those that lead to an authority.
        public var certificates: PEMSource

        /// Its private key, not encrypted.
        public var privateKey: PEMSource

        /// Makes an identity.
        ///
        /// - Parameters:
        ///   - certificates: The certificate, followed by those that lead to an authority.
        ///   - privateKey: Its private key, not encrypted.
        public init(certificates: PEMSource, privateKey: PEMSource) {
            self.certificates = certificates
            self.privateKey = privateKey
        }
    }

    /// A version of the protocol.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2, RFC 5246.
        case tls12

        /// TLS 1.3, RFC 8446.
        case tls13
    }

    /// The authorities whose certificates are trusted; the system's by default.
    public var authorities = Authorities.system

    /// The least version spoken; 1.2 by default.
    public var minimumVersion = Version.tls12

    /// What a server that asks for it gets to know the client by; nothing by default.
    public var identity: Identity?

    /// The keys a host has to show one of, beside a certificate that is trusted; none by default.
    ///
    /// By host in lower case, without port. Name a second key, kept in reserve, for each host, or
    /// lose it with the first.
    public var pins: [String: Set<PublicKeyPin>] = [:]

    /// The configuration of this package's defaults.
    public static let `default` = TLSConfiguration()

    /// Makes a configuration with the documented defaults.
    public init() {}
}
