// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An error of an HTTP exchange.
///
/// The only error type of this module and of all transports. It names the request (method and
/// URL, without query, fragment or credentials) and the stage that was reached, and contains no
/// header value and no byte of a body. Cancellation is not wrapped: a cancelled task throws
/// `CancellationError`. Status codes are not errors.
public struct TransportError: Error, Sendable {
    /// The kind of error.
    public var code: Code

    /// The stage that the exchange had reached.
    public var stage: Stage

    /// The request's method; `nil` if there was no request yet.
    public var method: String?

    /// The request's URL without query, fragment and credentials; `nil` if there was no request
    /// yet.
    public var url: String?

    /// A one-line reason with limits and positions where they help, and never with content.
    public var reason: String

    /// The URLs that redirected to this one, oldest first, in the form of ``url``.
    public var redirects: [String]

    /// The error of the transport, a body or an authorizer, if there is one.
    public var underlying: (any Error)?

    /// Creates an error that does not concern a particular request.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - stage: The stage that the exchange had reached.
    ///   - reason: A one-line reason without content of messages.
    ///   - underlying: The error of the transport, a body or an authorizer.
    public init(
        _ code: Code, stage: Stage, reason: String, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.stage = stage
        self.method = nil
        self.url = nil
        self.reason = reason
        self.redirects = []
        self.underlying = underlying
    }
}

extension TransportError {
    /// The kind of a transport error.
    ///
    /// New kinds may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case invalidRequest
            case authorizationFailed
            case connectionFailed
            case tlsFailed
            case timedOut
            case connectionLost
            case incompleteBody
            case malformedResponse
            case headerTooLarge
            case bodyTooLarge
            case tooManyRedirects
            case redirectRefused
            case bodyUnavailable
            case bodyLengthMismatch
            case bodyNotReplayable
            case closed
            case cacheUnavailable
            case fileUnavailable
        }

        private let storage: Storage

        private init(_ storage: Storage) {
            self.storage = storage
        }

        /// The request must not be sent: its URL, method or header is not valid.
        public static let invalidRequest = Code(.invalidRequest)

        /// The authorizer provided no credential; ``TransportError/underlying`` is its error.
        public static let authorizationFailed = Code(.authorizationFailed)

        /// The host name could not be resolved, or the host refused the connection.
        public static let connectionFailed = Code(.connectionFailed)

        /// The TLS handshake failed or the certificate is not trusted.
        public static let tlsFailed = Code(.tlsFailed)

        /// A time limit of ``TransportLimits`` expired; ``TransportError/stage`` indicates where.
        public static let timedOut = Code(.timedOut)

        /// The connection closed before the response header was complete.
        public static let connectionLost = Code(.connectionLost)

        /// The response body ended before its announced length.
        public static let incompleteBody = Code(.incompleteBody)

        /// The received bytes are not a response, contradict each other, or cannot be decoded.
        public static let malformedResponse = Code(.malformedResponse)

        /// The header of the request or of the response exceeded a limit of ``TransportLimits``;
        /// ``TransportError/stage`` indicates which.
        public static let headerTooLarge = Code(.headerTooLarge)

        /// The response body exceeded a limit of ``TransportLimits``, counted after decompression.
        public static let bodyTooLarge = Code(.bodyTooLarge)

        /// There were more redirects than ``TransportLimits/redirectCount``, or they form a loop.
        public static let tooManyRedirects = Code(.tooManyRedirects)

        /// The redirect is not allowed by ``RedirectPolicy`` or is not valid.
        public static let redirectRefused = Code(.redirectRefused)

        /// The request's body could not be read; ``TransportError/underlying`` is the source's
        /// error.
        public static let bodyUnavailable = Code(.bodyUnavailable)

        /// The request's body has another length than announced.
        public static let bodyLengthMismatch = Code(.bodyLengthMismatch)

        /// The request's body would have to be sent again but can be read only once.
        public static let bodyNotReplayable = Code(.bodyNotReplayable)

        /// The transport was shut down, or the body has already been read.
        public static let closed = Code(.closed)

        /// The cache directory cannot be used.
        public static let cacheUnavailable = Code(.cacheUnavailable)

        /// The file of a download cannot be written; the reason does not contain its path, because
        /// paths may contain names of users.
        public static let fileUnavailable = Code(.fileUnavailable)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// The stage of an exchange.
    public struct Stage: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case preparing
            case connecting
            case sendingRequest
            case receivingHeader
            case receivingBody
        }

        private let storage: Storage

        private init(_ storage: Storage) {
            self.storage = storage
        }

        /// The request is being prepared; nothing has been sent.
        public static let preparing = Stage(.preparing)

        /// The host name is being resolved, or the connection is being established and secured.
        public static let connecting = Stage(.connecting)

        /// The connection is established; the request is being sent.
        public static let sendingRequest = Stage(.sendingRequest)

        /// The request has been sent; the response header is not complete.
        public static let receivingHeader = Stage(.receivingHeader)

        /// The response header is complete; the body is not.
        public static let receivingBody = Stage(.receivingBody)

        /// The name of the stage.
        public var description: String { storage.rawValue }
    }
}

extension TransportError: CustomStringConvertible {
    /// One line with code, stage, request, reason, and the redirects that led there.
    public var description: String {
        var text = "\(code) while \(stage)"
        if let method, let url {
            text += ": \(method) \(url)"
        }
        text += ": \(reason)"
        if !redirects.isEmpty {
            text += " (redirected from \(redirects.joined(separator: ", ")))"
        }
        return text
    }
}

extension TransportError: LocalizedError {
    /// The ``description``, which is in English.
    public var errorDescription: String? { description }

    /// The ``reason``.
    public var failureReason: String? { reason }
}
