// SPDX-License-Identifier: Apache-2.0

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
