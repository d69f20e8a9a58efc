// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestPersistence
import RestRows
import RestTransport

/// The requests of a budget in the file of a mirror, which later processes count as well.
///
/// Requests are stored before they are sent, some at a time: a process that is killed has stored each that it has
/// sent, and at most the 64th part of a window more.
///
/// An actor, so that lists that are read at the same time take from one row.
actor BudgetLedger {
    private let host: HostRequests
    private let windows: [BudgetDefinition.Window]
    private let content: StoreContent
    private let clock: any TransportClock
    /// The path of the file.
    private let file: String
    /// The row of the stored requests, not all of which have been sent.
    private var row: Int64?
    /// The number of stored requests that have not been sent.
    private var rest = 0
    private var reservation: Task<Void, any Error>?

    private static let partCount = 64

    init(
        of host: HostRequests, _ windows: [BudgetDefinition.Window], in content: StoreContent,
        at file: String, clock: any TransportClock
    ) {
        self.host = host
        self.windows = windows
        self.content = content
        self.file = file
        self.clock = clock
    }

    /// The number of requests that are stored at a time.
    private var partSize: Int {
        max(1, (windows.map(\.requestCount).min() ?? 0) / Self.partCount)
    }

    /// The length in seconds of the longest window.
    private var length: Double { (windows.map(\.duration).max() ?? .zero) / .seconds(1) }

    /// Reads the requests of other processes, and stores those that were sent before there was a file.
    ///
    /// - Throws: The error of the database.
    func open() async throws {
        let (name, process) = (host.name, host.process)
        let now = clock.date.timeIntervalSince1970
        let after = max(now - length, await host.readingDate(of: file))
        let blockEnd = try await read { try $0.blockEnd(of: name) }
        if let blockEnd, blockEnd > now {
            await host.block(until: clock.now + .seconds(blockEnd - now))
        }
        if windows.isEmpty { return }
        let unrecorded = await host.takeUnrecorded()
        let hasOthers = try await read { tables in
            try !tables.requests(of: name, except: process, after: -.infinity).isEmpty
        }
        guard hasOthers || unrecorded > 0 else { return }
        let length = length
        let others = try await write { tables in
            if unrecorded > 0 {
                _ = try tables.addRequests(
                    unrecorded, of: name, by: process, at: now, isOpen: false)
            }
            try tables.closeAbandonedRequests(of: name, except: process, at: now)
            try tables.removeRequests(of: name, until: now - length)
            return try tables.requests(of: name, except: process, after: after)
        }
        let instant = clock.now
        // A clock that was set back makes no request later than now.
        await host.add(
            others.map { (instant - .seconds(max(0, now - $0.date)), $0.count) }, of: file,
            until: now)
    }

    /// Takes a stored request, which is sent next.
    ///
    /// - Throws: The error of the database.
    func take() async throws {
        if windows.isEmpty { return }
        while rest == 0 {
            let running = reservation ?? Task { try await reserve() }
            reservation = running
            try await running.value
        }
        rest -= 1
    }

    private func reserve() async throws {
        defer { reservation = nil }
        let (name, process, size, sent) = (host.name, host.process, partSize, row)
        let (now, length) = (clock.date.timeIntervalSince1970, length)
        row = try await write { tables in
            if let sent { try tables.closeRequests(sent, count: size, at: now) }
            try tables.removeRequests(of: name, until: now - length)
            return try tables.addRequests(size, of: name, by: process, at: now, isOpen: true)
        }
        rest += size
    }

    /// Stores that the server refuses requests for a time.
    ///
    /// - Throws: The error of the database.
    func block(for delay: Duration) async throws {
        let name = host.name
        let end = clock.date.timeIntervalSince1970 + delay / .seconds(1)
        try await write { try $0.setBlockEnd(end, of: name) }
    }

    /// Stores that no more requests are sent.
    ///
    /// - Throws: The error of the database.
    func close() async throws {
        guard let row else { return }
        let (count, now) = (partSize - rest, clock.date.timeIntervalSince1970)
        self.row = nil
        rest = 0
        try await write { try $0.closeRequests(row, count: count, at: now) }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (MirrorTables) throws -> Value
    ) async throws -> Value {
        try await content.read { context in
            try context.rows.read { try body(MirrorTables(database: $0)) }
        }
    }

    /// Writes also for a cancelled task, whose requests have been sent.
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (MirrorTables) throws -> Value
    ) async throws -> Value {
        let content = content
        return try await Task {
            try await content.write { context in
                try context.rows.read { try body(MirrorTables(database: $0)) }
            }
        }.value
    }
}
