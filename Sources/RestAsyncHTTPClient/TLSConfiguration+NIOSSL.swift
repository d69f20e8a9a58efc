// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import NIOSSL
import RestTransport

extension NIOSSL.TLSConfiguration {
    /// Creates the NIOSSL form of a configuration without its pins, which ``ConnectionValidator`` checks.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` if it has certificates or a key that
    ///   cannot be read.
    init(_ configuration: RestTransport.TLSConfiguration) throws(TransportError) {
        self = .makeClientConfiguration()
        switch configuration.minimumVersion {
        case .tls12: minimumTLSVersion = .tlsv12
        case .tls13: minimumTLSVersion = .tlsv13
        }
        do {
            if case .only(let authorities) = configuration.authorities {
                trustRoots = .certificates(try authorities.certificates())
            }
            if let identity = configuration.identity {
                certificateChain = try identity.certificates.certificates()
                    .map { .certificate($0) }
                privateKey = .privateKey(try identity.privateKey.privateKey())
            }
        } catch {
            throw TransportError(
                .invalidRequest, stage: .preparing,
                reason: "certificates or a key cannot be read", underlying: error)
        }
    }
}

extension PEMSource {
    fileprivate func certificates() throws -> [NIOSSLCertificate] {
        switch storage {
        case .file(let path): try NIOSSLCertificate.fromPEMFile(path)
        case .text(let text): try NIOSSLCertificate.fromPEMBytes(text)
        }
    }

    fileprivate func privateKey() throws -> NIOSSLPrivateKey {
        switch storage {
        case .file(let path): try NIOSSLPrivateKey(file: path, format: .pem)
        case .text(let text): try NIOSSLPrivateKey(bytes: text, format: .pem)
        }
    }
}
#endif
