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

/// A server on 127.0.0.1 that plays a script on the bare socket, for faults no HTTP server makes.
///
/// Each connection has its own thread, in which the script runs with blocking calls. At the end the
/// clients have two seconds to close their connections; then all sockets are shut down, so that
/// every call of a script returns. Scripts need no time limit.
package final class LoopbackSocketServer: Sendable {
    /// What is done with a connection; the connection is closed when it returns.
    package typealias Script = @Sendable (LoopbackConnection) -> Void

    private struct State {
        var connections: [LoopbackConnection] = []
        var playingCount = 0
        var isStopped = false
    }

    /// The port, chosen by the system.
    package let port: Int

    private let listener: Int32
    private let script: Script
    private let state = Mutex(State())
    private let threads = DispatchGroup()

    /// The server's address, with a slash at its end.
    package var baseURL: String { "http://127.0.0.1:\(port)/" }

    /// The number of connections accepted so far.
    package var connectionCount: Int { state.withLock { $0.connections.count } }

    /// The bytes that came over all connections, oldest connection first.
    package var received: [[UInt8]] {
        state.withLock { $0.connections }.map(\.received)
    }

    private init(_ script: @escaping Script) throws {
        self.script = script
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, kind, 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, length) == 0
                    && listen(listener, 256) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isListening else { throw CocoaError(.featureUnsupported) }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Runs a server while the body runs.
    ///
    /// - Parameters:
    ///   - script: What is done with each connection.
    ///   - body: Gets the server; the server ends when it returns or throws.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw, or why no port can be had.
    package static func run<Value>(
        _ script: @escaping Script, body: (LoopbackSocketServer) async throws -> Value
    ) async throws -> Value {
        let server = try LoopbackSocketServer(script)
        server.startThread { server.accept() }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        await server.stop()
        return try result.get()
    }

    private func startThread(_ work: @escaping @Sendable () -> Void) {
        threads.enter()
        let thread = Thread { [threads] in
            work()
            threads.leave()
        }
        thread.stackSize = 512 << 10
        thread.start()
    }

    private func accept() {
        while true {
            #if canImport(Darwin)
            let socket = Darwin.accept(listener, nil, nil)
            #elseif canImport(Musl)
            let socket = Musl.accept(listener, nil, nil)
            #else
            let socket = Glibc.accept(listener, nil, nil)
            #endif
            guard socket >= 0 else { return }
            let connection = LoopbackConnection(socket)
            let isStopped = state.withLock { state in
                state.connections.append(connection)
                state.playingCount += 1
                return state.isStopped
            }
            if isStopped { connection.stop() }
            startThread { [self] in
                script(connection)
                connection.close()
                state.withLock { $0.playingCount -= 1 }
            }
        }
    }

    private func stop() async {
        shutdown(listener, Int32(SHUT_RDWR))
        // A client that has given up closes by itself. Closing first would be another fault than the
        // one being played, and Foundation on Linux ends the process when it comes inside a header.
        let patience = ContinuousClock.now + .seconds(2)
        while state.withLock(\.playingCount) > 0, ContinuousClock.now < patience {
            try? await Task.sleep(for: .milliseconds(2))
        }
        let connections = state.withLock { state in
            state.isStopped = true
            return state.connections
        }
        for connection in connections {
            connection.stop()
        }
        await withCheckedContinuation { continuation in
            threads.notify(queue: .global()) { continuation.resume() }
        }
        close(listener)
    }
}

/// One accepted connection, as its script sees it.
package final class LoopbackConnection: Sendable {
    private struct State {
        var socket: Int32
        var isStopped = false
        var received: [UInt8] = []
        var unread: [UInt8] = []
    }

    private let state: Mutex<State>

    fileprivate init(_ socket: Int32) {
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

    fileprivate func stop() {
        state.withLock { state in
            state.isStopped = true
            if state.socket >= 0 { shutdown(state.socket, Int32(SHUT_RDWR)) }
        }
    }

    fileprivate func close() {
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
