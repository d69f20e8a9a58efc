// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delegate of the session, which forwards each callback to its exchange.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private struct State {
        var exchanges: [ObjectIdentifier: URLSessionExchange] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let trustPolicy: ServerTrustPolicy

    init(_ trustPolicy: ServerTrustPolicy) {
        self.trustPolicy = trustPolicy
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func add(_ exchange: URLSessionExchange) {
        state.withLock { $0.exchanges[ObjectIdentifier(exchange.task)] = exchange }
    }

    /// Ends all exchanges with code `closed`.
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
        guard !trustPolicy.isSystemDefault, let server = challenge.protectionSpace.serverTrust
        else {
            completionHandler(.performDefaultHandling, nil)
            return
        }
        if trustPolicy.accepts(server, host: challenge.protectionSpace.host) {
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
