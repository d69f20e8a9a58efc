// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionExchange {
    /// Starts a task that enforces the time limits until the exchange ends.
    func startTimeoutTask() {
        guard times.earliestDeadline() != nil else { return }
        let task = Task { [weak self] in
            while let deadline = self?.times.earliestDeadline() {
                guard (try? await Task.sleep(for: max(.zero, deadline - .now))) != nil else {
                    return
                }
                guard let self else { return }
                if let error = times.expiry(of: request) {
                    end(with: error)
                    return
                }
            }
        }
        setTimeoutTask(task)
    }

    /// Returns the transport error for an error of the session.
    func transportError(for error: any Error) -> any Error {
        let isReceivingBody = times.stage == .receivingBody
        let code: TransportError.Code
        let reason: String
        switch (error as? URLError)?.code {
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
            .timedOut:
            (code, reason) = (.connectionFailed, "no connection to the host")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .clientCertificateRejected, .clientCertificateRequired:
            (code, reason) = (.tlsFailed, "no secure connection to the host")
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData,
            .cannotDecodeContentData, .unsupportedURL, .dataLengthExceedsMaximum:
            (code, reason) = (.malformedResponse, "the response is not valid HTTP")
        #if canImport(Security)
        // An exchange that was cancelled here has failed before, so this is an untrusted server.
        case .cancelled where request.url.scheme == .https && !isReceivingBody:
            (code, reason) = (.tlsFailed, "the server is not trusted")
        #endif
        case .cancelled:
            return CancellationError()
        // Foundation on Linux reports this only in the description.
        case _ where request.url.scheme == .https && error.localizedDescription.contains("SSL"):
            (code, reason) = (.tlsFailed, "no secure connection to the host")
        default:
            code = isReceivingBody ? .incompleteBody : .connectionLost
            reason = "the connection ended early"
        }
        let isConnecting = code == .connectionFailed || code == .tlsFailed
        return TransportError(
            code, stage: isConnecting ? .connecting : times.stage, request: request,
            reason: reason, underlying: error)
    }
}
