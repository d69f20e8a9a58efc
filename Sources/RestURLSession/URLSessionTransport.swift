// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
public import RestTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport over Foundation's `URLSession`, the default on Apple platforms.
///
/// The session is ephemeral and follows no redirects, keeps no cookies, caches nothing and stores no
/// credentials. The transport enforces limits and timeouts in the callbacks of the session.
///
/// `URLSession` does not report when a connection is established or a request is sent, so connecting,
/// sending and waiting for the response all count as waiting for the header, under the idle and the
/// total timeout.
///
/// Field values are text. A value that is not UTF-8 cannot be sent; a received `ETag` or `Set-Cookie`
/// is left out, and a `Location` ends the exchange with code `malformedResponse`. Compressed bodies are
/// decoded by the system, so
/// ``/RestTransport/TransportLimits/compressedByteAllowance`` does not apply; the idle timeout ends a
/// compressed body without content.
///
/// Foundation on Linux has further limitations:
/// - A response with a header field that is not UTF-8 ends the exchange with code `connectionLost`.
/// - The number of compressed bytes is known only from `Content-Length`, so the limit of the
///   decompression ratio requires that field.
/// - Repeated header fields are joined by commas and have no order.
/// - A POST without `Content-Type` is sent with that of forms.
/// - Header lines are parsed before they are counted.
/// - A slow reader does not slow the server down. More of a body beyond its limit may be read and
///   discarded.
/// - A file or a stream is read completely before it is sent.
/// - The body of a redirect that is not followed is lost.
/// - Each POST and PATCH uses a new connection.
/// - Bytes that a server sends on an idle connection are read as the response to the next request.
/// - HTTP/2 is used over any version of libcurl, and cannot be disabled. Before 8.16 a connection error can
///   end a body as if it were complete, and a response that arrives before the end of the request can be
///   lost.
/// - The system decides which versions of TLS are accepted.
/// - The process traps if a connection closes within a response header. Use `CurlTransport` for
///   untrusted servers.
public final class URLSessionTransport: LimitEnforcingTransport {
    /// The configuration of a transport.
    public struct Configuration: Sendable, Hashable {
        /// The maximum number of connections to one host, 16 by default.
        ///
        /// Further requests wait for a connection.
        public var connectionsPerHost = 16

        /// The number of bytes of one body that are buffered for a slow reader, 256 KiB by default.
        ///
        /// Beyond it, the task of the session is suspended until the reader catches up. The session
        /// buffers bytes of its own in addition. On Linux tasks are not suspended, and a body is
        /// buffered up to ``/RestTransport/TransportLimits/bodyByteCount``.
        public var bufferedByteCount = 256 << 10

        /// The maximum number of bytes of a file or a stream that can be sent on Linux, 64 MiB by
        /// default.
        ///
        /// Foundation on Linux cannot stream a body, so it is read completely before the exchange
        /// starts. A longer body fails with code `bodyTooLarge`. On other
        /// platforms bodies of any length are streamed.
        public var bufferedUploadByteCount = 64 << 20

        /// The certificate authorities of the transport.
        ///
        /// Linux supports only the default configuration, other platforms all but a client identity.
        public var tls = TLSConfiguration.default

        /// Creates a configuration with the default values.
        public init() {}
    }

    private let session: URLSession
    private let delegate: SessionDelegate
    private let configuration: Configuration

    /// Creates a transport with its own session and the default configuration.
    public convenience init() {
        do throws(TransportError) {
            try self.init(configuration: Configuration())
        } catch {
            preconditionFailure("the default configuration is not supported: \(error)")
        }
    }

