// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

/// An easy handle with the state of one exchange, reused for later exchanges.
///
/// Invariant: confined to the driver thread. The callbacks of libcurl find the transfer by its
/// address, which the handle keeps; the loop keeps the transfer alive as long as the handle. `easy`
/// and `errorBuffer` are valid until ``close()``, which is called after the handle was removed from
/// the multi handle. No exchange starts after that.
@safe final class CurlTransfer {
    let easy: UnsafeMutableRawPointer
    private unowned let loop: CurlLoop
    private let bufferedByteCount: Int
    private var fields = CurlFieldList()

    /// The buffer for error messages of libcurl.
    let errorBuffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// The pinned public keys of hosts, in the form of libcurl.
    let pins: [String: String]

    /// The hosts whose connections may end without a `close_notify` alert.
    let hostsWithoutCloseNotify: Set<String>

    /// A Boolean value that indicates whether libcurl may write the keys of TLS connections to a file.
    let writesKeyLog: Bool

    /// The current exchange.
    private(set) var exchange: CurlExchange?

    /// The index of this transfer among the active ones of the loop.
    var index = 0

    private var sender = CurlSender()
    private var receiver = CurlReceiver()
    private var readByteCount = 0
    private var receivedByteCount = 0
    private var isCollecting = false
    private var isDeliveryScheduled = false
    private var connection = CurlConnectionUse()

    /// A Boolean value that indicates whether the request was not sent because the connection that
    /// libcurl chose must not be used.
    private(set) var needsOtherConnection = false

    private var times = ExchangeTimeouts(limits: .default, stage: .connecting)

    init?(loop: CurlLoop, configuration: CurlTransport.Configuration) {
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = easy
        self.loop = loop
        bufferedByteCount = configuration.bufferedByteCount
        pins = configuration.tls.pins.mapValues { pins in
            pins.map { "sha256//\($0.sha256)" }.sorted().joined(separator: ";")
        }
        hostsWithoutCloseNotify = configuration.tls.hostsWithoutCloseNotify
        writesKeyLog = configuration.writesKeyLog
        unsafe errorBuffer.initialize(repeating: 0)
        if !setConstantOptions(configuration) {
            close()
            return nil
        }
    }

