// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import AsyncHTTPClient
import HTTPTypes
public import NIOCore
import NIOHTTP1
import NIOSSL
public import RestTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Moves bytes with AsyncHTTPClient, for programs that live on SwiftNIO's event loops.
///
/// What AsyncHTTPClient could do on its own is switched off: redirects, tracing fields, decompression
/// without our limits, proxies named by the environment. HTTP/2 is spoken where a server offers it
/// over TLS. Limits and deadlines are counted here.
///
/// AsyncHTTPClient tells nothing of connections, so time spent waiting for one of the
/// ``Configuration/connectionsPerHost`` counts to ``TransportLimits/connectTimeout``. It hands over
/// headers as a whole: header bytes that drip run into the idle limit of the header altogether, interim
/// responses are counted by number, up to 64, and what is past 80 KiB is refused whatever the limits
/// say. It repeats
/// nothing: a kept connection that turns out to be closed ends a request with code `connectionLost`.
public final class AsyncHTTPClientTransport: LimitEnforcingTransport {
    /// What can be chosen about a transport.
    public struct Configuration: Sendable, Hashable {
        /// Most HTTP/1.1 connections to one host, 16 by default; further requests wait.
        public var connectionsPerHost = 16

        /// Longest time to get a connection, new or one of those in use; default 15 s.
        ///
        /// ``TransportLimits/connectTimeout`` can be shorter, not longer. AsyncHTTPClient cannot give
        /// up a connection that it has begun to make, so ``AsyncHTTPClientTransport/shutdown()`` may
        /// have to wait as long for one that is not answered.
        public var connectionTimeout = Duration.seconds(15)

        /// Bytes of one body held for a reader who is slow; default 256 KiB.
        ///
        /// Past this, reading from the connection stops until the reader catches up.
        public var bufferedByteCount = 256 << 10

        /// Whom the transport trusts, and as whom it shows itself.
        public var tls = TLSConfiguration.default

        /// Makes a configuration with the documented defaults.
        public init() {}
    }

    private let client: AsyncHTTPClient.HTTPClient

    /// The clients for hosts with pinned keys, each of which knows the keys of its host.
    private let pinnedClients: [String: AsyncHTTPClient.HTTPClient]

    private let bufferedByteCount: Int

    /// Makes a transport on the event loops that all of the process share, with what is chosen by
    /// default.
    public convenience init() {
        do throws(TransportError) {
            try self.init(configuration: Configuration())
        } catch {
            preconditionFailure("the default configuration was refused: \(error)")
        }
    }

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - configuration: What can be chosen.
    ///   - eventLoops: Event loops of the caller's, who shuts them down after the transport; those
    ///     that all of the process share when `nil`.
    /// - Throws: ``TransportError`` with code `invalidRequest` when the ``Configuration/tls``
    ///   configuration has certificates or a key that cannot be read.
    public init(
        configuration: Configuration, on eventLoops: (any EventLoopGroup)? = nil
    ) throws(TransportError) {
        var bare = AsyncHTTPClient.HTTPClient.Configuration(
            tlsConfiguration: try NIOSSL.TLSConfiguration(configuration.tls),
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(configuration.connectionTimeout), read: nil),
            connectionPool: .init(
                idleTimeout: .seconds(60),
                concurrentHTTP1ConnectionsPerHostSoftLimit: configuration.connectionsPerHost),
            proxy: nil, decompression: .disabled)
        // A host that does not accept is an error at once; repeating is the business of who asked.
        bare.connectionPool.retryConnectionEstablishment = false
        bare.networkFrameworkWaitForConnectivity = false
        bare.tracing.tracer = nil
        let group = eventLoops ?? AsyncHTTPClient.HTTPClient.defaultEventLoopGroup
        func makeClient(pins: Set<PublicKeyPin>?) -> AsyncHTTPClient.HTTPClient {
            var guarded = bare
            ConnectionGuard(pins: pins).watch(&guarded)
            return AsyncHTTPClient.HTTPClient(
                eventLoopGroupProvider: .shared(group), configuration: guarded)
        }
        client = makeClient(pins: nil)
        pinnedClients = configuration.tls.pins.mapValues(makeClient)
        bufferedByteCount = configuration.bufferedByteCount
    }

    private var clients: [AsyncHTTPClient.HTTPClient] { [client] + pinnedClients.values }

    deinit {
        // An exchange keeps its transport, so none is left; a client lives until it has closed its
        // connections.
        for client in clients { client.shutdown { [client] _ in _ = client } }
    }

    /// Sends a request over a connection of its own or one kept alive, following no redirects.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let exchange = AsyncHTTPClientExchange(
            request, transport: self, bufferedByteCount: bufferedByteCount)
        let client = pinnedClients[request.url.host] ?? client
        let clientRequest = try clientRequest(
            for: request, body: exchange.body(on: client.eventLoopGroup))
        return try await exchange.response(to: clientRequest, through: client)
    }

    /// Ends all exchanges with code `closed` and closes all connections.
    ///
    /// Returns when all of that has happened. Requests sent later fail with code `closed`.
    public func shutdown() async {
        // It fails when it has been done before.
        for client in clients { try? await client.shutdown() }
    }

    private func clientRequest(
        for request: TransportRequest, body: AsyncHTTPClient.HTTPClient.Body?
    ) throws(TransportError) -> AsyncHTTPClient.HTTPClient.Request {
        guard let url = URL(string: request.url.requestText),
            url.absoluteString == request.url.requestText
        else {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "Foundation reads the address differently")
        }
        var headers = HTTPHeaders()
        headers.reserveCapacity(request.headerFields.count + 3)
        headers.add(name: "Host", value: request.url.authority)
        for field in request.headerFields {
            headers.add(name: field.name.rawName, value: field.value)
        }
        if !request.headerFields.contains(.acceptEncoding) {
            headers.add(name: "Accept-Encoding", value: "gzip, deflate")
        }
        do {
            return try AsyncHTTPClient.HTTPClient.Request(
                url: url, method: HTTPMethod(rawValue: request.method.rawValue), headers: headers,
                body: body)
        } catch {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "AsyncHTTPClient does not take the address", underlying: error)
        }
    }
}
#endif
