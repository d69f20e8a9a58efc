// SPDX-License-Identifier: Apache-2.0

import RestCurl
package import RestTransport
import RestURLSession
import Testing

#if AsyncHTTPClient
import RestAsyncHTTPClient
#endif

/// The adapters that every test of exchanges runs over.
package enum Adapter: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case curl
    case urlSession
    #if AsyncHTTPClient
    case asyncHTTPClient
    #endif

    package var testDescription: String { rawValue }

    /// Runs the body with a client over a fresh transport, which is shut down at the end.
    package func run<Value>(
        _ baseURL: String, limits: TransportLimits = .short, connectionsPerHost: Int = 16,
        body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        switch self {
        case .curl:
            var configuration = CurlTransport.Configuration()
            configuration.connectionsPerHost = connectionsPerHost
            let transport = CurlTransport(configuration: configuration)
            return try await run(
                baseURL, over: transport, limits: limits, body, end: transport.shutdown)
        case .urlSession:
            var configuration = URLSessionTransport.Configuration()
            configuration.connectionsPerHost = connectionsPerHost
            let transport = try URLSessionTransport(configuration: configuration)
            return try await run(
                baseURL, over: transport, limits: limits, body, end: transport.shutdown)
        #if AsyncHTTPClient
        case .asyncHTTPClient:
            var configuration = AsyncHTTPClientTransport.Configuration()
            configuration.connectionsPerHost = connectionsPerHost
            let transport = try AsyncHTTPClientTransport(configuration: configuration)
            return try await run(
                baseURL, over: transport, limits: limits, body, end: transport.shutdown)
        #endif
        }
    }

    /// Runs the body with a client over a transport, which is ended afterwards.
    package func run<Value>(
        _ baseURL: String, over transport: some HTTPTransport, limits: TransportLimits = .short,
        _ body: (HTTPClient) async throws -> Value, end: () async -> Void
    ) async throws -> Value {
        var client = try HTTPClient(baseURL: baseURL, transport: transport)
        client.limits = limits
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        await end()
        return try result.get()
    }
}

extension TransportLimits {
    /// Limits that keep a failing test short, yet are far from a slow machine's needs.
    package static var short: TransportLimits {
        var limits = TransportLimits()
        limits.connectTimeout = .seconds(20)
        limits.idleTimeout = .seconds(20)
        limits.totalTimeout = .seconds(30)
        return limits
    }
}

/// Whether Foundation is the one of Linux, which differs from Apple's in documented ways.
package var isLinux: Bool {
    #if os(Linux)
    true
    #else
    false
    #endif
}
