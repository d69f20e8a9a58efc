// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An accepted connection with the operations of a script.
///
/// Invariant: the system reads and writes buffers during a call, within the given count. Only the
/// thread of the script reads, writes and closes the socket; other threads shut it down, under the lock.
package final class LoopbackConnection: Sendable {
    private struct State {
        var socket: Int32
        var isStopping = false
        var isStopped = false
        var received: [UInt8] = []
        var unread: [UInt8] = []
    }

    private let state: Mutex<State>

    init(_ socket: Int32) {
        var one: Int32 = 1
        unsafe setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        state = Mutex(State(socket: socket))
    }

    /// The received bytes, except those read by ``readMessage()`` and ``discardBytes()``.
    package var received: [UInt8] { state.withLock { $0.received } }

    private var socket: Int32 { state.withLock { $0.socket } }

    /// Reads a request with its body.
    ///
    /// - Returns: The bytes of the request, or `nil` if the connection ended before.
    @discardableResult
    package func readRequest() -> [UInt8]? {
        var request: [UInt8] = []
        var size: Int?
        while true {
            request += state.withLock { state in
                defer { state.unread = [] }
                return state.unread
            }
            if size == nil { size = Self.size(of: request) }
            if let size, size <= request.count {
                state.withLock { $0.unread = Array(request[size...]) }
                return Array(request[..<size])
            }
            guard let bytes = read() else { return nil }
            request += bytes
        }
    }

    /// Reads a request as text.
    ///
    /// - Returns: The text of the request, or `nil` if the connection ended before.
    package func readRequestText() -> String? {
        readRequest().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads a request and decodes the framing of its body.
    ///
    /// - Returns: The header in lower case and the body, or `nil` if the connection ended before.
    package func readMessage() -> (head: String, body: [UInt8])? {
        guard let head = readHead() else { return nil }
        if let length = Self.value(of: "content-length", in: head) {
            return readBytes(Int(length) ?? 0).map { (head, $0) }
        }
        guard Self.value(of: "transfer-encoding", in: head) == "chunked" else { return (head, []) }
        var body: [UInt8] = []
        while let line = readLine(), let size = Int(line, radix: 16) {
            guard let chunk = readBytes(size), readLine() == "" else { return nil }
            if size == 0 { return (head, body) }
            body += chunk
        }
        return nil
    }

    /// Reads the header of a request.
    ///
    /// - Returns: The header in lower case with its empty line, or `nil` if the connection ended before.
    package func readHead() -> String? {
        var head = ""
        while let line = readLine() {
            head += "\(line.lowercased())\r\n"
            if line.isEmpty { return head }
        }
        return nil
    }

    /// Reads and discards available bytes.
    ///
    /// - Returns: The number of bytes, at most 64 KiB, or 0 at the end of the connection.
    package func discardBytes() -> Int {
        let unread = state.withLock { state in
            defer { state.unread = [] }
            return state.unread.count
        }
        return unread > 0 ? unread : receive().count
    }

    private func readLine() -> String? {
        var line: [UInt8] = []
        while let byte = readBytes(1)?.first {
            if byte == UInt8(ascii: "\n") {
                return String(
                    decoding: line.last == 13 ? line.dropLast() : line[...], as: UTF8.self)
            }
            line.append(byte)
        }
        return nil
    }

    /// Reads bytes.
    ///
    /// - Returns: That many bytes, or `nil` if the connection ended before.
    package func readBytes(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let buffered = state.withLock { state -> [UInt8] in
                let buffered = Array(state.unread.prefix(count - bytes.count))
                state.unread.removeFirst(buffered.count)
                return buffered
            }
            bytes += buffered
            if buffered.isEmpty {
                let more = receive()
                if more.isEmpty { return nil }
                state.withLock { $0.unread = more }
            }
        }
        return bytes
    }

    private static func value(of name: String, in head: String) -> String? {
        guard let field = head.firstRange(of: "\r\n\(name):") else { return nil }
        return String(head[field.upperBound...].drop { $0 == " " }.prefix { !$0.isNewline })
    }

    /// Reads and discards everything until the client closes the connection.
    package func waitUntilClosed() {
        while read() != nil {}
    }

    /// Sends text.
    ///
    /// - Returns: A Boolean value that indicates whether all of it was sent.
    @discardableResult
    package func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    /// Sends bytes, blocking while the client does not read.
    ///
    /// - Returns: A Boolean value that indicates whether all of them were sent.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe systemSend(socket, buffer.baseAddress, buffer.count)
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits for a number of seconds.
    ///
    /// - Returns: A Boolean value that indicates whether the server is still running.
    @discardableResult
    package func pause(_ seconds: Double) -> Bool {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if state.withLock({ $0.isStopped }) { return false }
            Thread.sleep(forTimeInterval: min(0.01, max(0, end.timeIntervalSinceNow)))
        }
        return !state.withLock { $0.isStopped }
    }

    /// Waits until the server is about to stop.
    ///
    /// For scripts that hold a connection without reading from it: they cannot detect that the client
    /// has closed it.
    package func waitUntilServerStops() {
        while state.withLock({ !$0.isStopping && !$0.isStopped }) {
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Closes the connection with a reset.
    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(
            socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func prepareToStop() {
        state.withLock { $0.isStopping = true }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            if state.socket >= 0 { shutdown(state.socket, Int32(SHUT_RDWR)) }
        }
    }

    func close() {
        state.withLock { state in
            if state.socket >= 0 { _ = systemClose(state.socket) }
            state.socket = -1
        }
    }

    /// Waits for bytes and returns them, or an empty array at the end of the connection.
    private func receive() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            unsafe count = max(0, recv(socket, buffer.baseAddress, buffer.count, 0))
        }
    }

    private func read() -> [UInt8]? {
        let bytes = receive()
        state.withLock { $0.received += bytes }
        return bytes.isEmpty ? nil : bytes
    }

    /// Returns the number of bytes of header and body, or `nil` if the header is incomplete.
    private static func size(of request: [UInt8]) -> Int? {
        guard let end = request.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else {
            return nil
        }
        let head = String(decoding: request[..<end], as: UTF8.self).lowercased()
        guard let field = head.firstRange(of: "content-length:") else { return end }
        let digits = head[field.upperBound...].drop { $0 == " " }.prefix { $0.isNumber }
        return end + (Int(digits) ?? 0)
    }
}

private func systemClose(_ socket: Int32) -> Int32 {
    close(socket)
}

private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
    unsafe send(socket, bytes, count, 0)
    #else
    unsafe send(socket, bytes, count, Int32(MSG_NOSIGNAL))
    #endif
}