    /// Returns the transfer of a handle.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer {
        unsafe from(ccurl_easy_get_private(easy))
    }

    /// Returns the transfer at an address.
    static func from(_ address: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let address = unsafe address else {
            preconditionFailure("a handle without its transfer")
        }
        return unsafe Unmanaged<CurlTransfer>.fromOpaque(address).takeUnretainedValue()
    }

    // MARK: Lifecycle

    func begin(_ exchange: CurlExchange) {
        self.exchange = exchange
        unsafe exchange.transfer = self
        let body = exchange.request.body
        var wake: (@Sendable () -> Void)?
        if !body.isEmpty, body.bytes == nil {
            wake = { [weak exchange] in exchange?.resumeSending() }
        }
        sender.begin(body, wake: wake)
        receiver.begin(exchange.limits, into: unsafe exchange.buffers.take())
        isCollecting = false
        times = ExchangeTimeouts(
            limits: exchange.limits, stage: .connecting, isWaiting: true, now: loop.now)
        unsafe errorBuffer[0] = 0
        connection = CurlConnectionUse()
        needsOtherConnection = false
        adaptReceiveBuffer(to: exchange.request)
        setOptions(for: exchange.request, fields: &fields)
    }

    func end() {
        unsafe exchange?.transfer = nil
        exchange = nil
        sender.end()
        receiver.end()
    }

    func close() {
        unsafe curl_easy_cleanup(easy)
        unsafe errorBuffer.deallocate()
        fields.free()
    }

    /// Chooses the size of the receive buffer, which libcurl allocates for each exchange.
    ///
    /// Without TLS, and so over HTTP/1.1, the buffer is large if the previous response was. To free
    /// a block of 64 KiB or more, glibc consolidates its heap, which is a large part of the cost of a
    /// small response.
    private func adaptReceiveBuffer(to request: TransportRequest) {
        let byteCount =
            request.url.scheme == .https
            ? Self.secureReadByteCount
            : receivedByteCount > 4 * Self.smallReadByteCount
                ? Self.largeReadByteCount : Self.smallReadByteCount
        receivedByteCount = 0
        if byteCount != readByteCount {
            readByteCount = byteCount
            unsafe ccurl_easy_set_long(easy, CURLOPT_BUFFERSIZE, byteCount)
        }
    }

    // MARK: Events

    func connectionWillStart() {
        times.noteConnecting(at: loop.now)
    }

    func socketDidOpen(_ socket: Int32) {
        loop.connections.didOpen(socket)
        connectionWillStart()
    }

    /// Returns a Boolean value that indicates whether to send the request over a connection.
    func connectionDidBecomeReady(_ endpoints: CurlConnections.Endpoints) -> Bool {
        let mayUse = loop.connections.mayUse(endpoints) {
            unsafe exchange?.request.url.scheme == .https && ccurl_openssl_pending(easy) > 0
        }
        guard mayUse else {
            // Ends the transfer, with which libcurl closes the connection.
            needsOtherConnection = true
            return false
        }
        connection = CurlConnectionUse(endpoints)
        // libcurl repeats a request without rewinding if it has not sent a byte of the body, even if
        // it has read some.
        sender.rewind()
        times.noteActivity(sender.isComplete ? .receivingHeader : .sendingRequest, at: loop.now)
        return true
    }

    /// Prepares the exchange for another connection after ``needsOtherConnection``.
    func retry() {
        needsOtherConnection = false
        unsafe errorBuffer[0] = 0
    }

    /// Copies the next bytes of the request's body.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let result = unsafe sender.send(into: buffer)
        times.noteSource(isSlow: sender.isPaused, at: loop.now)
        if sender.isComplete, times.stage == .sendingRequest {
            times.noteActivity(.receivingHeader, at: loop.now)
        }
        return result
    }

    func rewind(to offset: Int) -> Bool {
        offset == 0 && sender.rewind()
    }

    /// Continues with a request body after its source was slow.
    func resumeSending() {
        guard sender.isPaused else { return }
        sender.resume()
        times.noteSource(isSlow: false, at: loop.now)
        applyPauses()
    }

    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        if unsafe connection.noteVersion(inStatusLine: line), let endpoints = connection.endpoints {
            loop.connections.didReceiveResponse(
                isSequential: connection.isSequential, on: endpoints)
        }
        let event = unsafe receiver.receive(headerLine: line)
        if event == .end {
            let status = unsafe ccurl_easy_get_long(easy, CURLINFO_RESPONSE_CODE)
            times.noteResponse(status: status, at: loop.now)
            if let request = exchange?.request, request.url.scheme == .https,
                !hostsWithoutCloseNotify.contains(request.url.host)
            {
                connection.endsBody = receiver.isDelimitedByConnection(
                    status: status, method: request.method)
            }
            scheduleDelivery()
        } else {
            times.noteActivity(at: loop.now)
        }
        return event != .violation
    }

    func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        times.noteActivity(at: loop.now)
        scheduleDelivery()
        receivedByteCount += bytes.count
        return unsafe receiver.receive(body: bytes) ? bytes.count : 0
    }

    func noteProgress() {
        unsafe connection.noteCloseNotify(easy)
    }

    /// Continues with a response body after its reader has caught up.
    func resumeReceiving() {
        guard times.resume(at: loop.now) else { return }
        receiver.unreadByteCount = 0
        applyPauses()
    }

    /// Buffers the rest of the body, as the reader collects all of it.
    func collect() {
        guard let exchange else { return }
        isCollecting = true
        receiver.collect(after: exchange.pipe.takeBack())
        resumeReceiving()
    }

    private func applyPauses() {
        var directions = CURLPAUSE_CONT
        if times.isReaderSlow { directions |= CURLPAUSE_RECV }
        if sender.isPaused { directions |= CURLPAUSE_SEND }
        unsafe curl_easy_pause(easy, directions)
    }

    private func scheduleDelivery() {
        if !isDeliveryScheduled {
            isDeliveryScheduled = true
            loop.scheduleDelivery(of: self)
        }
    }

    // MARK: Delivery

    /// Delivers the data received since the last delivery to the waiting task.
    func deliverReceivedData() {
        isDeliveryScheduled = false
        guard let exchange, receiver.isHeaderComplete else { return }
        if isRefusedEarly {
            if receiver.isBodyComplete {
                deliver(to: exchange, mayPause: false, isComplete: true)
                loop.remove(self)
                return
            }
            resumeSending()
        }
        if isCollecting { return }
        let mayPause = receiver.pendingByteCount >= bufferedByteCount
        deliver(to: exchange, mayPause: mayPause, isComplete: false)
        // Pauses here and not in the callback, where libcurl would have to buffer the bytes of the
        // call. A reader that takes the bytes meanwhile submits a command to resume, which follows.
        if mayPause, receiver.unreadByteCount >= bufferedByteCount, times.suspend() {
            applyPauses()
        }
    }

    /// A Boolean value that indicates whether the server rejected the request before it had read the
    /// whole body.
    ///
    /// libcurl then stops sending, unless the server closes the connection: it would send on and fail
    /// although the response has arrived.
    private var isRefusedEarly: Bool { times.isRefused && !sender.isComplete }

    /// Delivers the end of the exchange to the waiting task.
    func finish(_ result: CURLcode) {
        guard let exchange else { return }
        if result == CURLE_OK, receiver.isHeaderComplete,
            receiver.finishBody(isCut: connection.lacksCloseNotify)
        {
            deliver(to: exchange, mayPause: false, isComplete: true)
            return
        }
        // The head is delivered even if the body is not valid.
        if receiver.isHeaderComplete, receiver.violation == nil {
            deliver(to: exchange, mayPause: false, isComplete: false)
        }
        if let failure = sender.failure {
            exchange.pipe.fail(
                TransportError.ofBody(failure, in: exchange.request), keepsBody: false)
            return
        }
        let error = TransportError(
            result, violation: receiver.violation, stage: times.stage, exchange: exchange,
            transfer: self)
        exchange.pipe.fail(error, keepsBody: true)
    }

    private func deliver(to exchange: CurlExchange, mayPause: Bool, isComplete: Bool) {
        let body = receiver.takeBody()
        if receiver.isHeaderDelivered {
            receiver.unreadByteCount = exchange.pipe.deliver(
                body: body, isPaused: mayPause, isComplete: isComplete)
        } else {
            receiver.unreadByteCount = exchange.pipe.deliver(
                head: .lines(receiver.takeHeader()), body: body, isPaused: mayPause,
                isComplete: isComplete)
        }
    }

    // MARK: Timeouts

    /// The earliest time at which a limit is exceeded.
    var earliestDeadline: ExchangeInstant? { times.earliestDeadline(at: loop.now) }

    /// The error of the time limit that is exceeded, if any.
    var timeoutError: TransportError? {
        exchange.flatMap { times.expiry(of: $0.request, at: loop.now) }
    }
}
