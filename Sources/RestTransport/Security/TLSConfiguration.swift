// SPDX-License-Identifier: Apache-2.0

/// The certificate authorities and client identity of a transport.
///
/// Certificates and host names are always verified, regardless of the environment of the process.
/// The minimum version is TLS 1.2. The initializer of a transport throws an error if the transport
/// does not support a configuration.
public struct TLSConfiguration: Sendable, Hashable {
    /// The trusted certificate authorities.
    public enum Authorities: Sendable, Hashable {
        /// The authorities that the system trusts.
        case system

        /// Only the given authorities.
        case only(PEMSource)
    }

    /// The certificate and private key of a client.
    public struct Identity: Sendable, Hashable {
        /// The client certificate, followed by the intermediate certificates.
        public var certificates: PEMSource

        /// The unencrypted private key.
        public var privateKey: PEMSource

        /// Creates an identity.
        ///
        /// - Parameters:
        ///   - certificates: The client certificate, followed by the intermediate certificates.
        ///   - privateKey: The unencrypted private key.
        public init(certificates: PEMSource, privateKey: PEMSource) {
            self.certificates = certificates
            self.privateKey = privateKey
        }
    }

    /// A version of TLS.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2, RFC 5246.
        case tls12

        /// TLS 1.3, RFC 8446.
        case tls13
    }

    /// The trusted certificate authorities; those of the system by default.
    public var authorities = Authorities.system

    /// The minimum version of TLS; 1.2 by default.
    public var minimumVersion = Version.tls12

    /// The client identity for servers that request one.
    ///
    /// `nil`, the default, sends no certificate.
    public var identity: Identity?

    /// The public keys by host, in lower case and without port; empty by default.
    ///
    /// A listed host must present one of its keys in addition to a trusted certificate. Add a
    /// backup key for each host: if the only pinned key is lost, clients can no longer connect.
    public var pins: [String: Set<PublicKeyPin>] = [:]

    /// The hosts, in lower case and without port, that may end a body by closing the connection
    /// without a `close_notify` alert; empty by default.
    ///
    /// Such a body cannot be told from one that an attacker has cut, so it is an error, unless its
    /// length is known otherwise. Add a host only if it never sends the alert.
    ///
    /// - Source: RFC 9112 §9.8.
    public var hostsWithoutCloseNotify: Set<String> = []

    /// The default configuration.
    public static let `default` = TLSConfiguration()

    /// Creates a configuration with the default values.
    public init() {}
}
