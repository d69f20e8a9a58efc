// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What shows a server who sends a request.
///
/// ``BearerToken`` and ``Credential`` are the usual ones; others put on a request whatever their
/// server wants:
///
/// ```swift
/// struct APIKey: RequestCredential {
///     let key: String
///     func authorize(_ request: inout TransportRequest) throws {
///         try request.setHeader(key, for: "X-Api-Key")
///     }
/// }
/// ```
public protocol RequestCredential: Sendable {
    /// When it stops being accepted, as far as that is known; `nil` by default.
    var expiry: Date? { get }

    /// Puts the credential on a request.
    ///
    /// Called once for each time the request is sent, so a signature may hold the time.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` when the credential cannot be
    ///   expressed.
    func authorize(_ request: inout TransportRequest) throws
}

extension RequestCredential {
    /// Nothing is known.
    public var expiry: Date? { nil }
}

/// Knows where credentials come from: asks for the first one, and for another one when a server
/// refuses the last.
///
/// ``AuthorizationInterceptor`` asks once at a time for each principal, however many requests wait.
public protocol Authorizer: Sendable {
    /// What is put on requests.
    associatedtype Credential: RequestCredential

    /// Gets a credential.
    ///
    /// Runs in a task of its own, which ends neither with the request that began it nor with any
    /// that waits; a new refresh token that a server has handed out is not lost on the way. Requests
    /// sent here pass the interceptor that asks without waiting and without credential, whichever
    /// client they go through.
    ///
    /// - Parameters:
    ///   - previous: The credential that was refused or expires, `nil` for the first one.
    ///   - principal: Whose credential it is to be.
    ///   - next: The way to the server that requests take behind the interceptor. Default headers
    ///     are not added to what is sent there.
    /// - Returns: A credential, or `nil` when there is none, or none besides the previous one: then
    ///   requests go out as they are, and the server's refusal is the answer.
    /// - Throws: Why none can be had; requests that wait fail with ``TransportError`` and code
    ///   `authorizationFailed`, with this as its ``TransportError/underlying``.
    func credential(
        after previous: Credential?, for principal: Principal?, through next: InterceptorChain
    ) async throws -> Credential?
}

/// A credential that does not change.
public struct FixedAuthorizer<Credential: RequestCredential>: Authorizer {
    private let credential: Credential

    /// Makes an authorizer.
    ///
    /// - Parameter credential: The credential of every request.
    public init(_ credential: Credential) {
        self.credential = credential
    }

    /// The credential, unless it has just been refused.
    public func credential(
        after previous: Credential?, for principal: Principal?, through next: InterceptorChain
    ) async throws -> Credential? {
        previous == nil ? credential : nil
    }
}
