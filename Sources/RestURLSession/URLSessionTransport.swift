// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
public import RestTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Moves bytes with Foundation's `URLSession`: the natural choice on Apple platforms.
///
/// The session is ephemeral and bare: no redirects, no cookies, no cache, no stored credentials.
/// Limits and deadlines are counted here, in the session's callbacks.
///
/// `URLSession` tells nothing between the start of a request and its response header, so connecting,
/// sending and waiting all count as waiting for the header, under the idle and the total limit. On
/// Linux there are further differences to `CurlTransport`: the count of compressed bytes is known only
/// from Content-Length, so the ratio limit needs that field; repeated header fields arrive joined by
/// commas, in no order; a POST without Content-Type is sent with one for forms; header lines are parsed
/// by Foundation before they are counted; a reader who is slow does not slow the server down, and of a
/// body that is past its limit more may be read, and dropped; a file or a stream is read whole before
/// it is sent; the body of a redirect that is not followed is lost; each POST and PATCH has a
/// connection of its own; the system, not this package, says which versions of TLS will do. Against
/// servers that cannot be trusted, use `CurlTransport` there: Foundation on Linux traps, and the
/// process ends, when a connection closes within a response header.
public final class URLSessionTransport: LimitEnforcingTransport {
    /// What can be chosen about a transport.
    public struct Configuration: Sendable, Hashable {
        /// Most connections to one host, 16 by default; further requests wait.
        public var connectionsPerHost = 16

        /// Bytes of one body held for a reader who is slow; default 256 KiB.
        ///
        /// Past this, the session's task is suspended until the reader catches up. What the
        /// session has read by then is held besides. On Linux nothing is suspended, and a body is
        /// held up to ``TransportLimits/bodyByteCount``.
        public var bufferedByteCount = 256 << 10

        /// Most bytes of a file or a stream that can be sent on Linux; default 64 MiB.
        ///
        /// Foundation there cannot wait for a body, so it is read whole before the exchange begins;
        /// a longer one ends it with code ``TransportError/Code/bodyTooLarge``. Elsewhere bodies are
        /// streamed, whatever their length.
        public var heldUploadByteCount = 64 << 20

        /// Whom the transport trusts; on Linux only the default will do, elsewhere all but a client
        /// certificate.
        public var tls = TLSConfiguration.default

        /// Makes a configuration with the documented defaults.
        public init() {}
    }

    private let session: URLSession
    private let bridge: URLSessionBridge
    private let configuration: Configuration

    /// Makes a transport with its own session and what is chosen by default.
    public convenience init() {
        do throws(TransportError) {
            try self.init(configuration: Configuration())
        } catch {
            preconditionFailure("the default configuration was refused: \(error)")
        }
    }

    /// Makes a transport with its own session.
    ///
    /// - Parameter configuration: What can be chosen.
    /// - Throws: ``TransportError`` with code `invalidRequest` when Foundation cannot do what the
    ///   ``Configuration/tls`` configuration says.
    public init(configuration: Configuration) throws(TransportError) {
        let trust = try ServerTrust(configuration.tls)
        let bare = URLSessionConfiguration.ephemeral
        bare.httpCookieStorage = nil
        bare.httpShouldSetCookies = false
        bare.httpCookieAcceptPolicy = .never
        bare.urlCache = nil
        bare.urlCredentialStorage = nil
        bare.requestCachePolicy = .reloadIgnoringLocalCacheData
        bare.httpMaximumConnectionsPerHost = configuration.connectionsPerHost
        // The time limits are ours; the session's are put out of reach.
        bare.timeoutIntervalForRequest = 604_800
        bare.timeoutIntervalForResource = 604_800
        trust.apply(configuration.tls, to: bare)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        bridge = URLSessionBridge(trust)
        session = URLSession(configuration: bare, delegate: bridge, delegateQueue: queue)
        self.configuration = configuration
    }

    deinit {
        // An exchange keeps its transport, so no task is left that would have to be cancelled; and
        // Foundation on Linux traps when it cancels one that is just being cleared away.
        session.finishTasksAndInvalidate()
    }

    /// Sends a request over the session, following no redirects.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let start = ExchangeMoment.now
        let exchange = URLSessionExchange(
            request, transport: self, task: try await task(for: request),
            bufferedByteCount: configuration.bufferedByteCount, start: start)
        return try await exchange.response(through: bridge)
    }

    /// Ends all exchanges with code `closed` and lets the session go.
    ///
    /// The session closes its connections on its own time. Requests sent later fail with code
    /// `closed`.
    public func shutdown() {
        bridge.close()
        session.finishTasksAndInvalidate()
    }

    private func task(for request: TransportRequest) async throws -> URLSessionDataTask {
        var urlRequest = try urlRequest(for: request)
        if request.body.isEmpty || request.body.bytes != nil {
            urlRequest.httpBody = request.body.bytes.map { Data($0) }
            return dataTask(with: urlRequest, of: request)
        }
        #if canImport(FoundationNetworking)
        let held = HeldBody(of: request, limit: configuration.heldUploadByteCount)
        urlRequest.httpBody = try await held.read()
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
        // The libcurl below repeats what a kept connection loses, whatever the method. A session of
        // its own keeps none.
        if request.method == .post || request.method == .patch {
            let fresh = URLSession(
                configuration: session.configuration, delegate: bridge,
                delegateQueue: session.delegateQueue)
            defer { fresh.finishTasksAndInvalidate() }
            return fresh.dataTask(with: urlRequest)
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
                reason: "Foundation reads the address differently")
        }
        guard !bridge.isClosed else { throw URLSessionExchange.closed(request) }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.timeoutInterval = 604_800
        urlRequest.httpShouldHandleCookies = false
        for field in request.headerFields {
            urlRequest.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        return urlRequest
    }
}
