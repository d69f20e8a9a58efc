// SPDX-License-Identifier: Apache-2.0

/// A type that provides credentials, initially and after a server refuses one.
///
/// ``AuthorizationInterceptor`` makes one call at a time for each principal, no matter how many
/// requests wait.
public protocol Authorizer: Sendable {
    /// The type of the credentials.
    associatedtype Credential: RequestCredential

    /// Returns a credential.
    ///
    /// This method runs in a task of its own, which is not cancelled with the requests that wait
    /// for it, so that a new refresh token is not lost. Requests that this method sends pass the
    /// calling interceptor without waiting and without credential, through any client.
    ///
    /// - Parameters:
    ///   - previous: The credential that was refused or expires; `nil` for the first one.
    ///   - principal: The principal of the credential.
    ///   - next: The stages after the interceptor. Default header fields are not added to requests
    ///     sent there.
    /// - Returns: A credential, or `nil` if there is none other than the previous one. Then
    ///   requests are sent as they are, and the server's refusal is returned.
    /// - Throws: Any error; waiting requests fail with ``TransportError`` and code
    ///   `authorizationFailed`, with this error as ``TransportError/underlying``.
    func credential(
        after previous: Credential?, for principal: Principal?, through next: InterceptorChain
    ) async throws -> Credential?
}
