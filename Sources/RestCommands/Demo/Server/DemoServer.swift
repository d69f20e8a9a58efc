// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import FlyingSocks
import Synchronization

/// The demonstration's REST server, in this process, on a real socket of 127.0.0.1.
final class DemoServer: Sendable {
    /// What went over the wire.
    struct Traffic: Sendable, Equatable {
        var requests = 0
        /// Bytes of the bodies that were sent.
        var bytes = 0

        static func - (left: Traffic, right: Traffic) -> Traffic {
            Traffic(requests: left.requests - right.requests, bytes: left.bytes - right.bytes)
        }
    }

    /// Where it listens.
    let port: UInt16
    /// What it answers from.
    let catalog: AirportCatalog

    private let counter: TrafficCounter

    /// Its address, with a slash at the end.
    var baseURL: String { "http://127.0.0.1:\(port)/" }
    /// What went over the wire so far.
    var traffic: Traffic { counter.traffic.withLock { $0 } }

    private init(port: UInt16, counter: TrafficCounter) {
        self.port = port
        self.counter = counter
        catalog = counter.service.catalog
    }

    /// Runs a server while the body runs.
    ///
    /// - Parameters:
    ///   - port: Where to listen; 0 to take any free port.
    ///   - catalog: What to answer from.
    ///   - body: Gets the server, which listens already; it ends with the body.
    /// - Returns: What the body returns.
    /// - Throws: ``ToolError`` with code `serverFailed` if the port cannot be had, and what the body
    ///   throws.
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
            // The server runs until it is cancelled, so what ends first is the body or a failure.
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

/// Passes requests on and counts them.
private final class TrafficCounter: HTTPHandler {
    let service: AirportService
    let traffic = Mutex(DemoServer.Traffic())

    init(service: AirportService) { self.service = service }

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = try service.response(to: request)
        let size = try await response.bodyData.count
        traffic.withLock { traffic in
            traffic.requests += 1
            traffic.bytes += size
        }
        return response
    }
}
