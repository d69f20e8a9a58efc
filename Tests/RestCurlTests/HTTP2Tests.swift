// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestTransport
import TestSupport
import Testing

/// Exchanges over HTTP/2: the same responses and limits as over HTTP/1.1, on one connection.
@Suite(
    .serialized,
    .enabled(
        if: TestAuthority.command != nil && HTTP2Server.command != nil,
        "the openssl or the nginx command is missing"))
struct HTTP2Tests {
    private static let authority = Result { try TestAuthority() }

    @Test func sendsManyRequestsOverOneConnection() async throws {
        try await withClient { client in
            // The first request negotiates the protocol.
            let first = try await client.read("")
            let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<64 {
                    group.addTask { try await client.read("") }
                }
                return try await group.reduce(into: Set([first])) { $0.insert($1) }
            }
            #expect(bodies.count == 1)
            #expect(String(decoding: first, as: UTF8.self).hasPrefix("HTTP/2.0 "))
        }
    }

    @Test func readsLargeBodiesConcurrently() async throws {
        try await withClient { client in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await client.read("large").count }
                }
                for try await count in group { #expect(count == 4 << 20) }
            }
        }
    }

    @Test func keepsConnectionWhenBodyExceedsLimit() async throws {
        try await withClient { client in
            let before = try await client.read("")
            var request = try client.request(at: "large")
            var limits = TransportLimits.short
            limits.bodyByteCount = 1 << 20
            request.limits = limits
            let error = await transportError { _ = try await client.send(request).collect() }
            #expect(error?.code == .bodyTooLarge)
            #expect(try await client.read("") == before)
        }
    }

    @Test func keepsConnectionWhenBodyIsAbandoned() async throws {
        try await withClient { client in
            let before = try await client.read("")
            let response = try await client.send(client.request(at: "large"))
            #expect(response.status == .ok)
            var chunks = response.body.makeAsyncIterator()
            _ = try await chunks.next()
            let whole = try await client.read("large")
            #expect(whole.count == 4 << 20)
            #expect(try await client.read("") == before)
        }
    }

    @Test func followsRedirects() async throws {
        try await withClient { client in
            let response = try await client.send(client.request(at: "moved"))
            #expect(response.redirects.map(\.path) == ["/moved"])
        }
    }

    private func withClient<Value>(
        body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        let authority = try Self.authority.get()
        return try await HTTP2Server.run(authority) { server in
            var configuration = CurlTransport.Configuration()
            configuration.tls.authorities = .only(.file(authority.certificate))
            let transport = CurlTransport(configuration: configuration)
            var client = try HTTPClient(baseURL: server.baseURL, transport: transport)
            client.limits = .short
            do {
                let value = try await body(client)
                await transport.shutdown()
                return value
            } catch {
                await transport.shutdown()
                throw error
            }
        }
    }
}
