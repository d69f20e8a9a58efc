// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

/// Gives libcurl the bytes of one request's body as it asks for them.
///
/// Invariant: libcurl's buffer is valid during the callback that hands it over, and gets no more
/// bytes than it has room for.
struct CurlSender {
    private var body = MessageBody.empty
    private var wake: (@Sendable () -> Void)?
    private var pump: BodyPump?
    private var piece: [UInt8] = []
    private var offset = 0
    private var sentByteCount = 0

    /// Whether libcurl has been told to wait for more.
    private(set) var isPaused = false

    /// Whether libcurl has been given the whole body.
    private(set) var isComplete = true

    /// Why the body cannot be sent.
    private(set) var failure: (any Error)?

    /// Takes up a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - wake: Called on any thread when there is more to send after a pause; only a streamed body
    ///     needs it.
    mutating func begin(_ body: MessageBody, wake: (@Sendable () -> Void)?) {
        self.body = body
        self.wake = wake
        failure = nil
        isPaused = false
        restart()
    }

    /// Lets the body and its source go.
    mutating func end() {
        pump?.cancel()
        self = CurlSender()
    }

    /// Begins again when libcurl sends the request once more, over another connection.
    ///
    /// - Returns: Whether the body can be sent from its start.
    @discardableResult
    mutating func rewind() -> Bool {
        if sentByteCount == 0, piece.isEmpty || body.bytes != nil { return true }
        guard body.isReplayable else {
            failure = TransportError(
                .bodyNotReplayable, stage: .sendingRequest,
                reason: "the connection was closed, and the body can be sent only once")
            return false
        }
        restart()
        return true
    }

    /// Lets libcurl ask again.
    mutating func resume() {
        isPaused = false
    }

    /// Copies the next bytes, or says in libcurl's terms that there are none.
    mutating func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        isPaused = false
        if failure != nil { return Int(CURL_READFUNC_ABORT) }
        if offset == piece.count, !isComplete {
            switch pump?.take() {
            case .bytes(let bytes):
                piece = bytes
                offset = 0
            case .nothingYet:
                isPaused = true
                return Int(CURL_READFUNC_PAUSE)
            case .failed(let error):
                failure = error
                return Int(CURL_READFUNC_ABORT)
            case .end, nil:
                isComplete = true
            }
        }
        let count = min(buffer.count, piece.count - offset)
        unsafe buffer.copyBytes(from: piece[offset..<(offset + count)])
        offset += count
        sentByteCount += count
        // libcurl does not ask again once it has as many bytes as were announced.
        if sentByteCount == body.byteCount { isComplete = true }
        return count
    }

    private mutating func restart() {
        pump?.cancel()
        pump = nil
        offset = 0
        sentByteCount = 0
        piece = body.bytes ?? []
        isComplete = body.byteCount == 0
        if !isComplete, body.bytes == nil, let wake {
            pump = BodyPump(body, wake: wake)
        }
    }
}
