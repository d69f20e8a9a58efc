// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

// Invariant: libcurl copies texts and blobs inside of the call. `message`, whose address it keeps,
// is as long as it asks for and is freed after the handle.

extension CurlTransfer {
    /// Sets what secure connections are made by.
    ///
    /// - Returns: Whether libcurl can do all of it.
    func set(_ tls: TLSConfiguration) -> Bool {
        let version =
            switch tls.minimumVersion {
            case .tls12: CURL_SSLVERSION_TLSv1_2
            case .tls13: CURL_SSLVERSION_TLSv1_3
            }
        var results = unsafe [
            ccurl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, message.baseAddress),
            ccurl_easy_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1),
            ccurl_easy_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2),
            ccurl_easy_set_long(easy, CURLOPT_SSLVERSION, Int(version)),
        ]
        if Self.isOverOpenSSL {
            // The system may have lowered the level, for connections that are not ours.
            unsafe results.append(
                ccurl_easy_set_text(easy, CURLOPT_SSL_CIPHER_LIST, "DEFAULT:@SECLEVEL=2"))
        }
        if case .only(let authorities) = tls.authorities {
            // The directory of the system's authorities would be asked beside.
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

    /// Why no secure connection came about, in fixed words.
    func reasonOfTLSFailure(_ result: CURLcode) -> String {
        switch result {
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: "the host's public key is not one of those pinned"
        case CURLE_SSL_CACERT_BADFILE: "the certificate authorities cannot be read"
        case CURLE_SSL_CERTPROBLEM: "the client's certificate or its key cannot be used"
        case CURLE_PEER_FAILED_VERIFICATION where Self.isOverOpenSSL:
            reasonOfVerificationFailure
        case CURLE_PEER_FAILED_VERIFICATION: "the certificate is not trusted"
        default: "no secure connection to the host"
        }
    }

    private var reasonOfVerificationFailure: String {
        // Numbers of x509_vfy.h; 1 is what libcurl begins with, until it has compared the host.
        switch unsafe ccurl_easy_get_long(easy, CURLINFO_SSL_VERIFYRESULT) {
        case 1: "the certificate is for another host"
        case 9: "the certificate is not valid yet"
        case 10: "the certificate has expired"
        case 18: "the certificate is self-signed"
        case 66, 67, 68: "a key or digest of the certificate is too weak"
        default: "the certificate is not trusted"
        }
    }

    /// Whether the server said, after the connection stood, that it does not want it.
    var wasRefusedByTLS: Bool {
        // With TLS 1.3 a client learns only then that it should have shown a certificate.
        unsafe String(
            decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
        )
        .contains(" alert ")
    }

    private static let isOverOpenSSL: Bool = {
        guard let library = unsafe ccurl_tls_library() else { return false }
        return unsafe String(cString: library).hasPrefix("OpenSSL/")
    }()
}
