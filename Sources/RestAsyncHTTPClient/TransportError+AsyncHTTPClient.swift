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
    init(clientError error: any Error, stage: Stage, request: TransportRequest) {
        let category = ErrorCategory(error) ?? .connectionLost
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
        case .unpinnedKey:
            (code, reason) = (.tlsFailed, "the host's public key is not one of those pinned")
            stage = .connecting
        case .tlsFailure where !isReceivingBody:
            (code, reason) = (.tlsFailed, "no secure connection to the host")
            stage = .connecting
        case .connectionLost where stage == .connecting && request.url.scheme == .https:
            (code, reason) = (.tlsFailed, "no secure connection to the host")
        case .connectionFailure where stage == .connecting:
            (code, reason) = (.connectionFailed, "no connection to the host")
        case .headerTooLarge:
            (code, reason) = (.headerTooLarge, "the header exceeds the limit of AsyncHTTPClient")
            if stage == .sendingRequest { stage = .receivingHeader }
        case .malformed:
            (code, reason) = (.malformedResponse, "the response is not valid HTTP")
            if stage == .sendingRequest { stage = .receivingHeader }
        case .connectionLost, .tlsFailure, .connectionFailure:
            code = isReceivingBody ? .incompleteBody : .connectionLost
            reason = "the connection ended early"
            if stage == .connecting { stage = .sendingRequest }
        }
        self.init(code, stage: stage, request: request, reason: reason, underlying: error)
    }
}

/// The category of an error of AsyncHTTPClient or of SwiftNIO.
private enum ErrorCategory {
    case shutDown
    case connectionFailure
    case connectionTimeout
    case tlsFailure
    case unpinnedKey
    case connectionLost
    case headerTooLarge
    case malformed

    init?(_ error: any Error) {
        switch error {
        case let error as HTTPClientError: self.init(error)
        case let error as HTTPParserError: self.init(error)
        case ResponseHeadValidator.Rejection.invalidStatus: self = .malformed
        case ResponseHeadValidator.Rejection.tooManyInterimResponses: self = .headerTooLarge
        case ConnectionValidator.Rejection.unpinnedKey: self = .unpinnedKey
        case is ConnectionValidator.Rejection: self = .tlsFailure
        case is NIOConnectionError: self = .connectionFailure
        case let error as IOError:
            let isReset = error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
            self = isReset ? .connectionLost : .connectionFailure
        case ChannelError.connectTimeout: self = .connectionTimeout
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self = .tlsFailure
        default: return nil
        }
    }

    private init?(_ error: HTTPClientError) {
        switch error {
        // Only a shutdown cancels a request before its exchange has ended.
        case .alreadyShutdown, .cancelled: self = .shutDown
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            self = .connectionTimeout
        case .remoteConnectionClosed: self = .connectionLost
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
