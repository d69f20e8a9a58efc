// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDefinition
import RestPersistence
import RestTransport

/// The budget of the requests of a mirror, whose host it shares with others.
struct RequestBudget: Sendable {
    private let definition: BudgetDefinition
    private let host: HostRequests
    private let clock: any TransportClock
    /// The requests in the file of the mirror; `nil` before there is one.
    private let ledger: BudgetLedger?

    private static let remainingNames = ["X-RateLimit-Remaining", "RateLimit-Remaining"]

    init(
        _ definition: BudgetDefinition, of host: HostRequests, clock: any TransportClock,
        ledger: BudgetLedger? = nil
    ) {
        self.definition = definition
        self.host = host
        self.clock = clock
        self.ledger = ledger
    }

    /// Returns the requests of the budget in the file of a mirror.
    func ledger(in content: StoreContent, at file: String) -> BudgetLedger {
        BudgetLedger(of: host, definition.windows, in: content, at: file, clock: clock)
    }

    /// Returns the budget whose requests a file stores.
    func recorded(in ledger: BudgetLedger) -> RequestBudget {
        RequestBudget(definition, of: host, clock: clock, ledger: ledger)
    }

    /// The longest wait for a server or a window.
    var maximumWait: Duration { definition.maximumWait ?? .seconds(900) }

    /// The number of requests that the server has left; `nil` if it does not say it.
    var remaining: Int? { get async { await host.remaining } }

    /// Takes a request from the budget.
    ///
    /// - Returns: The time to wait before the request can be taken; `nil` if it has been taken.
    /// - Throws: The error of the database that stores the request.
    func take() async throws -> Duration? {
        if let delay = await host.take(within: definition.windows, at: clock.now) { return delay }
        if let ledger {
            try await ledger.take()
        } else {
            await host.noteUnrecorded()
        }
        return nil
    }

    /// Notes what a response says about the budget.
    ///
    /// - Throws: The error of the database that stores it.
    func note(_ head: HTTPResponse) async throws {
        let fields = head.headerFields
        let names = definition.remainingField.map { [$0] } ?? Self.remainingNames
        let text = names.lazy.compactMap { HTTPField.Name($0).flatMap { fields[$0] } }.first
        guard let text, let count = Int(text.prefix { $0 != ";" && $0 != "," }) else { return }
        await host.note(remaining: count)
        if count <= 0, let delay = reset(fields) { try await block(for: delay) }
    }

    /// Refuses requests for a time.
    ///
    /// - Throws: The error of the database that stores it.
    func block(for delay: Duration) async throws {
        await host.block(until: clock.now + delay)
        try await ledger?.block(for: delay)
    }

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
