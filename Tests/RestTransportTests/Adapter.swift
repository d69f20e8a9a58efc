// SPDX-License-Identifier: Apache-2.0

import RestCurl
import RestTesting
import RestTransport
import RestURLSession
import Testing

#if AsyncHTTPClient
import RestAsyncHTTPClient
#endif

/// The adapters that every test of exchanges runs over.
enum Adapter: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case curl
    case urlSession
    #if AsyncHTTPClient
    case asyncHTTPClient
    #endif

    var testDescription: String { rawValue }

    /// Runs the body with a client over a fresh transport, which is shut down at the end.
    func run<Value>(
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
    func run<Value>(
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

    /// The adapter on the bench of the conformance kit.
    var conformance: HTTPTransportConformance {
        switch self {
        case .curl:
            HTTPTransportConformance(
                make: { CurlTransport() }, shutdown: { await $0.shutdown() },
                differences: differences)
        case .urlSession:
            HTTPTransportConformance(
                make: { URLSessionTransport() }, shutdown: { $0.shutdown() },
                differences: differences)
        #if AsyncHTTPClient
        case .asyncHTTPClient:
            HTTPTransportConformance(
                make: {
                    var configuration = AsyncHTTPClientTransport.Configuration()
                    // What a shutdown waits for after a connection that is not answered.
                    configuration.connectionTimeout = .seconds(3)
                    return try AsyncHTTPClientTransport(configuration: configuration)
                }, shutdown: { await $0.shutdown() },
                differences: differences)
        #endif
        }
    }
}
extension TransportLimits {
    /// Limits that keep a failing test short, yet are far from a slow machine's needs.
    static var short: TransportLimits {
        var limits = TransportLimits()
        limits.connectTimeout = .seconds(20)
        limits.idleTimeout = .seconds(20)
        limits.totalTimeout = .seconds(30)
        return limits
    }
}

extension HTTPClient {
    /// Sends a GET and reads the body.
    func read(_ path: String) async throws -> [UInt8] {
        try await send(try request(at: path)).collect()
    }
}

/// The transport error that a piece of work ends with.
func transportError(
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

/// Whether Foundation is the one of Linux, which differs from Apple's in documented ways.
var isLinux: Bool {
    #if os(Linux)
    true
    #else
    false
    #endif
}

/// Whether a condition comes true within ten seconds.
func eventually(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<1000 {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}
