// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

/// An easy handle with the state of one exchange, reused for later exchanges.
///
/// Invariant: confined to the driver thread. The callbacks of libcurl find the transfer by its
/// address, which the handle keeps; the loop keeps the transfer alive as long as the handle. `easy`
/// and `errorBuffer` are valid until ``close()``, which is called after the handle was removed from
/// the multi handle. No exchange starts after that. The variables are not private because the callbacks
/// are grouped in extensions; only these use them.
@safe final class CurlTransfer {
    let easy: UnsafeMutableRawPointer
    unowned let loop: CurlLoop
    let bufferedByteCount: Int
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

    /// A Boolean value that indicates whether the handle may be used for another exchange.
    var isReusable = false

    var sender = CurlSender()
    var receiver = CurlReceiver()
    private var readByteCount = 0
    private var receivedByteCount = 0
    var isCollecting = false
    var isDeliveryScheduled = false
    var isReporting = false
    var attempts = CurlAttempts(mayRepeat: false)
    var turn = CurlTurn()
    var times = ExchangeTimeouts(limits: .default, stage: .connecting)

    /// The connection of the exchange.
    var connection = CurlConnectionUse(since: .now)

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
        isReusable = false
        times = ExchangeTimeouts(
            limits: exchange.limits, stage: .connecting, isWaiting: true, now: loop.now)
        unsafe errorBuffer[0] = 0
        connection = CurlConnectionUse(since: loop.now)
        attempts = CurlAttempts(mayRepeat: exchange.request.mayRepeat)
        turn = CurlTurn()
        setReporting(false)
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
    /// Without TLS the buffer is large if the previous response was. To free a block of 64 KiB or more,
    /// glibc consolidates its heap, which is a large part of the cost of a small response. A record of
    /// TLS has at most 16 KiB.
    private func adaptReceiveBuffer(to request: TransportRequest) {
        let isLarge =
            request.url.scheme == .http && receivedByteCount > 4 * Self.smallReadByteCount
        let byteCount = isLarge ? Self.largeReadByteCount : Self.smallReadByteCount
        receivedByteCount = 0
        if byteCount != readByteCount {
            readByteCount = byteCount
            unsafe ccurl_easy_set_long(easy, CURLOPT_BUFFERSIZE, byteCount)
        }
    }

    // MARK: Events

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
        guard offset == 0 else { return false }
        sender.rewind()
        return true
    }

    /// Continues with a request body after its source was slow.
    func resumeSending() {
        guard sender.isPaused else { return }
        sender.resume()
        times.noteSource(isSlow: false, at: loop.now)
        applyPauses()
    }

    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        unsafe connection.noteVersion(inStatusLine: line)
        connection.noteReceipt(at: loop.now)
        let event = unsafe receiver.receive(headerLine: line)
        if event == .end {
            headerDidEnd()
        } else {
            times.noteActivity(at: loop.now)
        }
        noteWork(line.count)
        return event != .violation
    }

    private func headerDidEnd() {
        let status = unsafe ccurl_easy_get_long(easy, CURLINFO_RESPONSE_CODE)
        times.noteResponse(status: status, at: loop.now)
        if receiver.hasFaultyFraming { connection.noteFault() }
        if let request = exchange?.request {
            if request.url.scheme == .https, !hostsWithoutCloseNotify.contains(request.url.host) {
                connection.endsBody = receiver.isDelimitedByConnection(
                    status: status, method: request.method)
            }
            if connection.isSequential,
                receiver.isWithoutBody(status: status, method: request.method)
            {
                setReporting(true)
            }
        }
        scheduleDelivery()
    }

    func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        times.noteActivity(at: loop.now)
        connection.noteReceipt(at: loop.now)
        scheduleDelivery()
        receivedByteCount += bytes.count
        let before = receiver.pendingByteCount
        let isAccepted = unsafe receiver.receive(body: bytes)
        if receiver.hasFaultyFraming { connection.noteFault() }
        noteWork(max(bytes.count, receiver.pendingByteCount - before))
        return isAccepted ? bytes.count : 0
    }

    // MARK: Turns

    /// Counts the work of this turn, and pauses receiving until the next one if it is enough.
    private func noteWork(_ byteCount: Int) {
        guard turn.endsWithWork(of: byteCount) else { return }
        loop.scheduleTurn(of: self)
        applyPauses()
    }

    /// Continues after the other connections have had their turns.
    func beginTurn() {
        turn = CurlTurn()
        if exchange != nil { applyPauses() }
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

    func applyPauses() {
        var directions = CURLPAUSE_CONT
        if times.isReaderSlow || turn.isOver { directions |= CURLPAUSE_RECV }
        if sender.isPaused { directions |= CURLPAUSE_SEND }
        unsafe curl_easy_pause(easy, directions)
    }

    func scheduleDelivery() {
        if !isDeliveryScheduled {
            isDeliveryScheduled = true
            loop.scheduleDelivery(of: self)
        }
    }

    // MARK: Timeouts

    /// The earliest time at which a limit is exceeded.
    var earliestDeadline: ExchangeInstant? { times.earliestDeadline(at: loop.now) }

    /// Ends the exchange if a time limit is exceeded.
    ///
    /// - Returns: A Boolean value that indicates whether one is.
    func expire() -> Bool {
        guard let exchange, let error = times.expiry(of: exchange.request, at: loop.now) else {
            return false
        }
        connection.noteTimeout()
        exchange.pipe.fail(error, keepsBody: false)
        return true
    }
}
