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

    /// Returns the reason of a failed TLS handshake.
    func tlsFailureReason(_ result: CURLcode) -> String {
        switch result {
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: "the host's public key is not one of those pinned"
        case CURLE_SSL_CACERT_BADFILE: "the certificate authorities cannot be read"
        case CURLE_SSL_CERTPROBLEM: "the client's certificate or its key cannot be used"
        case CURLE_PEER_FAILED_VERIFICATION where Self.usesOpenSSL:
            verificationFailureReason
        case CURLE_PEER_FAILED_VERIFICATION: "the certificate is not trusted"
        default: "no secure connection to the host"
        }
    }

    private var verificationFailureReason: String {
        // Codes of x509_vfy.h. libcurl sets 1 until it has verified the host name.
        switch unsafe ccurl_easy_get_long(easy, CURLINFO_SSL_VERIFYRESULT) {
        case 1: "the certificate is for another host"
        case 9: "the certificate is not valid yet"
        case 10: "the certificate has expired"
        case 18: "the certificate is self-signed"
        case 66, 67, 68: "a key or digest of the certificate is too weak"
        default: "the certificate is not trusted"
        }
    }

    /// A Boolean value that indicates whether the server sent a TLS alert after the handshake.
    var hasReceivedTLSAlert: Bool {
        // With TLS 1.3 a missing client certificate is reported only after the handshake.
        unsafe String(
            decoding: errorBuffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
        )
        .contains(" alert ")
    }

    private static let usesOpenSSL: Bool = {
        guard let library = unsafe ccurl_tls_library() else { return false }
        return unsafe String(cString: library).hasPrefix("OpenSSL/")
    }()
}
