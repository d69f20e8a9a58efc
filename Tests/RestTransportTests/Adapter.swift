// SPDX-License-Identifier: Apache-2.0

import RestCurl
import RestTesting
import RestTransport
import RestURLSession
import TestSupport
import Testing

#if AsyncHTTPClient
import RestAsyncHTTPClient
#endif

extension Adapter {
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
