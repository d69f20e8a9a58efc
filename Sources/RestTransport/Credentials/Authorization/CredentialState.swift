// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The state of one principal's credential.
///
/// A state machine without side effects: ``AuthorizationInterceptor`` calls it under a lock and
/// acts after unlocking.
struct CredentialState: Sendable {
    /// The credential at the time of one request.
    struct Snapshot: Sendable {
        var credential: (any RequestCredential)?
        /// The sequence number of the credential.
        var generation: Int
        /// The number of refreshes that had ended.
        var finishedCount: Int
    }

    /// A refresh, shared by all requests that wait for it.
    final class Refresh: Sendable {
        let outcome = SharedOutcome<Snapshot>()
        let previous: (any RequestCredential)?

        init(previous: (any RequestCredential)?) {
            self.previous = previous
        }
    }

    /// The step of a request before it is sent.
    enum Step {
        /// The request is sent with the credential, if there is one.
        case proceed(Snapshot)
        /// The request is sent with the credential, and a refresh is started.
        case proceedAndRefresh(Snapshot, Refresh)
        /// The request waits for a refresh, and starts it if it is new.
        case wait(Refresh, isNew: Bool)
    }

    /// The step of a request after a refusal.
    enum RefusalStep {
        /// The request is sent again with the credential that replaced the refused one.
        case resend(Snapshot)
        /// The request waits for a refresh, and starts it if it is new.
        case wait(Refresh, isNew: Bool)
        /// The refusal is returned.
        case deliver
        /// The request fails with the error of the refresh.
        case fail(TransportError)
    }

    private enum Completion {
        case none
        case declined
        case failed(TransportError)
    }

    private var credential: (any RequestCredential)?
    private var generation = 0
    private var isRefused = false
    private var hasRefreshedEarly = false
    private var finishedCount = 0
    private var lastCompletion = Completion.none
    private var refresh: Refresh?

    var isIdleAndEmpty: Bool { credential == nil && refresh == nil }

    var current: (any RequestCredential)? { credential }

    private var snapshot: Snapshot {
        Snapshot(credential: credential, generation: generation, finishedCount: finishedCount)
    }

    /// Returns the step of a request before it is sent.
    mutating func begin(date: @autoclosure () -> Date, leeway: Duration) -> Step {
        guard let credential, !isRefused else { return wait() }
        guard let expiry = credential.expiry else { return .proceed(snapshot) }
        let remaining = expiry.timeIntervalSince(date())
        if remaining <= 0 { return wait() }
        if remaining <= leeway / .seconds(1), refresh == nil, !hasRefreshedEarly {
            hasRefreshedEarly = true
            let refresh = Refresh(previous: credential)
            self.refresh = refresh
            return .proceedAndRefresh(snapshot, refresh)
        }
        return .proceed(snapshot)
    }

    /// Records that the server refused a credential, and returns the step of the request.
    mutating func recordRefusal(of used: Snapshot) -> RefusalStep {
        if generation != used.generation {
            return credential == nil ? .deliver : .resend(snapshot)
        }
        isRefused = true
        if refresh == nil, finishedCount != used.finishedCount {
            switch lastCompletion {
            case .failed(let error): return .fail(error)
            case .declined:
                isRefused = false
                return .deliver
            case .none: break
            }
        }
        let (refresh, isNew) = sharedRefresh()
        return .wait(refresh, isNew: isNew)
    }

    private mutating func wait() -> Step {
        let (refresh, isNew) = sharedRefresh()
        return .wait(refresh, isNew: isNew)
    }

    private mutating func sharedRefresh() -> (Refresh, isNew: Bool) {
        if let refresh { return (refresh, false) }
        let refresh = Refresh(previous: credential)
        self.refresh = refresh
        return (refresh, true)
    }

    /// Finishes a refresh.
    ///
    /// - Returns: The result for the waiting requests, or `nil` if the refresh was superseded.
    mutating func finish(
        _ refresh: Refresh, _ result: Result<(any RequestCredential)?, TransportError>,
        generation: Int
    ) -> Result<Snapshot, TransportError>? {
        guard self.refresh === refresh else { return nil }
        self.refresh = nil
        finishedCount += 1
        switch result {
        case .success(let renewed?):
            install(renewed, generation: generation)
        case .success(nil):
            lastCompletion = .declined
            isRefused = false
        case .failure(let error):
            lastCompletion = .failed(error)
            return .failure(error)
        }
        return .success(snapshot)
    }

    /// Sets or removes the credential.
    ///
    /// - Returns: The superseded refresh and the credential for the requests that wait for it;
    ///   `nil` if no refresh was running.
    mutating func set(
        _ credential: (any RequestCredential)?, generation: Int
    ) -> (refresh: Refresh, snapshot: Snapshot)? {
        install(credential, generation: generation)
        guard let refresh else { return nil }
        self.refresh = nil
        finishedCount += 1
        return (refresh, snapshot)
    }

    private mutating func install(_ credential: (any RequestCredential)?, generation: Int) {
        self.credential = credential
        self.generation = generation
        isRefused = false
        hasRefreshedEarly = false
        lastCompletion = .none
    }
}

/// The states of the credentials of all principals.
struct CredentialTable: Sendable {
    private var lastGeneration = 0
    private var stateWithoutPrincipal = CredentialState()
    private var states: [Principal: CredentialState] = [:]

    /// Returns a sequence number that no credential has had.
    mutating func nextGeneration() -> Int {
        lastGeneration += 1
        return lastGeneration
    }

    /// Accesses the state of a principal's credential.
    ///
    /// Empty states are not stored.
    subscript(principal: Principal?) -> CredentialState {
        get {
            guard let principal else { return stateWithoutPrincipal }
            return states[principal] ?? CredentialState()
        }
        set {
            if let principal {
                states[principal] = newValue.isIdleAndEmpty ? nil : newValue
            } else {
                stateWithoutPrincipal = newValue
            }
        }
    }
}
