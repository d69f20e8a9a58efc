// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

/// The use of a connection by one exchange, as observed in the callbacks of libcurl.
///
/// Invariant: the handle of libcurl is that of the exchange, during a callback.
struct CurlConnectionUse {
    private let connection: CurlConnection?
    private let start: ExchangeInstant
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

    /// Creates the use of a connection; of none until it is ready.
    init(_ connection: CurlConnection? = nil, since start: ExchangeInstant) {
        self.connection = connection
        self.start = start
    }

    /// A Boolean value that indicates whether a byte of a response has ever arrived.
    var hasResponded: Bool { connection?.hasResponded ?? false }

    /// A Boolean value that indicates whether no further exchange may use the connection because an
    /// exchange has timed out on it without a byte.
    var isSilent: Bool { connection?.isSilent ?? false }

    /// Notes the version of HTTP, unless an earlier line has shown it.
    mutating func noteVersion(inStatusLine line: UnsafeRawBufferPointer) {
        guard !isVersionKnown else { return }
        isVersionKnown = true
        let offset = "HTTP/".utf8.count
        let major = unsafe line.count > offset ? line[offset] : 0
        isSequential = major < UInt8(ascii: "2")
        connection?.isSequential = isSequential
    }

    /// Notes that bytes have arrived.
    func noteReceipt(at now: ExchangeInstant) {
        connection?.noteReceipt(at: now)
    }

    /// Notes that the exchange has timed out.
    func noteTimeout() {
        connection?.noteTimeout(since: start)
    }

    /// Notes that the framing of the response makes unclear where the next one begins.
    func noteFault() {
        connection?.isFaulty = true
    }

    /// Notes whether the end of the connection has been announced, while libcurl still has it.
    mutating func noteCloseNotify(_ easy: UnsafeMutableRawPointer) {
        guard endsBody, isSequential else { return }
        let hasCloseNotify = unsafe ccurl_openssl_has_close_notify(easy)
        // Once libcurl has closed the connection, the answer is unknown.
        if hasCloseNotify >= 0 { lacksCloseNotify = hasCloseNotify == 0 }
    }
}
