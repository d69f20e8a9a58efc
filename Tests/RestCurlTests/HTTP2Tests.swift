// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestTransport
import TestSupport
import Testing

/// Exchanges over HTTP/2: the same responses and limits as over HTTP/1.1, on one connection.
///
/// `scripts/http2` runs them with a new libcurl if that of the system is too old for HTTP/2.
@Suite(
    .tags(.socket), .serialized,
    .enabled(if: CurlLibrary.current.usesHTTP2, "libcurl is too old for HTTP/2"))
struct HTTP2Tests {
    private static let authority = Result { try TestAuthority() }

    private static let largeByteCount = 4 << 20
    private static let large = "0/\(largeByteCount)"

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

    @Test(arguments: HTTP2Server.Implementation.allCases)
    func readsLargeBodiesConcurrently(server: HTTP2Server.Implementation) async throws {
        try await withClient(server) { client in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await client.read(Self.large).count }
                }
                for try await count in group { #expect(count == Self.largeByteCount) }
            }
        }
    }

    // libcurl before 8.1 stalled on some of them or read a part of a long header as the start of
    // another response. A stall would end at the next timeout, so there is none but that of the test.
    @Test(
        .tags(.regression), .timeLimit(.hang),
        arguments: HTTP2Server.Implementation.allCases)
    func readsBodiesAboutReadSize(server: HTTP2Server.Implementation) async throws {
        let paths = HTTP2Server.bodyByteCounts.map { "0/\($0)" }
        try await withClient(server, limits: Self.withoutTimeouts) { client in
            try await Self.read(paths, concurrency: 8, by: client)
        }
    }

    @Test(
        .tags(.regression), .timeLimit(.hang),
        arguments: HTTP2Server.Implementation.allCases, [1, 8])
    func readsLongHeaders(server: HTTP2Server.Implementation, concurrency: Int) async throws {
        let paths = [100, 300, 14_000, 16_000, 18_000].flatMap { byteCount in
            HTTP2Server.headerFieldCounts.map { "\($0)/\(byteCount)" }
        }
        try await withClient(server, limits: Self.withoutTimeouts) { client in
            try await Self.read(paths, concurrency: concurrency, by: client)
        }
    }

    private static let withoutTimeouts: TransportLimits = {
        var limits = TransportLimits()
        limits.idleTimeout = nil
        limits.totalTimeout = nil
        return limits
    }()

    /// Reads the bodies, whose lengths are the last components of their paths.
    private static func read(
        _ paths: [String], concurrency: Int, by client: HTTPClient
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in 0..<concurrency {
                group.addTask {
                    for path in paths[start...].enumerated()
                    where path.offset.isMultiple(of: concurrency) {
                        let count = try await client.read(path.element).count
                        #expect("\(count)" == path.element.split(separator: "/").last ?? "")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func keepsConnectionWhenBodyExceedsLimit() async throws {
        try await withClient { client in
            let before = try await client.read("")
            var request = try client.request(at: Self.large)
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
            let response = try await client.send(client.request(at: Self.large))
            #expect(response.status == .ok)
            var chunks = response.body.makeAsyncIterator()
            _ = try await chunks.next()
            let whole = try await client.read(Self.large)
            #expect(whole.count == Self.largeByteCount)
            #expect(try await client.read("") == before)
        }
    }

    @Test(arguments: [0, 1, 100_000, 1_000_000])
    func deliversResponseBeforeEndOfUpload(byteCount: Int) async throws {
        try await withClient { client in
            let request = try client.request(
                .post, at: "early", body: .bytes(Array(repeating: 0, count: byteCount)))
            for _ in 0..<10 {
                #expect(try await client.send(request).status == .noContent)
            }
        }
    }

    @Test func followsRedirects() async throws {
        try await withClient { client in
            let response = try await client.send(client.request(at: "moved"))
            #expect(response.redirects.map(\.path) == ["/moved"])
        }
    }

    // The body of another stream on the connection arrives meanwhile.
    @Test(
        arguments: [
            ("header", TransportError.Stage.receivingHeader), ("body", .receivingBody),
        ])
    func timesOutSilentStream(path: String, stage: TransportError.Stage) async throws {
        try await withClient(.nghttpx) { client in
            _ = try await client.read("0/1")
            async let slow = client.read("slow")
            var request = try client.request(at: path)
            var limits = TransportLimits.short
            limits.idleTimeout = .milliseconds(500)
            request.limits = limits
            let error = await transportError { _ = try await client.send(request).collect() }
            #expect(error?.code == .timedOut)
            #expect(error?.stage == stage)
            #expect(error?.reason.hasPrefix("no byte within") == true)
            #expect(try await slow.count == 20)
        }
    }

    private func withClient<Value>(
        _ server: HTTP2Server.Implementation = .nginx, limits: TransportLimits = .short,
        body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        let authority = try Self.authority.get()
        return try await HTTP2Server.run(server, authority) { server in
            var configuration = CurlTransport.Configuration()
            configuration.tls.authorities = .only(.file(authority.certificate))
            let transport = CurlTransport(configuration: configuration)
            return try await Adapter.curl.run(
                server.baseURL, over: transport, limits: limits, body, end: transport.shutdown)
        }
    }
}
