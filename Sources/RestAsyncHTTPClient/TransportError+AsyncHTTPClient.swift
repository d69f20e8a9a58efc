// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RestTransport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension TransportError {
    /// Creates the transport error for an error of AsyncHTTPClient.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - stage: The stage of the exchange.
    ///   - request: The request.
    ///   - isShutDown: Whether the transport shuts down, which cancels requests.
    init(
        clientError error: any Error, stage: Stage, request: TransportRequest, isShutDown: Bool
    ) {
        let isCancelled = error as? HTTPClientError == .cancelled
        let category =
            isCancelled && isShutDown ? .shutDown : ErrorCategory(error) ?? .connectionLost
        let isReceivingBody = stage == .receivingBody
        let code: Code
        var stage = stage
        let reason: String
        switch category {
        case .shutDown:
            (code, reason) = (.closed, "the transport was shut down")
            if stage == .connecting { stage = .preparing }
        case .connectionTimeout:
            (code, reason) = (.timedOut, "no connection in time")
            stage = .connecting
        case .failure(let failure)
        where stage == .connecting || !isReceivingBody && failure.isOfClientCertificate:
            self.init(failure, request: request, underlying: error)
            return
        case .connectionLost
        where stage == .connecting && request.url.scheme == .https && !isCancelled:
            self.init(.tls, request: request, underlying: error)
            return
        case .headerTooLarge:
            (code, reason) = (.headerTooLarge, "the header exceeds the limit of AsyncHTTPClient")
            if stage == .sendingRequest { stage = .receivingHeader }
        case .malformed:
            (code, reason) = (.malformedResponse, "the response is not valid HTTP")
            if stage == .sendingRequest { stage = .receivingHeader }
        case .connectionLost, .failure:
            code = isReceivingBody ? .incompleteBody : .connectionLost
            reason = "the connection ended early"
            if stage == .connecting { stage = .sendingRequest }
        }
        self.init(code, stage: stage, request: request, reason: reason, underlying: error)
    }
}

extension ConnectionFailure {
    /// Creates the reason why no address of a host could be connected to.
    fileprivate init(_ error: NIOConnectionError) {
        if error.connectionErrors.isEmpty {
            self = .unknownHost
            return
        }
        let numbers = error.connectionErrors.lazy.compactMap { ($0.error as? IOError)?.errnoCode }
        self = numbers.first.map { ConnectionFailure(systemError: $0) } ?? .unknown
    }
}

/// The category of an error of AsyncHTTPClient or of SwiftNIO.
private enum ErrorCategory {
    case shutDown
    case failure(ConnectionFailure)
    case connectionTimeout
    case connectionLost
    case headerTooLarge
    case malformed

    init?(_ error: any Error) {
        switch error {
        case let error as HTTPClientError: self.init(error)
        case let error as HTTPParserError: self.init(error)
        case ResponseHeadValidator.Rejection.invalidStatus: self = .malformed
        case ResponseHeadValidator.Rejection.tooManyInterimResponses: self = .headerTooLarge
        case ConnectionValidator.Rejection.unpinnedKey: self = .failure(.unpinnedKey)
        case ConnectionValidator.Rejection.weakKey: self = .failure(.weakKey)
        case is ConnectionValidator.Rejection: self = .failure(.tls)
        case let error as NIOConnectionError: self = .failure(ConnectionFailure(error))
        case let error as IOError:
            let isReset = error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
            self =
                isReset
                ? .connectionLost : .failure(ConnectionFailure(systemError: error.errnoCode))
        case ChannelError.connectTimeout: self = .connectionTimeout
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self = .failure(.wrongHost)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self = .failure(ConnectionFailure(tlsMessage: String(describing: error)))
        default: return nil
        }
    }

    private init?(_ error: HTTPClientError) {
        switch error {
        case .alreadyShutdown: self = .shutDown
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            self = .connectionTimeout
        // A request is cancelled if the connection for it goes away before it is sent.
        case .remoteConnectionClosed, .cancelled: self = .connectionLost
        default: return nil
        }
    }

    private init(_ error: HTTPParserError) {
        switch error {
        case .invalidEOFState: self = .connectionLost
        case .headerOverflow: self = .headerTooLarge
        default: self = .malformed
        }
    }
}
#endif
