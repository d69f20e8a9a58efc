// SPDX-License-Identifier: Apache-2.0

import CCurl

/// The connection of one exchange, as observed in the callbacks of libcurl.
///
/// Invariant: the handle of libcurl is that of the exchange, during a callback.
struct CurlConnectionUse {
    /// The endpoints of the connection; `nil` until it is ready.
    let endpoints: CurlConnections.Endpoints?

    private var isVersionKnown = false

    /// A Boolean value that indicates whether responses do not name their requests, as in HTTP/1.
    private(set) var isSequential = false

    /// A Boolean value that indicates whether only the end of a secure connection ends the body.
    var endsBody = false

    /// A Boolean value that indicates whether the connection ended the body without a `close_notify`
    /// alert, so that the body may have been cut.
    ///
    /// - Source: RFC 9112 §9.8.
    private(set) var lacksCloseNotify = false

    init(_ endpoints: CurlConnections.Endpoints? = nil) {
        self.endpoints = endpoints
    }

    /// Notes the version of HTTP, unless an earlier line has shown it.
    ///
    /// - Returns: A Boolean value that indicates whether the version has not been known before.
    mutating func noteVersion(inStatusLine line: UnsafeRawBufferPointer) -> Bool {
        guard !isVersionKnown else { return false }
        isVersionKnown = true
        let offset = "HTTP/".utf8.count
        let major = unsafe line.count > offset ? line[offset] : 0
        isSequential = major < UInt8(ascii: "2")
        return true
    }

    /// Notes whether the end of the connection has been announced, while libcurl still has it.
    mutating func noteCloseNotify(_ easy: UnsafeMutableRawPointer) {
        guard endsBody, isSequential else { return }
        let hasCloseNotify = unsafe ccurl_openssl_has_close_notify(easy)
        // Once libcurl has closed the connection, the answer is unknown.
        if hasCloseNotify >= 0 { lacksCloseNotify = hasCloseNotify == 0 }
    }
}
