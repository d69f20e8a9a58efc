// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

/// An easy handle and what one exchange needs beside it; used again for later exchanges.
///
/// Confined to the driver thread. The callbacks of libcurl find it by its address, which the handle
/// keeps; the loop keeps the object alive as long as the handle.
@safe final class CurlTransfer {
    let easy: UnsafeMutableRawPointer
    private unowned let loop: CurlLoop
    private let bufferedByteCount: Int
    private var fields = CurlFieldList()

    /// Where libcurl says more about an error than its number does.
    let message = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// The public keys of the hosts that have to show one of them, as libcurl takes them.
    let pins: [String: String]

    /// The exchange this transfer works for.
    private(set) var exchange: CurlExchange?

    /// Where the loop keeps this transfer.
    var position = 0

    private var receiver = CurlReceiver()
    private var sentByteCount = 0
    private var stage = TransportError.Stage.connecting
    private var isPaused = false
    private var isTouched = false
    private var startTime = ContinuousClock.now
    private var connectTime: ContinuousClock.Instant?
    private var activityTime: ContinuousClock.Instant?

    init?(loop: CurlLoop, configuration: CurlTransport.Configuration) {
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = easy
        self.loop = loop
        bufferedByteCount = configuration.bufferedByteCount
        pins = configuration.tls.pins.mapValues { pins in
            pins.map { "sha256//\($0.sha256)" }.sorted().joined(separator: ";")
        }
        unsafe message.initialize(repeating: 0)
        if !setConstantOptions(configuration) {
            close()
            return nil
        }
    }

    /// The transfer of a handle.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer {
        unsafe from(ccurl_easy_get_private(easy))
    }

    static func from(_ address: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let address = unsafe address else {
            preconditionFailure("a handle without its transfer")
        }
        return unsafe Unmanaged<CurlTransfer>.fromOpaque(address).takeUnretainedValue()
    }

    // MARK: Life

    func begin(_ exchange: CurlExchange) {
        self.exchange = exchange
        unsafe exchange.transfer = self
        receiver.begin(exchange.limits)
        sentByteCount = 0
        stage = .connecting
        isPaused = false
        startTime = loop.now
        connectTime = nil
        activityTime = nil
        unsafe message[0] = 0
        setOptions(for: exchange.request, fields: &fields)
    }

    func end() {
        unsafe exchange?.transfer = nil
        exchange = nil
        receiver.end()
    }

    func close() {
        unsafe curl_easy_cleanup(easy)
        unsafe message.deallocate()
        fields.free()
    }

    // MARK: Events

    func connectionIsBeginning() {
        if connectTime == nil { connectTime = loop.now }
    }

    func connectionIsReady() {
        stage = exchange?.request.body.isEmpty == false ? .sendingRequest : .receivingHeader
        activityTime = loop.now
    }

    /// Copies the next bytes of the request's body.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let bytes = exchange?.request.body.bytes else { return 0 }
        let count = min(buffer.count, bytes.count - sentByteCount)
        unsafe buffer.copyBytes(from: bytes[sentByteCount..<(sentByteCount + count)])
        sentByteCount += count
        activityTime = loop.now
        if sentByteCount == bytes.count { stage = .receivingHeader }
        return count
    }

    func rewind(to offset: Int) -> Bool {
        guard let bytes = exchange?.request.body.bytes, (0...bytes.count).contains(offset) else {
            return false
        }
        sentByteCount = offset
        return true
    }

    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        activityTime = loop.now
        let isAccepted = unsafe receiver.receive(headerLine: line)
        if receiver.hasForeignCoding {
            // libcurl refuses a body whose coding it does not know, unless told not to decode.
            unsafe ccurl_easy_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0)
        }
        if receiver.isHeaderComplete, stage != .receivingBody {
            stage = .receivingBody
            touch()
        }
        return isAccepted
    }

    func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        activityTime = loop.now
        touch()
        // While it decodes, libcurl is at most one read ahead of its count of encoded bytes.
        let isAccepted = unsafe receiver.receive(body: bytes) {
            unsafe Int(ccurl_easy_get_size(easy, CURLINFO_SIZE_DOWNLOAD_T)) + Self.readByteCount
        }
        return isAccepted ? bytes.count : 0
    }

    func resume() {
        guard isPaused else { return }
        isPaused = false
        receiver.untakenByteCount = 0
        activityTime = loop.now
        unsafe curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    private func touch() {
        if !isTouched {
            isTouched = true
            loop.touch(self)
        }
    }

    // MARK: Handing over

    /// Gives the waiting task what has come since the last time.
    func handOver() {
        isTouched = false
        guard let exchange, receiver.isHeaderComplete else { return }
        let mayPause = receiver.heldByteCount >= bufferedByteCount
        deliver(to: exchange, mayPause: mayPause, isComplete: false)
        // Pausing here, not from within the callback, where libcurl would have to keep what it has
        // decoded. A reader who takes the bytes meanwhile asks to resume, which comes later.
        if mayPause, !isPaused, receiver.untakenByteCount >= bufferedByteCount {
            isPaused = true
            unsafe curl_easy_pause(easy, CURLPAUSE_RECV)
        }
    }

    /// Gives the waiting task the end of the exchange.
    func finish(_ result: CURLcode) {
        guard let exchange else { return }
        if result == CURLE_OK, receiver.violation == nil, receiver.isHeaderComplete {
            deliver(to: exchange, mayPause: false, isComplete: true)
            return
        }
        if receiver.isHeaderDelivered, receiver.violation == nil {
            deliver(to: exchange, mayPause: false, isComplete: false)
        }
        let error = TransportError(
            result, violation: receiver.violation, stage: stage, exchange: exchange,
            transfer: self)
        exchange.pipe.fail(error, keepsBody: true)
    }

    private func deliver(to exchange: CurlExchange, mayPause: Bool, isComplete: Bool) {
        let body = receiver.takeBody()
        if receiver.isHeaderDelivered {
            receiver.untakenByteCount = exchange.pipe.deliver(
                body: body, isPaused: mayPause, isComplete: isComplete)
        } else {
            receiver.untakenByteCount = exchange.pipe.deliver(
                head: .lines(receiver.takeHeader()), body: body, isPaused: mayPause,
                isComplete: isComplete)
        }
    }

    // MARK: Time

    /// The first time at which a limit could have run out.
    var earliestDeadline: ContinuousClock.Instant? {
        guard let limits = exchange?.limits else { return nil }
        let total = limits.totalTimeout.map { startTime + $0 }
        let idleStart = isPaused ? loop.now : activityTime ?? loop.now
        let idle = limits.idleTimeout.map { idleStart + $0 }
        let connect =
            activityTime == nil ? limits.connectTimeout.map { (connectTime ?? loop.now) + $0 } : nil
        return [total, idle, connect].compactMap { $0 }.min()
    }

    /// The error of the limit that has run out.
    func expiry(at now: ContinuousClock.Instant) -> TransportError? {
        guard let exchange else { return nil }
        let limits = exchange.limits
        if let total = limits.totalTimeout, startTime + total <= now {
            return limits.totalTimeRanOut(exchange.request, at: stage)
        }
        if let activityTime {
            if !isPaused, let idle = limits.idleTimeout, activityTime + idle <= now {
                return limits.idleTimeRanOut(exchange.request, at: stage)
            }
        } else if let connectTime, let connect = limits.connectTimeout,
            connectTime + connect <= now
        {
            return limits.connectTimeRanOut(exchange.request)
        }
        return nil
    }
}
