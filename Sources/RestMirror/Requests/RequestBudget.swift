// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDefinition
import RestTransport

/// The budget of the requests of a mirror, whose host it shares with others.
struct RequestBudget: Sendable {
    private let definition: BudgetDefinition
    private let host: HostRequests
    private let clock: any TransportClock

    private static let remainingNames = ["X-RateLimit-Remaining", "RateLimit-Remaining"]

    init(_ definition: BudgetDefinition, of host: HostRequests, clock: any TransportClock) {
        self.definition = definition
        self.host = host
        self.clock = clock
    }

    /// The longest wait for a server or a window.
    var maximumWait: Duration { definition.maximumWait ?? .seconds(900) }

    /// The number of requests that the server has left; `nil` if it does not say it.
    var remaining: Int? { get async { await host.remaining } }

    /// Takes a request from the budget.
    ///
    /// - Returns: The time to wait before the request can be taken; `nil` if it has been taken.
    func take() async -> Duration? { await host.take(within: definition.windows, at: clock.now) }

    /// Notes what a response says about the budget.
    func note(_ head: HTTPResponse) async {
        let fields = head.headerFields
        let names = definition.remainingField.map { [$0] } ?? Self.remainingNames
        let text = names.lazy.compactMap { HTTPField.Name($0).flatMap { fields[$0] } }.first
        guard let text, let count = Int(text.prefix { $0 != ";" && $0 != "," }) else { return }
        await host.note(remaining: count)
        if count <= 0, let delay = reset(fields) { await block(for: delay) }
    }

    /// Refuses requests for a time.
    func block(for delay: Duration) async { await host.block(until: clock.now + delay) }

    /// Returns the time until the server accepts requests again; `nil` if it says none.
    func reset(_ fields: HTTPFields) -> Duration? {
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
