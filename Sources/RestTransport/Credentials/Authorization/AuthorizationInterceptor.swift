// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An interceptor that adds a credential to requests and refreshes it once if a server refuses it.
///
/// Place it in ``HTTPClient/interceptors`` after logging, request IDs and coalescing. The following
/// stages are redirects, which remove the credential when they leave the origin, the cache, and
/// retries in ``HTTPClient/networkInterceptors``.
///
/// A request gets a credential if it goes to an allowed origin and has no Authorization field of
/// its own. If the response is a refusal, the request waits for the running refresh or starts one,
/// and is then sent once more; that response is final. If the credential has been replaced in the
/// meantime, the request is sent once more without a refresh. If the body of a refused request
/// cannot be sent again, the refusal is returned, and a refresh starts for later requests. If a
/// refresh fails, all waiting requests, and all requests sent before and refused later, fail with
/// the same error; the next request starts a new refresh. A credential that is about to expire is
/// refreshed while requests continue to use it; an expired one is refreshed before requests are
/// sent.
///
/// The interceptor stores one credential for each principal. A class, so that copies of a client
/// share the credentials.
public final class AuthorizationInterceptor<Source: Authorizer>: CredentialInterceptor {
    private typealias State = CredentialState

    private let authorizer: Source
    private let configuration: AuthorizationConfiguration
    private let table = Mutex(CredentialTable())

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - authorizer: The provider of credentials.
    ///   - configuration: The allowed origins and the times of refreshes.
    public init(
        _ authorizer: Source,
        configuration: AuthorizationConfiguration = AuthorizationConfiguration()
    ) {
        self.authorizer = authorizer
        self.configuration = configuration
    }

    /// Returns the current credential of a principal.
    ///
    /// - Parameter principal: The principal; `nil`, the default, for requests without principal.
    /// - Returns: The credential; `nil` if there is none.
    public func credential(for principal: Principal? = nil) -> Source.Credential? {
        table.withLock { $0[principal].current } as? Source.Credential
    }

    /// Sets or removes the credential of a principal, as after signing in or out.
    ///
    /// Requests that wait for a refresh continue with this credential; the result of the refresh is
    /// ignored.
    ///
    /// - Parameters:
    ///   - credential: The credential; with `nil`, the next request gets one from the authorizer.
    ///   - principal: The principal; `nil`, the default, for requests without principal.
    public func setCredential(
        _ credential: Source.Credential?, for principal: Principal? = nil
    ) {
        let superseded = table.withLock { table in
            let generation = table.nextGeneration()
            return table[principal].set(credential, generation: generation)
        }
        if let superseded { superseded.refresh.outcome.finish(.success(superseded.snapshot)) }
    }

    /// Returns a request with the current credential, also if it has expired.
    public func authorized(
        _ request: TransportRequest, under baseURL: HTTPURL
    ) throws -> TransportRequest {
        guard covers(request, under: baseURL),
            let credential = credential(for: request.principal)
        else { return request }
        var authorized = request
        try credential.authorize(&authorized)
        return authorized
    }

    private func covers(_ request: TransportRequest, under baseURL: HTTPURL) -> Bool {
        configuration.covers(request.url, under: baseURL)
            && !request.headerFields.contains(.authorization)
            && AuthorizationRefresh.interceptor != ObjectIdentifier(self)
    }

