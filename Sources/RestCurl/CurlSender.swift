// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

/// The request body of one transfer, from which libcurl reads as it sends.
///
/// Invariant: the buffer of libcurl is valid during the callback that passes it, and receives at most
/// as many bytes as it has.
struct CurlSender {
    private var body = MessageBody.empty
    private var wake: (@Sendable () -> Void)?
    private var pump: BodyPump?
    private var chunk: [UInt8] = []
    private var offset = 0
    private var sentByteCount = 0

    /// A Boolean value that indicates whether libcurl has paused sending until more bytes are available.
    private(set) var isPaused = false

    /// A Boolean value that indicates whether libcurl has read the complete body.
    private(set) var isComplete = true

    /// The error that prevents the body from being sent.
    private(set) var failure: (any Error)?

    /// Starts sending a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - wake: A closure that is called on any thread when more bytes are available after a pause.
    ///     Only a streamed body needs it.
    mutating func begin(_ body: MessageBody, wake: (@Sendable () -> Void)?) {
        self.body = body
        self.wake = wake
        failure = nil
        isPaused = false
        restart()
    }

    /// Releases the body and its source.
    mutating func end() {
        pump?.cancel()
        self = CurlSender()
    }

    /// Restarts the body because libcurl repeats the request over another connection.
    ///
    /// A body that can be read only once has not been read then: its request is not repeated.
    mutating func rewind() {
        if sentByteCount > 0 || !chunk.isEmpty && body.bytes == nil { restart() }
    }

    /// Ends a pause.
    mutating func resume() {
        isPaused = false
    }

    /// Copies the next bytes into a buffer.
    ///
    /// - Returns: The number of bytes, 0 at the end, or the code of libcurl for a pause or an abort.
    mutating func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        isPaused = false
        if failure != nil { return Int(CURL_READFUNC_ABORT) }
        if offset == chunk.count, !isComplete {
            switch pump?.take() {
            case .bytes(let bytes):
                chunk = bytes
                offset = 0
            case .pending:
                isPaused = true
                return Int(CURL_READFUNC_PAUSE)
            case .failed(let error):
                failure = error
                return Int(CURL_READFUNC_ABORT)
            case .end, nil:
                isComplete = true
            }
        }
        let count = min(buffer.count, chunk.count - offset)
        unsafe buffer.copyBytes(from: chunk[offset..<(offset + count)])
        offset += count
        sentByteCount += count
        // libcurl does not read again once it has as many bytes as were announced.
        if sentByteCount == body.byteCount { isComplete = true }
        return count
    }

    private mutating func restart() {
        pump?.cancel()
        pump = nil
        offset = 0
        sentByteCount = 0
        chunk = body.bytes ?? []
        isComplete = body.byteCount == 0
        if !isComplete, body.bytes == nil, let wake {
            pump = BodyPump(body, wake: wake)
        }
    }
}
