// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Why an exchange could not be carried out.
///
/// The one error type of this target and of every transport below it. It names the request (method
/// and address, without query, fragment or credentials) and the stage that was reached, and holds
/// no header value and no byte of a body. Cancellation is not wrapped: a cancelled task sees
/// `CancellationError`. A status code is never an error here.
public struct TransportError: Error, Sendable {
    /// What went wrong.
    public var code: Code

    /// How far the exchange had come.
    public var stage: Stage

    /// The request's method, `nil` when no request had been formed yet.
    public var method: String?

    /// The request's address without query, fragment and credentials.
    public var url: String?

    /// One line of fixed wording, with limits and positions where they help, never with content.
    public var reason: String

    /// The addresses visited before this one, oldest first, in the form of ``url``.
    public var redirects: [String]

    /// What the transport reported, when it reported something.
    public var underlying: (any Error)?

    /// Makes an error that is not about a particular request.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - stage: How far the exchange had come.
    ///   - reason: One line without content of messages.
    ///   - underlying: What the transport reported.
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

    /// Makes an error about a request.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - stage: How far the exchange had come.
    ///   - request: The request it happened to.
    ///   - reason: One line without content of messages.
    ///   - underlying: What the transport reported.
    public init(
        _ code: Code, stage: Stage, request: TransportRequest, reason: String,
        underlying: (any Error)? = nil
    ) {
        self.init(code, stage: stage, reason: reason, underlying: underlying)
        method = request.method.rawValue
        url = request.url.redacted
    }
}

extension TransportError {
    /// What went wrong, open to growth.
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
        }

        private let storage: Storage

        private init(_ storage: Storage) {
            self.storage = storage
        }

        /// The request may not be sent: its address, method or header breaks a rule.
        public static let invalidRequest = Code(.invalidRequest)

        /// No credential could be had; ``TransportError/underlying`` is what the authorizer reported.
        public static let authorizationFailed = Code(.authorizationFailed)

        /// No connection: the name did not resolve or the host did not accept.
        public static let connectionFailed = Code(.connectionFailed)

        /// The secure connection could not be made or the certificate was not trusted.
        public static let tlsFailed = Code(.tlsFailed)

        /// A time limit of ``TransportLimits`` ran out; ``TransportError/stage`` says where.
        public static let timedOut = Code(.timedOut)

        /// The connection ended before a complete response header.
        public static let connectionLost = Code(.connectionLost)

        /// The body ended before its announced end.
        public static let incompleteBody = Code(.incompleteBody)

        /// What came is not a response, contradicts itself, or cannot be decoded.
        public static let malformedResponse = Code(.malformedResponse)

        /// The response header passed a limit of ``TransportLimits``.
        public static let headerTooLarge = Code(.headerTooLarge)

        /// The body passed a limit of ``TransportLimits``, counted after decompression.
        public static let bodyTooLarge = Code(.bodyTooLarge)

        /// More redirects than ``TransportLimits/redirectCount``.
        public static let tooManyRedirects = Code(.tooManyRedirects)

        /// A redirect that ``RedirectPolicy`` does not follow.
        public static let redirectRefused = Code(.redirectRefused)

        /// The request's body could not be read; ``TransportError/underlying`` is its source's error.
        public static let bodyUnavailable = Code(.bodyUnavailable)

        /// The request's body came to another length than announced.
        public static let bodyLengthMismatch = Code(.bodyLengthMismatch)

        /// The request's body would have to be sent again and can be had only once.
        public static let bodyNotReplayable = Code(.bodyNotReplayable)

        /// The transport was shut down, or the body had already been read.
        public static let closed = Code(.closed)

        /// A directory for stored responses cannot be used, or is not one.
        public static let cacheUnavailable = Code(.cacheUnavailable)

        /// The code's name.
        public var description: String { storage.rawValue }
    }

    /// How far an exchange had come.
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

        /// Nothing has left the process.
        public static let preparing = Stage(.preparing)

        /// Resolving the name, connecting, securing the connection.
        public static let connecting = Stage(.connecting)

        /// The connection stands; the request is on its way.
        public static let sendingRequest = Stage(.sendingRequest)

        /// The request is sent; the response header is not complete.
        public static let receivingHeader = Stage(.receivingHeader)

        /// The response header is complete; the body is not.
        public static let receivingBody = Stage(.receivingBody)

        /// The stage's name.
        public var description: String { storage.rawValue }
    }
}

extension TransportError: CustomStringConvertible {
    /// One line: code, stage, request, reason, and the redirects that led there.
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
