// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import FlyingSocks
import RestCommands
import Synchronization

/// The demonstration's REST server, which runs in this process on a socket of 127.0.0.1.
final class DemoServer: Sendable {
    /// The number of requests and of bytes sent in response.
    struct Traffic: Sendable, Equatable {
        var requests = 0
        /// The total size of the response bodies, in bytes.
        var bytes = 0

        static func - (left: Traffic, right: Traffic) -> Traffic {
            Traffic(requests: left.requests - right.requests, bytes: left.bytes - right.bytes)
        }
    }

    /// The port that the server listens on.
    let port: UInt16
    /// The resources that the server offers.
    let catalog: AirportCatalog

    private let counter: TrafficCounter

    /// The base URL, with a slash at the end.
    var baseURL: String { "http://127.0.0.1:\(port)/" }
    /// The traffic since the server started.
    var traffic: Traffic { counter.traffic.withLock { $0 } }

    /// The notices that the server has now.
    var notices: NoticeService { counter.service.notices }

    private init(port: UInt16, counter: TrafficCounter) {
        self.port = port
        self.counter = counter
        catalog = counter.service.catalog
    }

    /// Runs a server for the duration of a closure.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0 for any free port.
    ///   - catalog: The resources to offer.
    ///   - body: A closure that receives the listening server. The server stops when it returns.
    /// - Returns: The result of the closure.
    /// - Throws: ``ToolError`` with code `serverFailed` if the server cannot listen on the port, and
    ///   the errors of the closure.
    static func run<Result: Sendable>(
        port: UInt16, catalog: AirportCatalog = AirportCatalog(),
        body: @escaping @Sendable (DemoServer) async throws -> Result
    ) async throws -> Result {
        let counter = TrafficCounter(service: AirportService(catalog: catalog))
        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: port),
            pool: UndelayedSocketPool(base: HTTPServer.defaultPool()), logger: .disabled,
            handler: counter)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                do {
                    try await server.run()
                    return nil
                } catch {
                    try Task.checkCancellation()
                    throw ToolError(
                        .serverFailed, "cannot listen on port \(port) of 127.0.0.1",
                        advice: "choose another one with --port, or none to take any free one",
                        underlying: error)
                }
            }
            group.addTask {
                try await server.waitUntilListening()
                return try await body(
                    DemoServer(port: await server.listeningPort, counter: counter))
            }
            // The server runs until it is cancelled, so the first result is the body's or an error.
            let result = try await group.next() ?? nil
            group.cancelAll()
            guard let result else {
                throw ToolError(.serverFailed, "the server ended before the demonstration")
            }
            return result
        }
    }
}

extension HTTPServer {
    fileprivate var listeningPort: UInt16 {
        switch listeningAddress {
        case .ip4(_, let port), .ip6(_, let port): port
        case .unix, nil: 0
        }
    }
}

/// A handler that forwards requests to the service and counts them.
private final class TrafficCounter: HTTPHandler {
    let service: AirportService
    let traffic = Mutex(DemoServer.Traffic())

    init(service: AirportService) { self.service = service }

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = try await service.response(to: request)
        let size = try await response.bodyData.count
        traffic.withLock { traffic in
            traffic.requests += 1
            traffic.bytes += size
        }
        return response
    }
}
