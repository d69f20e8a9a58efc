// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionExchange {
    /// Keeps watch on the time limits until the exchange ends.
    func watch() {
        guard times.earliestDeadline() != nil else { return }
        let watch = Task { [weak self] in
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
        keep(watch)
    }

    /// The error that stands for what the session reported.
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
            (code, reason) = (.malformedResponse, "what came is not an HTTP response")
        #if canImport(Security)
        // What is cancelled here has failed by then: this is the answer to a server not trusted.
        case .cancelled where request.url.scheme == .https && !isReceivingBody:
            (code, reason) = (.tlsFailed, "the server is not trusted")
        #endif
        case .cancelled:
            return CancellationError()
        // Foundation on Linux has but words for this.
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
