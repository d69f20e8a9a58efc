// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is known of one principal's credential, and what requests do about it.
///
/// A state machine without effects: ``AuthorizationInterceptor`` asks it under a lock and acts
/// outside.
struct CredentialState: Sendable {
    /// A credential as one request took it.
    struct Holding: Sendable {
        var credential: (any RequestCredential)?
        /// Which credential it is; grows with each one.
        var generation: Int
        /// How many refreshes had come to an end when it was taken.
        var endingCount: Int
    }

    /// The work of getting a credential, which all share who need one.
    final class Refresh: Sendable {
        let outcome = SharedOutcome<Holding>()
        let previous: (any RequestCredential)?

        init(previous: (any RequestCredential)?) {
            self.previous = previous
        }
    }

    /// What a request does before it is sent.
    enum Step {
        /// It goes on with what it holds, which may be nothing.
        case proceed(Holding)
        /// It goes on, and somebody has to do the work meanwhile.
        case proceedAndRefresh(Holding, Refresh)
        /// It waits for the work, which is still to be begun when it is new.
        case wait(Refresh, isNew: Bool)
    }

    /// What a request does after it was refused.
    enum RefusalStep {
        /// It is sent again with what has taken the place of the refused credential.
        case replay(Holding)
        /// It waits for the work, which is still to be begun when it is new.
        case wait(Refresh, isNew: Bool)
        /// It gives the server's refusal back.
        case deliver
        /// It fails as all of those failed that waited with it.
        case fail(TransportError)
    }

    private enum Ending {
        case none
        case declined
        case failed(TransportError)
    }

    private var credential: (any RequestCredential)?
    private var generation = 0
    private var isRefused = false
    private var hasTriedAhead = false
    private var endingCount = 0
    private var lastEnding = Ending.none
    private var refresh: Refresh?

    var isIdleAndEmpty: Bool { credential == nil && refresh == nil }

    var current: (any RequestCredential)? { credential }

    private var holding: Holding {
        Holding(credential: credential, generation: generation, endingCount: endingCount)
    }

    /// What a request does before it is sent.
    mutating func begin(date: @autoclosure () -> Date, leeway: Duration) -> Step {
        guard let credential, !isRefused else { return wait() }
        guard let expiry = credential.expiry else { return .proceed(holding) }
        let rest = expiry.timeIntervalSince(date())
        if rest <= 0 { return wait() }
        if rest <= leeway / .seconds(1), refresh == nil, !hasTriedAhead {
            hasTriedAhead = true
            let refresh = Refresh(previous: credential)
            self.refresh = refresh
            return .proceedAndRefresh(holding, refresh)
        }
        return .proceed(holding)
    }

    /// What a request does when the server has refused what it held.
    mutating func refused(_ held: Holding) -> RefusalStep {
        if generation != held.generation {
            return credential == nil ? .deliver : .replay(holding)
        }
        isRefused = true
        if refresh == nil, endingCount != held.endingCount {
            switch lastEnding {
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

    /// Takes the result of a refresh.
    ///
    /// - Returns: What those who wait go on with, or `nil` when the refresh is not wanted any more.
    mutating func finish(
        _ refresh: Refresh, _ result: Result<(any RequestCredential)?, TransportError>,
        generation: Int
    ) -> Result<Holding, TransportError>? {
        guard self.refresh === refresh else { return nil }
        self.refresh = nil
        endingCount += 1
        switch result {
        case .success(let renewed?):
            install(renewed, generation: generation)
        case .success(nil):
            lastEnding = .declined
            isRefused = false
        case .failure(let error):
            lastEnding = .failed(error)
            return .failure(error)
        }
        return .success(holding)
    }

    /// Takes a credential from the application, or takes it away.
    ///
    /// - Returns: The refresh that is not wanted any more, and what those who wait go on with.
    mutating func set(
        _ credential: (any RequestCredential)?, generation: Int
    ) -> (refresh: Refresh, holding: Holding)? {
        install(credential, generation: generation)
        guard let refresh else { return nil }
        self.refresh = nil
        endingCount += 1
        return (refresh, holding)
    }

    private mutating func install(_ credential: (any RequestCredential)?, generation: Int) {
        self.credential = credential
        self.generation = generation
        isRefused = false
        hasTriedAhead = false
        lastEnding = .none
    }
}

/// What is known of the credentials of all principals.
struct CredentialTable: Sendable {
    private var lastGeneration = 0
    private var stateOfNobody = CredentialState()
    private var states: [Principal: CredentialState] = [:]

    /// A number that no credential has had.
    mutating func nextGeneration() -> Int {
        lastGeneration += 1
        return lastGeneration
    }

    /// What is known of a principal's credential; principals without any are not remembered.
    subscript(principal: Principal?) -> CredentialState {
        get {
            guard let principal else { return stateOfNobody }
            return states[principal] ?? CredentialState()
        }
        set {
            if let principal {
                states[principal] = newValue.isIdleAndEmpty ? nil : newValue
            } else {
                stateOfNobody = newValue
            }
        }
    }
}
