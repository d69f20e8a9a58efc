// SPDX-License-Identifier: Apache-2.0

#if Macros
import FlyingSocks
import RestCommands
import RestKit
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A transport whose connection to the server can be cut.
///
/// While it is cut, requests go to a port of this computer that is taken but not listened on, so that the
/// system refuses the connection.
final class SeverableTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let socket: Socket
    private let closedPort: UInt16
    private let isCut = Mutex(false)

    /// Creates a transport that sends over another one.
    ///
    /// - Throws: The system's error if no port is free.
    init(_ transport: any HTTPTransport) throws {
        self.transport = transport
        socket = try Socket(domain: AF_INET)
        try socket.bind(to: .inet(ip4: "127.0.0.1", port: 0))
        guard case .ip4(_, let port) = try socket.sockname() else {
            throw ToolError(.serverFailed, "the system has reserved no port")
        }
        closedPort = port
    }

    deinit { try? socket.close() }

    /// Cuts the connection while a closure runs.
    func cut<Result>(while body: () async throws -> Result) async throws -> Result {
        isCut.withLock { $0 = true }
        defer { isCut.withLock { $0 = false } }
        return try await body()
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard isCut.withLock(\.self) else { return try await transport.send(request) }
        var request = request
        request.url = try HTTPURL(
            parsing: "http://127.0.0.1:\(closedPort)\(request.url.requestTarget)")
        return try await transport.send(request)
    }
}
#endif
