// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

/// An easy handle and what one exchange needs beside it; used again for later exchanges.
///
/// Invariant: confined to the driver thread. The callbacks of libcurl find it by its address, which
/// the handle keeps; the loop keeps the object alive as long as the handle. `easy` and `message`
/// are there until ``close()``, which is called when the handle has left the loop's and no exchange
/// begins any more.
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

    private var sender = CurlSender()
    private var receiver = CurlReceiver()
    private var readByteCount = CurlTransfer.smallReadByteCount
    private var receivedByteCount = 0
    private var isGathering = false
    private var isTouched = false
    private var times = ExchangeTimes(limits: .default, stage: .connecting)

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
        let body = exchange.request.body
        var wake: (@Sendable () -> Void)?
        if !body.isEmpty, body.bytes == nil {
            wake = { [weak exchange] in exchange?.bodyHasMore() }
        }
        sender.begin(body, wake: wake)
        receiver.begin(exchange.limits, in: unsafe exchange.room.take())
        isGathering = false
        times = ExchangeTimes(
            limits: exchange.limits, stage: .connecting, isWaiting: true, now: loop.now)
        unsafe message[0] = 0
        adaptReading()
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
        unsafe message.deallocate()
        fields.free()
    }

    /// Reads large pieces where the response before was large.
    ///
    /// libcurl allocates its buffer for each exchange. glibc, to free one of 64 KiB or more, tidies up
    /// its whole heap, which for a small response is a good part of the price.
    private func adaptReading() {
        let wanted =
            receivedByteCount > 4 * Self.smallReadByteCount
            ? Self.largeReadByteCount : Self.smallReadByteCount
        receivedByteCount = 0
        if wanted != readByteCount {
            readByteCount = wanted
            unsafe ccurl_easy_set_long(easy, CURLOPT_BUFFERSIZE, wanted)
        }
    }

    // MARK: Events

    func connectionIsBeginning() {
        times.noteConnecting(at: loop.now)
    }

    func connectionIsReady() {
        // libcurl repeats a request without rewinding when it believes that no byte of the body has
        // left; what it has taken from here is gone all the same.
        sender.rewind()
        times.noteActivity(sender.isComplete ? .receivingHeader : .sendingRequest, at: loop.now)
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

    /// Goes on with a body whose source had nothing to send.
    func resumeSending() {
        guard sender.isPaused else { return }
        sender.resume()
        times.noteSource(isSlow: false, at: loop.now)
        applyPauses()
    }

    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        let event = unsafe receiver.receive(headerLine: line)
        if event == .end {
            let status = unsafe ccurl_easy_get_long(easy, CURLINFO_RESPONSE_CODE)
            times.noteAnswer(status: status, at: loop.now)
            touch()
        } else {
            times.noteActivity(at: loop.now)
        }
        return event != .violation
    }

    func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        times.noteActivity(at: loop.now)
        touch()
        receivedByteCount += bytes.count
        return unsafe receiver.receive(body: bytes) ? bytes.count : 0
    }

    /// Goes on with a body whose reader has caught up.
    func resumeReceiving() {
        guard times.resume(at: loop.now) else { return }
        receiver.untakenByteCount = 0
        applyPauses()
    }

    /// Keeps what comes until all of it is there: the reader wants nothing less.
    func gather() {
        guard let exchange else { return }
        isGathering = true
        receiver.gather(after: exchange.pipe.takeBack())
        resumeReceiving()
    }

    private func applyPauses() {
        var directions = CURLPAUSE_CONT
        if times.isReaderSlow { directions |= CURLPAUSE_RECV }
        if sender.isPaused { directions |= CURLPAUSE_SEND }
        unsafe curl_easy_pause(easy, directions)
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
        if isRefusedEarly {
            if receiver.isBodyComplete {
                deliver(to: exchange, mayPause: false, isComplete: true)
                loop.remove(self)
                return
            }
            resumeSending()
        }
        if isGathering { return }
        let mayPause = receiver.heldByteCount >= bufferedByteCount
        deliver(to: exchange, mayPause: mayPause, isComplete: false)
        // Pausing here, not from within the callback, where libcurl would have to keep what it has
        // decoded. A reader who takes the bytes meanwhile asks to resume, which comes later.
        if mayPause, receiver.untakenByteCount >= bufferedByteCount, times.suspend() {
            applyPauses()
        }
    }

    /// Whether the server has answered, and not with success, before it had the whole body.
    ///
    /// libcurl then stops sending, except where the server closes the connection: there it sends on
    /// and would end badly, though the response is here.
    private var isRefusedEarly: Bool { times.isRefused && !sender.isComplete }

    /// Gives the waiting task the end of the exchange.
    func finish(_ result: CURLcode) {
        guard let exchange else { return }
        if result == CURLE_OK, receiver.isHeaderComplete, receiver.finishBody() {
            deliver(to: exchange, mayPause: false, isComplete: true)
            return
        }
        // A head is an answer, even when its body is not.
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
    var earliestDeadline: ExchangeMoment? { times.earliestDeadline(at: loop.now) }

    /// The error of the limit that has run out.
    var expiry: TransportError? {
        exchange.flatMap { times.expiry(of: $0.request, at: loop.now) }
    }
}
