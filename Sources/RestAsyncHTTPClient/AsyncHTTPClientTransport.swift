// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import AsyncHTTPClient
import HTTPTypes
public import NIOCore
import NIOHTTP1
import NIOSSL
public import RestTransport
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A transport over AsyncHTTPClient, for programs on the event loops of SwiftNIO.
///
/// These features of AsyncHTTPClient are disabled: redirects, tracing fields, its decompression, which
/// does not know the limits of the transport, and proxies from the environment. HTTP/2 is used where a
/// server offers it over TLS. If a request over such a connection ends after half a second without a byte
/// from the server, no request that is sent after its end uses the connection. The transport enforces
/// limits and timeouts.
///
/// AsyncHTTPClient has these limitations:
/// - It does not report when a connection is established, so waiting for one of the
///   ``Configuration/connectionsPerHost`` counts toward ``/RestTransport/TransportLimits/connectTimeout``.
/// - It delivers a header only when it is complete, so the idle timeout applies to the whole header.
/// - Interim responses are limited to 64, and headers to 80 KiB, whatever the configured limits.
/// - Field values are text. A value that is not UTF-8 cannot be sent; a received `ETag` or `Set-Cookie`
///   is left out, and a `Location` ends the exchange with code `malformedResponse`.
/// - It reports that a certificate is not trusted, not why.
/// - It repeats no request that it has begun to send: a kept connection that turns out to be closed ends a
///   request with code `connectionLost`.
public final class AsyncHTTPClientTransport: LimitEnforcingTransport {
    /// The configuration of a transport.
    public struct Configuration: Sendable, Hashable {
        /// The maximum number of HTTP/1.1 connections to one host, 16 by default.
        ///
        /// Further requests wait for a connection.
        public var connectionsPerHost = 16

        /// The maximum time to obtain a connection, 15 seconds by default.
        ///
        /// ``/RestTransport/TransportLimits/connectTimeout`` can be shorter, but not longer. AsyncHTTPClient cannot
        /// cancel a connection attempt, so ``AsyncHTTPClientTransport/shutdown()`` may wait as long
        /// for one that is not answered.
        public var connectionTimeout = Duration.seconds(15)

        /// The number of bytes of one body that are buffered for a slow reader, 256 KiB by default.
        ///
        /// Beyond it, receiving pauses until the reader catches up.
        public var bufferedByteCount = 256 << 10

        /// The certificate authorities and client identity of the transport.
        public var tls = TLSConfiguration.default

        /// Creates a configuration with the default values.
        public init() {}
    }

    private let client: AsyncHTTPClient.HTTPClient

    /// The clients for hosts with rules of their own, by host.
    private let hostClients: [String: AsyncHTTPClient.HTTPClient]

    private let bufferedByteCount: Int
    private let connections = HTTP2Connections()
    private let hasBegunShutdown = Atomic(false)

    /// Creates a transport on the shared event loops of the process, with the default configuration.
    public convenience init() {
        do throws(TransportError) {
            try self.init(configuration: Configuration())
        } catch {
            preconditionFailure("the default configuration is not supported: \(error)")
        }
    }

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - eventLoops: The event loops, which the caller shuts down after the transport, or `nil` for
    ///     the shared event loops of the process.
    /// - Throws: ``/RestTransport/TransportError`` with code `invalidRequest` if ``Configuration/tls`` has
    ///   certificates or a key that cannot be read.
    public init(
        configuration: Configuration, on eventLoops: (any EventLoopGroup)? = nil
    ) throws(TransportError) {
        var clientConfiguration = AsyncHTTPClient.HTTPClient.Configuration(
            tlsConfiguration: try NIOSSL.TLSConfiguration(configuration.tls),
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(configuration.connectionTimeout), read: nil),
            connectionPool: .init(
                idleTimeout: .seconds(60),
                concurrentHTTP1ConnectionsPerHostSoftLimit: configuration.connectionsPerHost),
            proxy: nil, decompression: .disabled)
        // A host that refuses connections is an immediate error; retries are up to the caller.
        clientConfiguration.connectionPool.retryConnectionEstablishment = false
        clientConfiguration.networkFrameworkWaitForConnectivity = false
        clientConfiguration.tracing.tracer = nil
        let group = eventLoops ?? AsyncHTTPClient.HTTPClient.defaultEventLoopGroup
        let (tls, connections) = (configuration.tls, connections)
        func makeClient(for host: String?) -> AsyncHTTPClient.HTTPClient {
            var configuration = clientConfiguration
            let validator = ConnectionValidator(
                pins: host.flatMap { tls.pins[$0] },
                requiresCloseNotify: !(host.map(tls.hostsWithoutCloseNotify.contains) ?? false),
                connections: connections)
            validator.install(in: &configuration)
            return AsyncHTTPClient.HTTPClient(
                eventLoopGroupProvider: .shared(group), configuration: configuration)
        }
        client = makeClient(for: nil)
        let hosts = Set(tls.pins.keys).union(tls.hostsWithoutCloseNotify)
        hostClients = Dictionary(uniqueKeysWithValues: hosts.map { ($0, makeClient(for: $0)) })
        bufferedByteCount = configuration.bufferedByteCount
    }

    private var clients: [AsyncHTTPClient.HTTPClient] { [client] + hostClients.values }

    deinit {
        // Exchanges retain their transport, so none is left. Each client must live until it has closed
        // its connections.
        for client in clients { client.shutdown { [client] _ in _ = client } }
    }

    /// Sends a request over a new or a kept connection, without following redirects.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let exchange = AsyncHTTPClientExchange(
            request, transport: self, bufferedByteCount: bufferedByteCount)
        let client = hostClients[request.url.host] ?? client
        let clientRequest = try clientRequest(
            for: request, body: exchange.body(on: client.eventLoopGroup))
        return try await exchange.response(to: clientRequest, through: client)
    }

    /// Ends all exchanges with code `closed` and closes all connections.
    ///
    /// Returns after all connections are closed. Later requests fail with code `closed`.
    public func shutdown() async {
        hasBegunShutdown.store(true, ordering: .sequentiallyConsistent)
        // A second shutdown throws.
        for client in clients { try? await client.shutdown() }
    }

    /// A Boolean value that indicates whether exchanges end because the transport shuts down.
    var isShutDown: Bool { hasBegunShutdown.load(ordering: .sequentiallyConsistent) }

    /// Retires the silent connections to the server of a request, so that no further request uses them.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - start: The time when the request was sent.
    ///   - completion: A closure that is called afterwards, on any thread.
    func retireSilentConnections(
        of request: TransportRequest, since start: NIODeadline,
        completion: @escaping @Sendable () -> Void
    ) {
        connections.retireSilent(
            to: request.url.authority, since: start, completion: completion)
    }

    private func clientRequest(
        for request: TransportRequest, body: AsyncHTTPClient.HTTPClient.Body?
    ) throws(TransportError) -> AsyncHTTPClient.HTTPClient.Request {
        guard let url = URL(string: request.url.requestText),
            url.absoluteString == request.url.requestText
        else {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "Foundation parses the URL differently")
        }
        var headers = HTTPHeaders()
        headers.reserveCapacity(request.headerFields.count + 3)
        headers.add(name: "Host", value: request.url.authority)
        for field in request.headerFields {
            headers.add(
                name: field.name.rawName, value: try TextFields.text(of: field, in: request))
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
                reason: "AsyncHTTPClient does not accept the URL", underlying: error)
        }
    }
}
#endif
