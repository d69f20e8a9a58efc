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
    /// The error that stands for what AsyncHTTPClient reported.
    init(clientError error: any Error, stage: Stage, request: TransportRequest) {
        let verdict = Verdict(error) ?? .connectionEndedEarly
        let isReceivingBody = stage == .receivingBody
        let code: Code
        var stage = stage
        let reason: String
        switch verdict {
        case .shutDown:
            (code, reason) = (.closed, "the transport was shut down")
            if stage == .connecting { stage = .preparing }
        case .noConnectionInTime:
            (code, reason) = (.timedOut, "no connection in time")
            stage = .connecting
        case .foreignKey:
            (code, reason) = (.tlsFailed, "the host's public key is not one of those pinned")
            stage = .connecting
        case .noSecureConnection where !isReceivingBody:
            (code, reason) = (.tlsFailed, "no secure connection to the host")
            stage = .connecting
        case .connectionEndedEarly where stage == .connecting && request.url.scheme == .https:
            (code, reason) = (.tlsFailed, "no secure connection to the host")
        case .noConnection where stage == .connecting:
            (code, reason) = (.connectionFailed, "no connection to the host")
        case .headerTooLarge:
            (code, reason) = (.headerTooLarge, "the header is past the limit of AsyncHTTPClient")
            if stage == .sendingRequest { stage = .receivingHeader }
        case .malformed:
            (code, reason) = (.malformedResponse, "what came is not an HTTP response")
            if stage == .sendingRequest { stage = .receivingHeader }
        case .connectionEndedEarly, .noSecureConnection, .noConnection:
            code = isReceivingBody ? .incompleteBody : .connectionLost
            reason = "the connection ended early"
            if stage == .connecting { stage = .sendingRequest }
        }
        self.init(code, stage: stage, request: request, reason: reason, underlying: error)
    }
}

/// What an error of AsyncHTTPClient, or of SwiftNIO below it, says.
private enum Verdict {
    case shutDown
    case noConnection
    case noConnectionInTime
    case noSecureConnection
    case foreignKey
    case connectionEndedEarly
    case headerTooLarge
    case malformed

    init?(_ error: any Error) {
        switch error {
        case let error as HTTPClientError: self.init(error)
        case let error as HTTPParserError: self.init(error)
        case ResponseHeadGuard.Refusal.sentNoStatus: self = .malformed
        case ResponseHeadGuard.Refusal.sentTooManyInterimResponses: self = .headerTooLarge
        case ConnectionGuard.Refusal.foreignKey: self = .foreignKey
        case is ConnectionGuard.Refusal: self = .noSecureConnection
        case is NIOConnectionError: self = .noConnection
        case let error as IOError:
            let isReset = error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
            self = isReset ? .connectionEndedEarly : .noConnection
        case ChannelError.connectTimeout: self = .noConnectionInTime
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self = .noSecureConnection
        default: return nil
        }
    }

    private init?(_ error: HTTPClientError) {
        switch error {
        // Nobody cancels a request without having ended its exchange, but a shutdown does.
        case .alreadyShutdown, .cancelled: self = .shutDown
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            self = .noConnectionInTime
        case .remoteConnectionClosed: self = .connectionEndedEarly
        default: return nil
        }
    }

    private init(_ error: HTTPParserError) {
        switch error {
        case .invalidEOFState: self = .connectionEndedEarly
        case .headerOverflow: self = .headerTooLarge
        default: self = .malformed
        }
    }
}
#endif
