// SPDX-License-Identifier: Apache-2.0

/// An authorizer that calls a closure.
public struct ClosureAuthorizer<Credential: RequestCredential>: Authorizer {
    private let makeCredential: @Sendable (Credential?, Principal?) async throws -> Credential?

    /// Creates an authorizer.
    ///
    /// - Parameter makeCredential: A closure that returns a credential, or `nil` if there is none.
    ///   Its parameters are the credential that was refused or expires, `nil` for the first one,
    ///   and the principal.
    public init(
        _ makeCredential: @escaping @Sendable (Credential?, Principal?) async throws -> Credential?
    ) {
        self.makeCredential = makeCredential
    }

    /// Returns the credential of the closure.
    ///
    /// - Throws: The errors of the closure.
    public func credential(
        after previous: Credential?, for principal: Principal?, through next: InterceptorChain
    ) async throws -> Credential? {
        try await makeCredential(previous, principal)
    }
}

extension AuthorizationInterceptor {
    /// Creates an interceptor whose credentials a closure provides.
    ///
    /// ```swift
    /// AuthorizationInterceptor { (previous: BearerToken?, principal) in
    ///     try await session.token(replacing: previous)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: The allowed origins and the times of refreshes.
    ///   - makeCredential: A closure as for ``ClosureAuthorizer``; one call at a time for each
    ///     principal.
    public convenience init<Credential>(
        configuration: AuthorizationConfiguration = AuthorizationConfiguration(),
        _ makeCredential: @escaping @Sendable (Credential?, Principal?) async throws -> Credential?
    ) where Source == ClosureAuthorizer<Credential> {
        self.init(ClosureAuthorizer(makeCredential), configuration: configuration)
    }
}
