// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDefinition
import RestTransport

/// The budget of requests to a host.
///
/// An actor, so that all lists that are read at the same time share its windows.
actor RequestBudget {
    private let definition: BudgetDefinition
    private let clock: any TransportClock
    /// The times of the last requests, oldest first.
    private var times: [ContinuousClock.Instant] = []
    /// The time before which the server refuses requests.
    private var blockedUntil: ContinuousClock.Instant?
    /// The number of requests that the server has left.
    private(set) var remaining: Int?

    private static let remainingNames = ["X-RateLimit-Remaining", "RateLimit-Remaining"]

    init(_ definition: BudgetDefinition, clock: any TransportClock) {
        self.definition = definition
        self.clock = clock
    }

    /// The longest wait for a server or a window.
    nonisolated var maximumWait: Duration { definition.maximumWait ?? .seconds(900) }

    /// Takes a request from the budget.
    ///
    /// - Returns: The time to wait before the request can be taken; `nil` if it has been taken.
    func take() -> Duration? {
        let now = clock.now
        if let until = blockedUntil {
            if until > now { return until - now }
            blockedUntil = nil
        }
        let longest = definition.windows.map(\.requestCount).max() ?? 0
        for window in definition.windows where times.count >= window.requestCount {
            let free = times[times.count - window.requestCount] + window.duration
            if free > now { return free - now }
        }
        if longest > 0 {
            times.append(now)
            if times.count > 2 * longest { times.removeFirst(times.count - longest) }
        }
        return nil
    }

    /// Notes what a response says about the budget.
    func note(_ head: HTTPResponse) {
        let fields = head.headerFields
        let names = definition.remainingField.map { [$0] } ?? Self.remainingNames
        let text = names.lazy.compactMap { HTTPField.Name($0).flatMap { fields[$0] } }.first
        guard let text, let count = Int(text.prefix { $0 != ";" && $0 != "," }) else { return }
        remaining = count
        if count <= 0, let delay = reset(fields) { block(for: delay) }
    }

    /// Refuses requests for a time.
    func block(for delay: Duration) {
        let until = clock.now + delay
        blockedUntil = blockedUntil.map { max($0, until) } ?? until
    }

    /// Returns the time until the server accepts requests again; `nil` if it says none.
    nonisolated func reset(_ fields: HTTPFields) -> Duration? {
        guard let name = definition.resetField.flatMap({ HTTPField.Name($0) }),
            let text = fields[name]
        else { return RetryAfter.delay(in: fields, date: clock.date) }
        switch definition.resetFormat {
        case .seconds: return Double(text).map { .seconds(max(0, $0)) }
        case .unix:
            return Double(text).map { .seconds(max(0, $0 - clock.date.timeIntervalSince1970)) }
        case .date:
            let seconds = CursorValue.seconds(of: text)
            return seconds.map { .seconds(max(0, $0 - clock.date.timeIntervalSince1970)) }
        }
    }
}
