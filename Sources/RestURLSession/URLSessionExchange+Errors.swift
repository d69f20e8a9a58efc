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
                let instant = ContinuousClock.now + (deadline - .now)
                guard (try? await SharedTimer.shared.sleep(until: instant)) != nil else { return }
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
        // A failure of TLS in the body is the end of a connection that the host has accepted.
        if !isReceivingBody, let failure = connectionFailure(error) {
            return TransportError(failure, request: request, underlying: error)
        }
        let code: TransportError.Code
        let reason: String
        switch (error as? URLError)?.code {
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData,
            .cannotDecodeContentData, .unsupportedURL, .dataLengthExceedsMaximum:
            (code, reason) = (.malformedResponse, "the response is not valid HTTP")
        case .cancelled:
            return CancellationError()
        default:
            code = isReceivingBody ? .incompleteBody : .connectionLost
            reason = "the connection ended early"
        }
        return TransportError(
            code, stage: times.stage, request: request, reason: reason, underlying: error)
    }

    /// Returns the reason why there is no connection, or `nil` for an error of another kind.
    private func connectionFailure(_ error: any Error) -> ConnectionFailure? {
        switch (error as? URLError)?.code {
        case .cannotFindHost, .dnsLookupFailed: return .unknownHost
        case .cannotConnectToHost: return .refused
        case .notConnectedToInternet: return .unreachable
        case .timedOut: return .unknown
        case .serverCertificateHasBadDate: return .expired
        case .serverCertificateNotYetValid: return .notYetValid
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: return .untrusted
        case .clientCertificateRequired: return .clientCertificateRequired
        case .clientCertificateRejected: return .clientCertificateRefused
        case .secureConnectionFailed:
            return ConnectionFailure(tlsMessage: error.localizedDescription)
        #if canImport(Security)
        // An exchange that was cancelled here has failed before, so this is an untrusted server.
        case .cancelled where request.url.scheme == .https && times.stage != .receivingBody:
            return .untrusted
        #endif
        // Foundation on Linux reports this only in the description.
        case _ where request.url.scheme == .https && error.localizedDescription.contains("SSL"):
            return ConnectionFailure(tlsMessage: error.localizedDescription)
        default: return nil
        }
    }
}
