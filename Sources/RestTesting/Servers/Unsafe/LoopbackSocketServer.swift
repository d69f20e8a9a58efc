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

/// A server on 127.0.0.1 that runs a script on each socket, for faults that HTTP servers do not produce.
///
/// Each connection has its own thread, on which the script runs with blocking calls. At the end,
/// clients have two seconds to close their connections. Then all sockets are shut down, so that every
/// call of a script returns; scripts need no timeout.
package final class LoopbackSocketServer: Sendable {
    /// A closure that handles a connection, which is closed when the closure returns.
    package typealias Script = @Sendable (LoopbackConnection) -> Void

    private struct State {
        var connections: [LoopbackConnection] = []
        var activeScriptCount = 0
        var isStopping = false
        var isStopped = false
    }

    /// The port, chosen by the system.
    package let port: Int

    private let listener: Int32
    private let script: Script
    private let state = Mutex(State())
    private let threads = DispatchGroup()

    /// The base URL of the server, which ends with a slash.
    package var baseURL: String { "http://127.0.0.1:\(port)/" }

    /// The number of connections accepted so far.
    package var connectionCount: Int { state.withLock { $0.connections.count } }

    /// The bytes received over each connection, oldest connection first.
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

    /// Calls a closure with the base URL of a port that neither accepts nor refuses connections.
    ///
    /// The kernel does not respond to connections beyond the queue of a listener.
    ///
    /// - Parameter body: A closure with the base URL as its parameter.
    /// - Returns: The result of `body`.
    /// - Throws: An error of `body`, or `CocoaError` if no port is available.
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

    /// Calls a closure with the base URL of a port that refuses connections.
    ///
    /// A socket is bound to the port, so that no other server uses it, but does not listen.
    ///
    /// - Parameter body: A closure with the base URL as its parameter.
    /// - Returns: The result of `body`.
    /// - Throws: An error of `body`, or `CocoaError` if no port is available.
    package static func runRefusing<Value>(
        body: (_ baseURL: String) async throws -> Value
    ) async throws -> Value {
        let reservation = makeSocket()
        defer { close(reservation) }
        let port = try unsafe withAddress(port: 0) { address, length in
            unsafe bind(reservation, address, length) == 0
                && getsockname(reservation, address, &length) == 0
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

    /// Calls a closure with an address on 127.0.0.1 and returns its port afterwards.
    ///
    /// Invariant: the pointer is to `address`, of which `length` bytes are read or written, and does not
    /// escape the closure.
    private static func withAddress(
        port: Int, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Bool
    ) throws -> Int {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        address.sin_port = UInt16(port).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isDone = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            // Invariant: the system reads as many bytes as the length beside the address says.
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe body(pointer, &length)
            }
        }
        guard isDone else { throw CocoaError(.featureUnsupported) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Runs a server for the duration of a closure.
    ///
    /// - Parameters:
    ///   - script: A closure that handles each connection.
    ///   - body: A closure with the server as its parameter.
    /// - Returns: The result of `body`.
    /// - Throws: An error of `body`, or `CocoaError` if no port is available.
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
            let (isStopping, isStopped) = state.withLock { state in
                state.connections.append(connection)
                state.activeScriptCount += 1
                return (state.isStopping, state.isStopped)
            }
            if isStopping { connection.prepareToStop() }
            if isStopped { connection.stop() }
            startThread { [self] in
                script(connection)
                connection.close()
                state.withLock { $0.activeScriptCount -= 1 }
            }
        }
    }

    private func stop() async {
        shutdown(listener, Int32(SHUT_RDWR))
        let openConnections = state.withLock { state in
            state.isStopping = true
            return state.connections
        }
        for connection in openConnections {
            connection.prepareToStop()
        }
        // A client that has failed closes by itself. An earlier close by the server would be another
        // fault than that of the script, and Foundation on Linux traps if it occurs within a header.
        let deadline = ContinuousClock.now + .seconds(2)
        while state.withLock(\.activeScriptCount) > 0, ContinuousClock.now < deadline {
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
