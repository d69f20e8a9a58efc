// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestDefinition
import RestKit
import RestMirror
import RestTesting
import Synchronization

/// A directory with the file of a mirror, which is removed with the value.
final class MirrorFile: Sendable {
    let url: URL
    private let directory: URL
    let clock = ImmediateClock()
    /// Ports are used again, and by other clocks.
    let budgets = RequestBudgets()

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "mirror-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        url = directory.appending(path: "mirror.db")
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Runs a definition once, as a process does.
    ///
    /// The clock and the budgets are those of this file by default, and the secrets are those of the environment.
    @discardableResult
    func run(
        _ definition: Definition, environment: [String: String] = [:],
        secrets: SecretReader? = nil, clock: (any TransportClock)? = nil,
        paginations: [String: MirrorPagination] = [:], budgets: RequestBudgets? = nil,
        limit: RequestLimit? = nil,
        reporting report: @escaping @Sendable (MirrorEvent) -> Void = { _ in }
    ) async throws -> MirrorSummary {
        let mirror = try await APIMirror(
            definition, at: url, over: CurlTransport(),
            secrets: secrets ?? SecretReader(environment: environment),
            clock: clock ?? self.clock, paginations: paginations, budgets: budgets ?? self.budgets)
        defer { try? mirror.close() }
        return try await mirror.run(limit: limit, reporting: report)
    }

    /// Returns the values of a query, each row as text with bars.
    func rows(_ sql: String) throws -> [String] {
        try DatabaseQueue(path: url.path(percentEncoded: false)).read { database in
            try Row.fetchAll(database, sql: sql).map { row in
                row.databaseValues.map { value in
                    switch value.storage {
                    case .null: "NULL"
                    case .int64(let value): String(value)
                    case .double(let value): String(value)
                    case .string(let value): value
                    case .blob(let value): value.base64EncodedString()
                    }
                }.joined(separator: "|")
            }
        }
    }

    func integers(_ sql: String) throws -> [Int] { try rows(sql).compactMap { Int($0) } }

    /// The rows of all tables, those of the state included.
    func content() throws -> [String: [String]] {
        let names = try rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        var content: [String: [String]] = [:]
        for name in names { content[name] = try rows("SELECT * FROM \"\(name)\"") }
        return content
    }
}

/// A clock whose sleepers wake at once, and which then is as late as they would have slept.
final class ImmediateClock: TransportClock {
    private let slept = Mutex(Duration.zero)

    /// The time that sleepers have slept.
    var sleptDuration: Duration { slept.withLock(\.self) }

    var date: Date { Date(timeIntervalSinceNow: sleptDuration / .seconds(1)) }
    var now: ContinuousClock.Instant { .now + sleptDuration }

    func sleep(until instant: ContinuousClock.Instant) async throws {
        try Task.checkCancellation()
        let delay = instant - now
        if delay > .zero { slept.withLock { $0 += delay } }
        await Task.yield()
    }
}

/// Events, in the order of their arrival.
final class EventLog: Sendable {
    private let events = Mutex<[MirrorEvent]>([])

    var all: [MirrorEvent] { events.withLock(\.self) }
    var warnings: [MirrorWarning.Kind] {
        all.compactMap { if case .warning(let warning) = $0 { warning.kind } else { nil } }
    }

    func append(_ event: MirrorEvent) { events.withLock { $0.append(event) } }
}

extension Definition {
    /// The definition of an ``AdversarialAPI``.
    static func items(
        at base: String, by paging: AdversarialAPI.Paging, deletion: DeletionDefinition = .walk,
        cursor: CursorDefinition? = nil
    ) -> Definition {
        let pagination: PaginationDefinition =
            switch paging {
            case .linkHeader: PaginationDefinition(.linkHeader)
            case .pageNumber: PaginationDefinition(.pageNumber(parameter: "page", first: 1))
            case .offset: PaginationDefinition(.offset(parameter: "offset", first: 0))
            case .cursor:
                PaginationDefinition(.cursor(at: .body("next_cursor"), parameter: "cursor"))
            case .lastIdentity:
                PaginationDefinition(
                    .lastIdentity(at: "id", parameter: "starting_after"),
                    hasMore: .body("has_more"))
            }
        return Definition(
            api: APIDefinition(base: base),
            resources: [
                ResourceDefinition(
                    name: "items", path: Template(text: "items"), pagination: pagination,
                    records: RecordsDefinition(path: "items"), cursor: cursor, deletion: deletion,
                    entity: .one("Item"))
            ],
            entities: [
                EntityDefinition(
                    name: "Item", identity: ["id"],
                    attributes: [
                        AttributeDefinition("id", .integer), AttributeDefinition("name", .text),
                        AttributeDefinition("updated", .integer),
                    ])
            ])
    }
}
