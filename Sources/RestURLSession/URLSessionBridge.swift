// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hands the session's callbacks to the exchanges they belong to.
final class URLSessionBridge: NSObject, URLSessionDataDelegate {
    private struct State {
        var exchanges: [ObjectIdentifier: URLSessionExchange] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let trust: ServerTrust

    init(_ trust: ServerTrust) {
        self.trust = trust
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func add(_ exchange: URLSessionExchange) {
        state.withLock { $0.exchanges[ObjectIdentifier(exchange.task)] = exchange }
    }

    /// Ends all exchanges.
    func close() {
        let exchanges = state.withLock { state in
            state.isClosed = true
            return state.exchanges.values.map { $0 }
        }
        for exchange in exchanges {
            exchange.end(with: URLSessionExchange.closed(exchange.request))
        }
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        state.withLock { $0.exchanges[ObjectIdentifier(task)] }
    }

    #if canImport(Security)
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard !trust.isSystemDefault, let server = challenge.protectionSpace.serverTrust else {
            completionHandler(.performDefaultHandling, nil)
            return
        }
        if trust.accepts(server, host: challenge.protectionSpace.host) {
            completionHandler(.useCredential, URLCredential(trust: server))
        } else {
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }
    #endif

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.noteSending()
    }

    #if !canImport(FoundationNetworking)
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(exchange(of: task)?.makeBodyStream())
    }
    #endif

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let exchange = state.withLock { $0.exchanges.removeValue(forKey: ObjectIdentifier(task)) }
        exchange?.finish(error)
    }
}
