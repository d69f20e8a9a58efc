// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

// Serialized: each case runs servers and clients of its own, and all at once starve each other.
@Suite(.tags(.socket), .serialized) struct RetryArrivalTests {
    /// The way in which the first attempt fails.
    enum Fault: String, CaseIterable, Sendable {
        case closesBeforeReading
        case closesAfterTheRequest
        case resetsAfterTheRequest
        case stopsInTheHeader
        case isSilent
        case requestTimeout
        case tooManyRequests
        case badGateway
        case serviceUnavailable
        case gatewayTimeout
        case cutsTheBody
        case serverError

        /// Returns the expected number of arrivals of a request that may be retried.
        func arrivalCounts(_ adapter: Adapter) -> ClosedRange<Int> {
            switch self {
            case .closesBeforeReading: 0...2
            case .serverError: 1...1
            // Retried if the exchange failed before the header was delivered.
            case .cutsTheBody: 1...2
            // Some libraries have one error code for no response and for a malformed one, which is
            // final.
            case .closesAfterTheRequest, .resetsAfterTheRequest, .stopsInTheHeader:
                adapter == .curl ? 2...2 : 1...2
            default: 2...2
            }
        }

        /// Returns `false` for Foundation on Linux, which crashes if a connection closes in a
        /// header.
        func canRun(to adapter: Adapter) -> Bool {
            self != .stopsInTheHeader || adapter != .urlSession || !isLinux
        }

        func run(on connection: LoopbackConnection) {
            switch self {
            case .closesBeforeReading: break
            case .closesAfterTheRequest: connection.readRequest()
            case .resetsAfterTheRequest:
                connection.readRequest()
                connection.reset()
            case .stopsInTheHeader:
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Le")
            case .isSilent:
                connection.readRequest()
                connection.waitUntilClosed()
            case .cutsTheBody:
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                connection.send(Array(repeating: 65, count: 50_000))
            case .requestTimeout: answer(408, connection)
            case .tooManyRequests: answer(429, connection)
            case .badGateway: answer(502, connection)
            case .serviceUnavailable: answer(503, connection)
            case .gatewayTimeout: answer(504, connection)
            case .serverError: answer(500, connection)
            }
        }

        private func answer(_ status: Int, _ connection: LoopbackConnection) {
            connection.readRequest()
            connection.send(
                "HTTP/1.1 \(status) Status\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
        }
    }

    /// The kind of request.
    enum Kind: String, CaseIterable, Sendable {
        case get
        case put
        case delete
        case post
        case patch
        case postWithKey

        var isRetryable: Bool { self != .post && self != .patch }

        func request(_ client: HTTPClient) throws -> TransportRequest {
            let body = MessageBody.bytes(Array("canary".utf8))
            return switch self {
            case .get: try client.request(at: "a")
            case .put: try client.request(.put, at: "a", body: body)
            case .delete: try client.request(.delete, at: "a")
            case .post: try client.request(.post, at: "a", body: body)
            case .patch: try client.request(.patch, at: "a", body: body)
            case .postWithKey:
                try client.request(
                    .post, at: "a", headerFields: [.idempotencyKey: "\"k\""], body: body)
            }
        }
    }

    /// Requests that must not be retried never arrive twice.
    @Test(.threat("T19"), arguments: Adapter.allCases, Fault.allCases)
    func sendsUnsafeRequestsAtMostOnce(adapter: Adapter, fault: Fault) async throws {
        for kind in Kind.allCases where fault.canRun(to: adapter) {
            let connections = Count()
            try await LoopbackSocketServer.run { connection in
                if connections.up() == 1 {
                    fault.run(on: connection)
                } else {
                    while connection.readRequest() != nil {
                        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                    }
                }
            } body: { server in
                var limits = TransportLimits.short
                if fault == .isSilent { limits.idleTimeout = .milliseconds(300) }
                let outcome: Result<[UInt8], any Error> = try await adapter.run(
                    server.baseURL, limits: limits
                ) { client in
                    var client = client
                    var policy = RetryPolicy()
                    policy.baseDelay = .milliseconds(1)
                    client.networkInterceptors = [RetryInterceptor(policy)]
                    do {
                        let response = try await client.send(try kind.request(client))
                        return .success(try await response.collect())
                    } catch {
                        return .failure(error)
                    }
                }
                let arrivals = server.received.reduce(0) { count, bytes in
                    let text = String(decoding: bytes, as: UTF8.self)
                    return count + text.split(separator: "HTTP/1.1\r\n").dropFirst().count
                        + (text.hasSuffix("HTTP/1.1\r\n") ? 1 : 0)
                }
                let note = Comment(rawValue: "\(kind) \(outcome)")
                if kind.isRetryable {
                    #expect(fault.arrivalCounts(adapter).contains(arrivals), note)
                } else {
                    #expect(arrivals <= 1, note)
                }
                if arrivals == 2 {
                    #expect(try outcome.get() == Array("ok".utf8), note)
                } else if fault != .closesBeforeReading {
                    #expect((try? outcome.get()) != Array("ok".utf8), note)
                }
            }
        }
    }

    /// Even a POST is retried if no connection was established.
    @Test(arguments: Adapter.allCases)
    func retriesFailedConnections(adapter: Adapter) async throws {
        let baseURL = try await LoopbackSocketServer.run { _ in
        } body: { server in
            server.baseURL
        }
        try await adapter.run(baseURL) { client in
            let attempts = Count()
            var client = client
            var policy = RetryPolicy()
            policy.baseDelay = .milliseconds(1)
            policy.attemptCount = 3
            client.networkInterceptors = [RetryInterceptor(policy), CountingInterceptor(attempts)]
            let request = try client.request(.post, at: "a", body: .bytes([1]))
            let error = await transportError { _ = try await client.send(request) }
            #expect(error?.code == .connectionFailed)
            #expect(attempts.value == 3)
        }
    }
}
