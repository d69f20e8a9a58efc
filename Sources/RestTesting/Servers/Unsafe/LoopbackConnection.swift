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

/// One accepted connection, as its script sees it.
///
/// Invariant: the system reads and writes buffers inside of a call, within the count it is told.
/// The script's thread alone reads, writes and closes the socket; others shut it down, under the
/// lock.
package final class LoopbackConnection: Sendable {
    private struct State {
        var socket: Int32
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

    /// All bytes that came, but for those of ``readMessage()`` and ``dropBytes()``.
    package var received: [UInt8] { state.withLock { $0.received } }

    private var socket: Int32 { state.withLock { $0.socket } }

    /// Reads until a request with its body is complete.
    ///
    /// - Returns: The bytes of this request, or `nil` when the connection ended before.
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
    /// - Returns: The text of this request, or `nil` when the connection ended before.
    package func readRequestText() -> String? {
        readRequest().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads a request and decodes its body, whichever way it is framed.
    ///
    /// - Returns: The header in lower case and the body, or `nil` when the connection ended before.
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

    /// Reads a request's header.
    ///
    /// - Returns: The header in lower case with its empty line, or `nil` when the connection ended.
    package func readHead() -> String? {
        var head = ""
        while let line = readLine() {
            head += "\(line.lowercased())\r\n"
            if line.isEmpty { return head }
        }
        return nil
    }

    /// Reads bytes and drops them.
    ///
    /// - Returns: How many came at once, at most 64 KiB, or 0 at the end.
    package func dropBytes() -> Int {
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

    private func readBytes(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let taken = state.withLock { state -> [UInt8] in
                let taken = Array(state.unread.prefix(count - bytes.count))
                state.unread.removeFirst(taken.count)
                return taken
            }
            bytes += taken
            if taken.isEmpty {
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

    /// Reads and drops everything until the other side closes.
    package func waitUntilClosed() {
        while read() != nil {}
    }

    /// Sends text.
    ///
    /// - Returns: Whether the connection took it.
    @discardableResult
    package func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    /// Sends bytes, waiting while the other side does not read.
    ///
    /// - Returns: Whether the connection took them.
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

    /// Waits.
    ///
    /// - Returns: Whether the server is still running.
    @discardableResult
    package func pause(_ seconds: Double) -> Bool {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if state.withLock({ $0.isStopped }) { return false }
            Thread.sleep(forTimeInterval: min(0.01, max(0, end.timeIntervalSinceNow)))
        }
        return !state.withLock { $0.isStopped }
    }

    /// Ends the connection with a reset instead of an orderly close.
    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(
            socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
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

    /// Waits for bytes; none come at the end.
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

    /// The bytes of header and body, once the header is complete.
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