    /// Creates a transport with its own session.
    ///
    /// - Parameter configuration: The configuration.
    /// - Throws: ``/RestTransport/TransportError`` with code `invalidRequest` if Foundation does not support
    ///   ``Configuration/tls``.
    public init(configuration: Configuration) throws(TransportError) {
        let trustPolicy = try ServerTrustPolicy(configuration.tls)
        let sessionConfiguration = URLSessionConfiguration.ephemeral
        sessionConfiguration.httpCookieStorage = nil
        sessionConfiguration.httpShouldSetCookies = false
        sessionConfiguration.httpCookieAcceptPolicy = .never
        sessionConfiguration.urlCache = nil
        sessionConfiguration.urlCredentialStorage = nil
        sessionConfiguration.requestCachePolicy = .reloadIgnoringLocalCacheData
        sessionConfiguration.httpMaximumConnectionsPerHost = configuration.connectionsPerHost
        // The transport enforces timeouts; those of the session are out of reach: a week, in seconds.
        sessionConfiguration.timeoutIntervalForRequest = 604_800
        sessionConfiguration.timeoutIntervalForResource = 604_800
        trustPolicy.apply(configuration.tls, to: sessionConfiguration)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        delegate = SessionDelegate(trustPolicy)
        session = URLSession(
            configuration: sessionConfiguration, delegate: delegate, delegateQueue: queue)
        self.configuration = configuration
    }

    deinit {
        // Exchanges retain their transport, so no task is left to cancel. Foundation on Linux traps if
        // it cancels a task that is just being removed.
        session.finishTasksAndInvalidate()
    }

    /// Sends a request over the session, without following redirects.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let start = ExchangeInstant.now
        let exchange = URLSessionExchange(
            request, transport: self, task: try await task(for: request),
            bufferedByteCount: configuration.bufferedByteCount, start: start)
        return try await exchange.response(through: delegate)
    }

    /// Ends all exchanges with code `closed` and invalidates the session.
    ///
    /// The session closes its connections asynchronously. Later requests fail with code `closed`.
    public func shutdown() {
        delegate.close()
        session.finishTasksAndInvalidate()
    }

    private func task(for request: TransportRequest) async throws -> URLSessionDataTask {
        var urlRequest = try urlRequest(for: request)
        if request.body.isEmpty || request.body.bytes != nil {
            urlRequest.httpBody = request.body.bytes.map { Data($0) }
            return dataTask(with: urlRequest, of: request)
        }
        #if canImport(FoundationNetworking)
        let body = BufferedBody(of: request, limit: configuration.bufferedUploadByteCount)
        urlRequest.httpBody = try await body.read()
        return dataTask(with: urlRequest, of: request)
        #else
        if let byteCount = request.body.byteCount {
            urlRequest.setValue("\(byteCount)", forHTTPHeaderField: "Content-Length")
        }
        return session.uploadTask(withStreamedRequest: urlRequest)
        #endif
    }

    private func dataTask(
        with urlRequest: URLRequest, of request: TransportRequest
    ) -> URLSessionDataTask {
        #if canImport(FoundationNetworking)
        // The libcurl below repeats requests of any method that a kept connection has lost. A new
        // session has no kept connections.
        if request.method == .post || request.method == .patch {
            let unsharedSession = URLSession(
                configuration: session.configuration, delegate: delegate,
                delegateQueue: session.delegateQueue)
            defer { unsharedSession.finishTasksAndInvalidate() }
            return unsharedSession.dataTask(with: urlRequest)
        }
        #endif
        return session.dataTask(with: urlRequest)
    }

    private func urlRequest(for request: TransportRequest) throws(TransportError) -> URLRequest {
        guard let url = URL(string: request.url.requestText),
            url.absoluteString == request.url.requestText
        else {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "Foundation parses the URL differently")
        }
        guard !delegate.isClosed else { throw URLSessionExchange.closed(request) }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.timeoutInterval = 604_800
        urlRequest.httpShouldHandleCookies = false
        for field in request.headerFields {
            urlRequest.addValue(
                try TextFields.text(of: field, in: request), forHTTPHeaderField: field.name.rawName)
        }
        return urlRequest
    }
}
