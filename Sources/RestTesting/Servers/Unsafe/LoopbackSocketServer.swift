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

    private init(queueLength: Int32 = 256, _ script: @escaping Script) throws {
        self.script = script
        let listener = Self.makeSocket()
        self.listener = listener
        port = try unsafe Self.withAddress(port: 0) { address, length in
            unsafe bind(listener, address, length) == 0
                && listen(listener, queueLength) == 0
                && getsockname(listener, address, &length) == 0
        }
    }

    /// Runs the body while a port neither accepts nor refuses connections.
    ///
    /// The kernel answers nobody whose connection does not fit into the queue of a listener.
    ///
    /// - Parameter body: Gets the port.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw, or why no port can be had.
    package static func runUnanswering<Value>(
        body: (_ baseURL: String) async throws -> Value
    ) async throws -> Value {
        let server = try LoopbackSocketServer(queueLength: 0) { _ in }
        let fillers = (0..<4).map { _ in makeSocket() }
        defer { for socket in fillers + [server.listener] { close(socket) } }
        for filler in fillers {
            guard fcntl(filler, F_SETFL, O_NONBLOCK) == 0 else {
                throw CocoaError(.featureUnsupported)
            }
            _ = try unsafe withAddress(port: server.port) { address, length in
                unsafe connect(filler, address, length) == 0 || errno == EINPROGRESS
            }
        }
        return try await body(server.baseURL)
    }

    /// Runs the body while a port refuses connections.
    ///
    /// The port is held, so that no other server gets it, but nobody listens.
    ///
    /// - Parameter body: Gets the address.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw, or why no port can be had.
    package static func runRefusing<Value>(
        body: (_ baseURL: String) async throws -> Value
    ) async throws -> Value {
        let holder = makeSocket()
        defer { close(holder) }
        let port = try unsafe withAddress(port: 0) { address, length in
            unsafe bind(holder, address, length) == 0 && getsockname(holder, address, &length) == 0
        }
        return try await body("http://127.0.0.1:\(port)/")
    }

    private static func makeSocket() -> Int32 {
        #if canImport(Glibc)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    /// Calls the body with an address on 127.0.0.1 and returns the port it then has.
    ///
    /// Invariant: the pointer is to `address`, of which `length` bytes are read or written, and
    /// does not leave the body.
    private static func withAddress(
        port: Int, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Bool
    ) throws -> Int {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        address.sin_port = UInt16(port).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isDone = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe body(pointer, &length)
            }
        }
        guard isDone else { throw CocoaError(.featureUnsupported) }
        return Int(UInt16(bigEndian: address.sin_port))
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
