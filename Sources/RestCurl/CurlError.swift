// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

/// An error that libcurl reported.
package struct CurlError: Error, CustomStringConvertible {
    /// The number of the error in libcurl.
    package let code: UInt32

    /// The description of the error in libcurl.
    package let description: String

    init(_ code: CURLcode) {
        self.code = code.rawValue
        description = unsafe curl_easy_strerror(code).map { unsafe String(cString: $0) } ?? ""
    }
}

extension TransportError {
    /// Creates the error of a failed transfer.
    init(
        _ result: CURLcode, violation: ResponseMeter.Violation?, stage: Stage,
        exchange: CurlExchange, transfer: CurlTransfer
    ) {
        let request = exchange.request
        if let violation {
            self = violation.error(for: request, limits: exchange.limits)
            return
        }
        if let failure = transfer.connectionFailure(result, at: stage) {
            if stage == .connecting || !transfer.connection.hasResponded {
                self.init(failure, request: request, underlying: CurlError(result))
            } else {
                // A kept connection has ended after the request was sent, and there is no other one.
                self.init(
                    .connectionLost, stage: stage, request: request,
                    reason: "the connection ended before a response",
                    underlying: CurlError(result))
            }
            return
        }
        let isReceivingBody = stage == .receivingBody
        let code: Code
        var stage = stage
        var reason: String
        switch result {
        case CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM, CURLE_HTTP2:
            code = isReceivingBody ? .incompleteBody : .connectionLost
            reason = "the connection ended early"
        case CURLE_RECV_ERROR:
            // A reset has an error number. Without one, libcurl could not parse the chunks.
            let number = unsafe ccurl_easy_get_long(transfer.easy, CURLINFO_OS_ERRNO)
            let isMalformed = isReceivingBody && request.url.scheme == .http && number == 0
            let isIncomplete = isReceivingBody && !isMalformed
            code =
                isMalformed ? .malformedResponse : isIncomplete ? .incompleteBody : .connectionLost
            reason = isMalformed ? "the body's framing is broken" : "the connection ended early"
        case CURLE_UPLOAD_FAILED:
            code = .invalidRequest
            reason = "the server speaks HTTP/1.0, which does not support bodies of unknown length"
        case CURLE_SEND_ERROR where isReceivingBody:
            (code, reason) = (.incompleteBody, "the connection ended early")
        // libcurl reports success for a connection that ends within the header. An abort is that of a
        // repetition which is not allowed.
        case CURLE_OK, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND,
            CURLE_ABORTED_BY_CALLBACK:
            (code, reason) = (.connectionLost, "the connection ended before a response")
        case CURLE_OUT_OF_MEMORY where !isReceivingBody, .tooLarge:
            // libcurl reports these for a header beyond its own limits.
            (code, reason) = (.headerTooLarge, "the header exceeds a limit of libcurl")
            stage = .receivingHeader
        case CURLE_BAD_CONTENT_ENCODING:
            (code, reason) = (.malformedResponse, "the body cannot be decoded")
            stage = .receivingBody
        case CURLE_URL_MALFORMAT:
            (code, reason) = (.invalidRequest, "libcurl does not accept the URL")
        default:
            (code, reason) = (.malformedResponse, "the response is not valid HTTP")
            if stage == .sendingRequest { stage = .receivingHeader }
        }
        self.init(
            code, stage: stage, request: request, reason: reason, underlying: CurlError(result))
    }
}

extension CURLcode {
    /// `CURLE_TOO_LARGE`, which the headers of libcurl before version 8.6 lack.
    fileprivate static let tooLarge = CURLcode(100)

    var isTLS: Bool {
        let codes = [
            CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
        ]
        return codes.contains(self)
    }
}
