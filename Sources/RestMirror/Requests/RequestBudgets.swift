// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestTransport
import Synchronization

/// The requests to hosts, which the mirrors of a process share.
///
/// Two mirrors of one host, or of definitions that name the same `shared` budget, obey their windows together, and
/// both wait when the server refuses one of them. A class, so that mirrors share it.
public final class RequestBudgets: Sendable {
    /// The budgets of all mirrors of the process that have no others.
    public static let process = RequestBudgets()

    private let hosts = Mutex<[String: HostRequests]>([:])

    /// The number of hosts whose requests are remembered.
    private static let maximumHostCount = 1_000

    /// Creates budgets without requests.
    public init() {}

    /// Returns the budget of an API.
    func budget(
        of api: APIDefinition, at base: HTTPURL, clock: any TransportClock
    ) -> RequestBudget {
        let name = api.budget.sharedName.map { "name " + $0 } ?? base.origin.description
        let host = hosts.withLock { hosts in
            if let known = hosts[name] { return known }
            if hosts.count >= Self.maximumHostCount { hosts = [:] }
            let new = HostRequests(name)
            hosts[name] = new
            return new
        }
        return RequestBudget(api.budget, of: host, clock: clock)
    }
}

/// The requests to a host.
///
/// An actor, so that all lists that are read at the same time share the windows.
actor HostRequests {
    /// The name of the budget: the host, or the name that definitions share.
    nonisolated let name: String
    /// The text by which files tell these requests from those of other processes.
    nonisolated let process = UUID().uuidString
    /// The times of the last requests, oldest first.
    private var times: [ContinuousClock.Instant] = []
    /// The number of requests that the largest window needs.
    private var longest = 0
    /// The time before which the server refuses requests.
    private var blockedUntil: ContinuousClock.Instant?
    /// The number of requests that the server has left.
    private(set) var remaining: Int?
    /// The number of requests that no file has stored.
    private var unrecorded = 0
    /// The time in seconds since 1970 until which the requests of other processes are known, by the path of the file.
    private var readingDates: [String: Double] = [:]

    init(_ name: String) { self.name = name }

    /// Takes a request.
    ///
    /// - Returns: The time to wait before the request can be taken; `nil` if it has been taken.
    func take(
        within windows: [BudgetDefinition.Window], at now: ContinuousClock.Instant
    ) -> Duration? {
        if let until = blockedUntil {
            if until > now { return until - now }
            blockedUntil = nil
        }
        for window in windows {
            longest = max(longest, window.requestCount)
            guard times.count >= window.requestCount else { continue }
            let free = times[times.count - window.requestCount] + window.duration
            if free > now { return free - now }
        }
        if longest > 0 {
            times.append(now)
            if times.count > 2 * longest { times.removeFirst(times.count - longest) }
        }
        return nil
    }

    /// Adds the requests of other processes.
    ///
    /// - Parameters:
    ///   - others: Their times and numbers.
    ///   - file: The path of the file that has them.
    ///   - date: The time in seconds since 1970 until which the file was read.
    func add(
        _ others: [(time: ContinuousClock.Instant, count: Int)], of file: String, until date: Double
    ) {
        readingDates[file] = date
        if others.isEmpty { return }
        times += others.flatMap { Array(repeating: $0.time, count: $0.count) }
        times.sort()
    }

    /// Returns the time in seconds since 1970 until which the requests in a file are known.
    func readingDate(of file: String) -> Double { readingDates[file] ?? -.infinity }

    /// Notes a request that no file has stored.
    func noteUnrecorded() { unrecorded += 1 }

    /// Returns the number of requests that no file has stored, and that one now stores.
    func takeUnrecorded() -> Int {
        defer { unrecorded = 0 }
        return unrecorded
    }

    /// Notes the number of requests that the server has left.
    func note(remaining count: Int) { remaining = count }

    /// Refuses requests until a time.
    func block(until instant: ContinuousClock.Instant) {
        blockedUntil = blockedUntil.map { max($0, instant) } ?? instant
    }
}