    /// Sends a request with a credential, and once more with a new one after a refusal.
    public func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        guard covers(request, under: next.baseURL) else { return try await next.send(request) }
        let used = try await credentialSnapshot(for: request, next)
        guard let credential = used.credential else { return try await next.send(request) }
        var authorized = request
        try credential.authorize(&authorized)
        var response = try await next.send(authorized)
        guard configuration.isRefusal(response),
            configuration.covers(response.url, under: next.baseURL)
        else { return response }
        guard request.body.isReplayable else {
            refreshForLaterRequests(used, request.principal, next)
            return response
        }
        // Refused requests must not occupy the connections that the refresh needs.
        response.body = try await response.body.buffered(upTo: 64 << 10)
        guard let renewed = try await renewal(of: used, for: request, next),
            let credential = renewed.credential
        else { return response }
        authorized = request
        try credential.authorize(&authorized)
        return try await next.send(authorized)
    }

    /// Returns the credential that a request is sent with.
    private func credentialSnapshot(
        for request: TransportRequest, _ next: InterceptorChain
    ) async throws -> State.Snapshot {
        let step = table.withLock { table in
            table[request.principal].begin(
                date: next.clock.date, leeway: configuration.leeway)
        }
        switch step {
        case .proceed(let snapshot):
            return snapshot
        case .proceedAndRefresh(let snapshot, let refresh):
            start(refresh, for: request.principal, next)
            return snapshot
        case .wait(let refresh, let isNew):
            return try await wait(for: refresh, isNew: isNew, request, next)
        }
    }

    /// Returns the credential that a refused request is sent with again; `nil` if the refusal is
    /// returned.
    private func renewal(
        of used: State.Snapshot, for request: TransportRequest, _ next: InterceptorChain
    ) async throws -> State.Snapshot? {
        let step = table.withLock { table in
            table[request.principal].recordRefusal(of: used)
        }
        switch step {
        case .resend(let snapshot):
            return snapshot
        case .wait(let refresh, let isNew):
            let renewed = try await wait(for: refresh, isNew: isNew, request, next)
            return renewed.generation == used.generation ? nil : renewed
        case .deliver:
            return nil
        case .fail(let error):
            throw error.concerning(request)
        }
    }

    /// Refreshes the credential of a refused request that cannot be sent again.
    private func refreshForLaterRequests(
        _ used: State.Snapshot, _ principal: Principal?, _ next: InterceptorChain
    ) {
        let step = table.withLock { $0[principal].recordRefusal(of: used) }
        if case .wait(let refresh, isNew: true) = step { start(refresh, for: principal, next) }
    }

    private func wait(
        for refresh: State.Refresh, isNew: Bool, _ request: TransportRequest,
        _ next: InterceptorChain
    ) async throws -> State.Snapshot {
        if isNew { start(refresh, for: request.principal, next) }
        do {
            return try await withinDeadline(of: request, next) {
                try await refresh.outcome.value()
            }
        } catch let error as TransportError {
            throw error.concerning(request)
        }
    }

    /// Runs a refresh in a task of its own.
    private func start(
        _ refresh: State.Refresh, for principal: Principal?, _ next: InterceptorChain
    ) {
        let work = Task {
            let result: Result<(any RequestCredential)?, TransportError>
            do {
                let credential = try await AuthorizationRefresh.$interceptor.withValue(
                    ObjectIdentifier(self)
                ) {
                    try await authorizer.credential(
                        after: refresh.previous as? Source.Credential, for: principal,
                        through: next)
                }
                result = .success(credential)
            } catch {
                result = .failure(
                    TransportError(
                        .authorizationFailed, stage: .preparing,
                        reason: "no credential available", underlying: error))
            }
            finish(refresh, for: principal, result)
        }
        let clock = next.clock
        let limit = configuration.refreshTimeout
        let timer = Task {
            try await clock.sleep(until: clock.now + limit)
            finish(
                refresh, for: principal,
                .failure(
                    TransportError(
                        .authorizationFailed, stage: .preparing,
                        reason: "no credential within \(limit.roundedText)")))
            work.cancel()
        }
        Task {
            await work.value
            timer.cancel()
        }
    }

    private func finish(
        _ refresh: State.Refresh, for principal: Principal?,
        _ result: Result<(any RequestCredential)?, TransportError>
    ) {
        let outcome = table.withLock { table in
            let generation = table.nextGeneration()
            return table[principal].finish(refresh, result, generation: generation)
        }
        if let outcome { refresh.outcome.finish(outcome.mapError { $0 }) }
    }

    /// Runs an operation until the deadline of a request.
    private func withinDeadline(
        of request: TransportRequest, _ next: InterceptorChain,
        _ operation: @escaping @Sendable () async throws -> State.Snapshot
    ) async throws -> State.Snapshot {
        guard let deadline = request.deadline else { return try await operation() }
        let clock = next.clock
        return try await withThrowingTaskGroup(of: State.Snapshot.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await clock.sleep(until: deadline)
                throw TransportError(
                    .timedOut, stage: .preparing, reason: "no credential before the deadline")
            }
            defer { group.cancelAll() }
            guard let snapshot = try await group.next() else { throw CancellationError() }
            return snapshot
        }
    }
}

/// The configuration of an ``AuthorizationInterceptor``.
public struct AuthorizationConfiguration: Sendable {
    /// The origins that may receive credentials; `nil`, the default, stands for the origin of the
    /// client's base URL.
    public var origins: Set<HTTPOrigin>?

    /// Returns a Boolean value that indicates whether a response refuses the credential; `true` for
    /// status 401 by default.
    public var isRefusal: @Sendable (TransportResponse) -> Bool = { $0.status.code == 401 }

    /// The time before its expiry at which a credential is refreshed; 30 s by default.
    public var leeway: Duration = .seconds(30)

    /// The maximum time of one refresh; 60 s by default.
    public var refreshTimeout: Duration = .seconds(60)

    /// Creates a configuration with the documented defaults.
    public init() {}

    func covers(_ url: HTTPURL, under baseURL: HTTPURL) -> Bool {
        guard let origins else { return url.hasSameOrigin(as: baseURL) }
        return origins.contains(url.origin)
    }
}
