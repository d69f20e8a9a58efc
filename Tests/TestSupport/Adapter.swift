// SPDX-License-Identifier: Apache-2.0

import RestCurl
package import RestTransport
import RestURLSession
package import Testing

#if AsyncHTTPClient
import RestAsyncHTTPClient
#endif

/// The transports over client libraries, over which every test of exchanges runs.
package enum Adapter: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case curl
    case urlSession
    #if AsyncHTTPClient
    case asyncHTTPClient
    #endif

    package var testDescription: String { rawValue }

    /// Calls a closure with a client over a new transport, and shuts the transport down afterwards.
    package func run<Value>(
        _ baseURL: String, limits: TransportLimits = .short, connectionsPerHost: Int = 16,
        tls: TLSConfiguration = .default, body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        switch self {
        case .curl:
            var configuration = CurlTransport.Configuration()
            configuration.connectionsPerHost = connectionsPerHost
            configuration.tls = tls
            let transport = CurlTransport(configuration: configuration)
            return try await run(
                baseURL, over: transport, limits: limits, body, end: transport.shutdown)
        case .urlSession:
            var configuration = URLSessionTransport.Configuration()
            configuration.connectionsPerHost = connectionsPerHost
            configuration.tls = tls
            let transport = try URLSessionTransport(configuration: configuration)
            return try await run(
                baseURL, over: transport, limits: limits, body, end: transport.shutdown)
        #if AsyncHTTPClient
        case .asyncHTTPClient:
            var configuration = AsyncHTTPClientTransport.Configuration()
            configuration.connectionsPerHost = connectionsPerHost
            configuration.tls = tls
            let transport = try AsyncHTTPClientTransport(configuration: configuration)
            return try await run(
                baseURL, over: transport, limits: limits, body, end: transport.shutdown)
        #endif
        }
    }

    /// The adapters of this system that can be configured with authorities.
    package static var configurable: [Adapter] {
        allCases.filter { !isLinux || $0 != .urlSession }
    }

    /// Calls a closure with a client over a transport, and ends the transport afterwards.
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

extension HTTPClient {
    /// Sends a GET and returns the body of the response.
    package func read(_ path: String) async throws -> [UInt8] {
        try await send(try request(at: path)).collect()
    }
}

/// Returns the transport error that a closure throws, and records an issue if it throws none.
package func transportError(
    _ work: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async -> TransportError? {
    do {
        try await work()
        Issue.record("no error", sourceLocation: sourceLocation)
    } catch let error as TransportError {
        return error
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
    return nil
}

extension TransportLimits {
    /// Limits that end a failing test soon, yet leave a slow machine enough time.
    package static var short: TransportLimits {
        var limits = TransportLimits()
        limits.connectTimeout = .seconds(20)
        limits.idleTimeout = .seconds(20)
        limits.totalTimeout = .seconds(30)
        return limits
    }
}

/// A Boolean value that indicates whether Foundation is that of Linux, which differs from Apple's in
/// documented ways.
package var isLinux: Bool {
    #if os(Linux)
    true
    #else
    false
    #endif
}
