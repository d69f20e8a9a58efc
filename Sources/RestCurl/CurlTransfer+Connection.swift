// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

// Invariant: called on the driver thread, in callbacks of libcurl or while it does not use the handle.

extension CurlTransfer {
    func connectionWillStart() {
        times.noteConnecting(at: loop.now)
    }

    func socketDidOpen(_ socket: Int32) {
        loop.connections.didOpen(socket)
        connectionWillStart()
    }

    /// Returns a Boolean value that indicates whether to send the request over a connection.
    ///
    /// If not, the transfer ends. libcurl closes the connection unless other exchanges use it.
    func connectionDidBecomeReady(_ endpoints: CurlConnections.Endpoints) -> Bool {
        guard attempts.mayBegin else { return false }
        let choice = loop.connections.choice(at: endpoints) {
            unsafe exchange?.request.url.scheme == .https && ccurl_openssl_pending(easy) > 0
        }
        switch choice {
        case .avoid(let unusable):
            attempts.avoidConnection(isShared: unusable.isSequential != true)
            return false
        case .use(let usable):
            attempts.begin()
            connection = CurlConnectionUse(usable, since: loop.now)
        }
        // libcurl repeats a request without rewinding if it has not sent a byte of the body, even if
        // it has read some.
        sender.rewind()
        times.noteActivity(sender.isComplete ? .receivingHeader : .sendingRequest, at: loop.now)
        return true
    }

    /// A Boolean value that indicates whether the request was not sent because the connection that
    /// libcurl chose must not be used.
    var needsOtherConnection: Bool { attempts.needsOtherConnection }

    /// Prepares the exchange for another connection after ``needsOtherConnection``.
    func retry() {
        attempts.restart()
        if attempts.needsNewConnection {
            unsafe ccurl_easy_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
        }
        unsafe errorBuffer[0] = 0
    }

    /// Prepares the handle to be removed before its exchange is complete.
    ///
    /// A connection over HTTP/1 is closed then. One over HTTP/2 is kept unless it is silent.
    func willStop() {
        if connection.isSilent { unsafe ccurl_easy_set_long(easy, CURLOPT_FORBID_REUSE, 1) }
    }

    func noteProgress() {
        unsafe connection.noteCloseNotify(easy)
    }

    /// Starts or stops the reports of libcurl.
    ///
    /// They are the only trace of bytes behind a response without a body, which libcurl 7.88 discards
    /// without closing the connection.
    func setReporting(_ isReporting: Bool) {
        guard isReporting != self.isReporting else { return }
        self.isReporting = isReporting
        unsafe ccurl_easy_set_long(easy, CURLOPT_VERBOSE, isReporting ? 1 : 0)
    }

    func noteReport(_ text: UnsafeRawBufferPointer) {
        if unsafe text.starts(with: "Excess found".utf8) { connection.noteFault() }
    }
}
