// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Puts a credential on requests, and gets another one, once for all, when a server refuses it.
///
/// Stands in ``HTTPClient/interceptors``, inside of logging, request ids and joining. Inside of it
/// stand redirects, which take the credential off when they leave the origin, the cache, and, in
/// ``HTTPClient/networkInterceptors``, the repetition of failed exchanges.
///
/// A request gets a credential when it goes to an origin that may have it and has no Authorization
/// field of its own. When the answer is a refusal, the one refresh that is running, or else a new
/// one, is waited for; then the request is sent once more, and that answer is final. A request whose
/// credential has been replaced meanwhile is sent once more without a refresh. One whose body cannot
/// be sent again gets the refusal, and the refresh is for the next. All requests that
/// wait when a refresh fails, and all refused later that were sent before, fail with one error; the
/// next request begins anew. A credential that is about to expire is refreshed while requests go on
/// with it, one that has expired before they go out.
///
/// One interceptor holds a credential for each principal. A class, so that copies of a client share
/// it.
public final class AuthorizationInterceptor<Source: Authorizer>: HTTPInterceptor {
    private typealias State = CredentialState

    private let authorizer: Source
    private let configuration: AuthorizationConfiguration
    private let table = Mutex(CredentialTable())

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - authorizer: Where credentials come from.
    ///   - configuration: Where they may go, and when they are refreshed.
    public init(
        _ authorizer: Source,
        configuration: AuthorizationConfiguration = AuthorizationConfiguration()
    ) {
        self.authorizer = authorizer
        self.configuration = configuration
    }

    /// The credential that requests of a principal get at this moment.
    ///
    /// - Parameter principal: Whose requests; those without principal by default.
    /// - Returns: The credential, `nil` when there is none.
    public func credential(for principal: Principal? = nil) -> Source.Credential? {
        table.withLock { $0[principal].current } as? Source.Credential
    }

    /// Gives requests of a principal a credential, as after signing in, or takes it away.
    ///
    /// What waits for a refresh goes on with this credential; what the refresh brings is dropped.
    ///
    /// - Parameters:
    ///   - credential: The credential; `nil` lets the next request ask the authorizer for the first
    ///     one.
    ///   - principal: Whose requests; those without principal by default.
    public func setCredential(
        _ credential: Source.Credential?, for principal: Principal? = nil
    ) {
        let superseded = table.withLock { table in
            let generation = table.nextGeneration()
            return table[principal].set(credential, generation: generation)
        }
        if let superseded { superseded.refresh.outcome.finish(.success(superseded.holding)) }
    }

    /// Sends a request with a credential, and once more with another one.
    public func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        guard configuration.covers(request.url, next),
            !request.headerFields.contains(.authorization),
            AuthorizationRefresh.interceptor != ObjectIdentifier(self)
        else { return try await next.send(request) }
        let held = try await holding(for: request, next)
        guard let credential = held.credential else { return try await next.send(request) }
        var authorized = request
        try credential.authorize(&authorized)
        var response = try await next.send(authorized)
        guard configuration.isRefusal(response), configuration.covers(response.url, next) else {
            return response
        }
        guard request.body.isReplayable else {
            refreshForOthers(held, request.principal, next)
            return response
        }
        // Refused requests must not hold the connections that the refresh needs.
        response.body = try await response.body.gathered(upTo: 64 << 10)
        guard let renewed = try await renewal(of: held, for: request, next),
            let credential = renewed.credential
        else { return response }
        authorized = request
        try credential.authorize(&authorized)
        return try await next.send(authorized)
    }

    /// What a request goes out with.
    private func holding(
        for request: TransportRequest, _ next: InterceptorChain
    ) async throws -> State.Holding {
        let step = table.withLock { table in
            table[request.principal].begin(
                date: next.clock.date, leeway: configuration.leeway)
        }
        switch step {
        case .proceed(let holding):
            return holding
        case .proceedAndRefresh(let holding, let refresh):
            start(refresh, for: request.principal, next)
            return holding
        case .wait(let refresh, let isNew):
            return try await wait(for: refresh, isNew: isNew, request, next)
        }
    }

    /// What a refused request goes out with again; `nil` when its refusal is the answer.
    private func renewal(
        of held: State.Holding, for request: TransportRequest, _ next: InterceptorChain
    ) async throws -> State.Holding? {
        let step = table.withLock { table in
            table[request.principal].refused(held)
        }
        switch step {
        case .replay(let holding):
            return holding
        case .wait(let refresh, let isNew):
            let renewed = try await wait(for: refresh, isNew: isNew, request, next)
            return renewed.generation == held.generation ? nil : renewed
        case .deliver:
            return nil
        case .fail(let error):
            throw error.about(request)
        }
    }

    /// Refreshes what a request was refused with that cannot be sent again itself.
    private func refreshForOthers(
        _ held: State.Holding, _ principal: Principal?, _ next: InterceptorChain
    ) {
        let step = table.withLock { $0[principal].refused(held) }
        if case .wait(let refresh, isNew: true) = step { start(refresh, for: principal, next) }
    }

    private func wait(
        for refresh: State.Refresh, isNew: Bool, _ request: TransportRequest,
        _ next: InterceptorChain
    ) async throws -> State.Holding {
        if isNew { start(refresh, for: request.principal, next) }
        do {
            return try await withinDeadline(of: request, next) {
                try await refresh.outcome.value()
            }
        } catch let error as TransportError {
            throw error.about(request)
        }
    }

    /// Does the work of a refresh in a task of its own.
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
                        reason: "no credential could be had", underlying: error))
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
                        reason: "no credential within \(limit)")))
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

    /// Waits, but not past the request's deadline.
    private func withinDeadline(
        of request: TransportRequest, _ next: InterceptorChain,
        _ work: @escaping @Sendable () async throws -> State.Holding
    ) async throws -> State.Holding {
        guard let deadline = request.deadline else { return try await work() }
        let clock = next.clock
        return try await withThrowingTaskGroup(of: State.Holding.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await clock.sleep(until: deadline)
                throw TransportError(
                    .timedOut, stage: .preparing, reason: "no credential before the deadline")
            }
            defer { group.cancelAll() }
            guard let holding = try await group.next() else { throw CancellationError() }
            return holding
        }
    }
}

/// Where credentials may go, and when they are refreshed.
public struct AuthorizationConfiguration: Sendable {
    /// The origins that may get credentials; `nil`, the default, is the origin of the client's base.
    public var origins: Set<HTTPOrigin>?

    /// Whether a response refuses the credential; status 401 by default.
    public var isRefusal: @Sendable (TransportResponse) -> Bool = { $0.status.code == 401 }

    /// How long before its expiry a credential is refreshed; 30 s by default.
    public var leeway: Duration = .seconds(30)

    /// Wall-clock limit for one refresh; 60 s by default.
    public var refreshTimeout: Duration = .seconds(60)

    /// Makes a configuration with the documented defaults.
    public init() {}

    func covers(_ url: HTTPURL, _ next: InterceptorChain) -> Bool {
        guard let origins else { return url.hasSameOrigin(as: next.baseURL) }
        return origins.contains(url.origin)
    }
}

/// Marks the tasks that get a credential.
private enum AuthorizationRefresh {
    /// The interceptor whose authorizer runs; its requests pass without waiting for themselves.
    @TaskLocal static var interceptor: ObjectIdentifier?
}

extension TransportError {
    /// The same error about another request.
    fileprivate func about(_ request: TransportRequest) -> TransportError {
        var error = self
        error.method = request.method.rawValue
        error.url = request.url.redacted
        return error
    }
}
