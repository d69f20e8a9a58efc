// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

// Invariant: libcurl copies strings and blobs during the call. `errorBuffer`, whose address it keeps,
// has the required size and is freed after the handle.

extension CurlTransfer {
    /// Sets the options of TLS connections.
    ///
    /// - Returns: A Boolean value that indicates whether libcurl supports all of them.
    func set(_ tls: TLSConfiguration) -> Bool {
        let version =
            switch tls.minimumVersion {
            case .tls12: CURL_SSLVERSION_TLSv1_2
            case .tls13: CURL_SSLVERSION_TLSv1_3
            }
        var results = unsafe [
            ccurl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer.baseAddress),
            ccurl_easy_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1),
            ccurl_easy_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2),
            ccurl_easy_set_long(easy, CURLOPT_SSLVERSION, Int(version)),
        ]
        if Self.usesOpenSSL {
            // The configuration of the system may have lowered the level.
            unsafe results.append(
                ccurl_easy_set_text(easy, CURLOPT_SSL_CIPHER_LIST, "DEFAULT:@SECLEVEL=2"))
        }
        if case .only(let authorities) = tls.authorities {
            // libcurl would trust the authorities in the directory of the system, too.
            unsafe results.append(ccurl_easy_set_text(easy, CURLOPT_CAPATH, nil))
            results.append(
                set(authorities, file: CURLOPT_CAINFO, text: CURLOPT_CAINFO_BLOB))
        }
        if let identity = tls.identity {
            results.append(
                set(identity.certificates, file: CURLOPT_SSLCERT, text: CURLOPT_SSLCERT_BLOB))
            results.append(
                set(identity.privateKey, file: CURLOPT_SSLKEY, text: CURLOPT_SSLKEY_BLOB))
        }
        if let pins = pins.values.first {
            unsafe results.append(ccurl_easy_set_text(easy, CURLOPT_PINNEDPUBLICKEY, pins))
        }
        return results.allSatisfy { $0 == CURLE_OK }
    }

    /// Configures a new connection, for which libcurl has created a context of OpenSSL.
    func configure(tlsContext context: UnsafeMutableRawPointer?) {
        unsafe ccurl_openssl_require_close_notify(context)
        if !writesKeyLog {
            unsafe ccurl_openssl_disable_key_log(context)
        }
    }

    private func set(_ source: PEMSource, file: CURLoption, text: CURLoption) -> CURLcode {
        switch source.storage {
        case .file(let path): unsafe ccurl_easy_set_text(easy, file, path)
        case .text(let bytes):
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe ccurl_easy_set_blob(easy, text, bytes.baseAddress, bytes.count)
            }
        }
    }

    // MARK: Failures

    /// Returns the reason why there is no connection, or `nil` for a failure of another kind.
    func connectionFailure(
        _ result: CURLcode, at stage: TransportError.Stage
    ) -> ConnectionFailure? {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST: return .unknownHost
        case CURLE_COULDNT_CONNECT:
            let number = unsafe ccurl_easy_get_long(easy, CURLINFO_OS_ERRNO)
            return ConnectionFailure(systemError: Int32(truncatingIfNeeded: number))
        case CURLE_OPERATION_TIMEDOUT: return .unknown
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return .unpinnedKey
        case CURLE_PEER_FAILED_VERIFICATION where Self.usesOpenSSL: return verificationFailure
        case CURLE_PEER_FAILED_VERIFICATION: return .untrusted
        case let result where result.isTLS: return ConnectionFailure(tlsMessage: errorMessage)
        default:
            // With TLS 1.3 a missing client certificate is reported only after the handshake. Any other
            // alert after it ends a connection that the host has accepted.
            let message = errorMessage
            if stage == .connecting {
                return message.contains(" alert ") ? ConnectionFailure(tlsMessage: message) : nil
            }
            if connection.hasResponded { return nil }
            return ConnectionFailure(clientCertificateAlert: message)
        }
    }

    private var verificationFailure: ConnectionFailure {
        // Codes of x509_vfy.h. libcurl sets 1 until it has verified the host name.
        switch unsafe ccurl_easy_get_long(easy, CURLINFO_SSL_VERIFYRESULT) {
        case 1: .wrongHost
        case 9: .notYetValid
        case 10: .expired
        case 18: .selfSigned
        case 66, 67, 68: .weakKey
        default: .untrusted
        }
    }

    private var errorMessage: String {
        unsafe String(
            decoding: errorBuffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static let usesOpenSSL: Bool = {
        guard let library = unsafe ccurl_tls_library() else { return false }
        return unsafe String(cString: library).hasPrefix("OpenSSL/")
    }()
}
