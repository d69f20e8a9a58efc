// SPDX-License-Identifier: Apache-2.0

public import Foundation
import GRDB
import RestDefinition
import RestRows

/// The origin of a row of a mirror: the pages that list it, and the responses that wrote its values.
///
/// ```swift
/// let origin = try RowOrigin(of: "Repository", identity: ["44838949"], in: file)
/// print(origin.pages.first?.url ?? "no page lists it")
/// ```
public struct RowOrigin: Sendable, Equatable {
    /// A page of a list that has the row.
    public struct Page: Sendable, Equatable {
        /// The name of the resource.
        public var resource: String
        /// The values of the parents; empty without parents.
        public var parent: String
        /// The number of the page in its list, from 1; `nil` if a walk of changes has found the row.
        public var number: Int?
        /// The URL of the request, without credentials; `nil` for a walk of changes.
        public var url: String?
        /// The run that has read the page.
        public var run: Run?
    }

    /// A run.
    public struct Run: Sendable, Equatable {
        /// The number of the run in its file.
        public var number: Int64
        /// The time at which it began.
        public var start: Date
    }

    /// A response that has written values.
    public struct Write: Sendable, Equatable {
        /// The method of the request; `nil` for a change that no response made.
        public var method: String?
        /// The URL of the request, without credentials.
        public var url: String?
        /// The status code of the response.
        public var status: Int?
        /// The time of the response.
        public var date: Date
        /// The run that has received it.
        public var run: Run?
    }

    /// The name of the entity.
    public let entity: String
    /// The key of the row in its table.
    public let key: Int64
    /// The names and values of the identity.
    public let identity: [(name: String, value: String)]
    /// The pages that list the row; a row that is only a part of other records is in none.
    public let pages: [Page]
    /// The response that has inserted the row; `nil` if the runs of the file do not record it.
    public let insertion: Write?
    /// The responses that have changed properties since, by their names.
    public let changes: [String: Write]

    /// Compares all parts.
    public static func == (left: RowOrigin, right: RowOrigin) -> Bool {
        left.entity == right.entity && left.key == right.key && left.pages == right.pages
            && left.insertion == right.insertion && left.changes == right.changes
            && left.identity.elementsEqual(right.identity) { $0 == $1 }
    }

    /// Finds a row by its identity.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - identity: The values of the identity in the order of the definition, as text.
    ///   - url: The file, which a run can write at the same time.
    /// - Throws: ``MirrorError`` with code `notAMirror`, `rowNotFound` or `storeFailed`.
    /// - Complexity: O(*n*) in the number of pages of the resources with the entity.
    public init(of entity: String, identity: [String], in url: URL) throws(MirrorError) {
        self = try DatabaseFile(url).read { database in
            guard let definition = try MirrorStatus.definition(MirrorTables(database: database))
            else {
                throw MirrorError(
                    .notAMirror, details: ["\(url.lastPathComponent) has no definition of a mirror"]
                )
            }
            return try RowOrigin(of: entity, identity, definition, database)
        }
    }

    private init(
        of name: String, _ values: [String], _ definition: Definition, _ database: Database
    ) throws {
        guard let entity = definition.entity(named: name) else {
            let names = definition.entities.map(\.name).joined(separator: ", ")
            throw MirrorError(
                .rowNotFound, details: ["there is no entity \(name); write one of \(names)"])
        }
        let columns = entity.identity.map { column in
            guard let relation = entity.relation(named: column),
                entity.attribute(named: column) == nil,
                let key = definition.entity(named: relation.entity)?.identity.first
            else { return column }
            return column + "_" + (relation.attribute ?? key)
        }
        guard !columns.isEmpty, columns.count == values.count else {
            throw MirrorError(
                .rowNotFound,
                details: [
                    columns.isEmpty
                        ? "nothing identifies the rows of \(name)"
                        : "rows of \(name) have the identity \(columns.joined(separator: ", ")): write "
                            + "\(columns.count) values"
                ])
        }
        func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
        let condition = columns.map { "CAST(\(quoted($0)) AS TEXT) = ? COLLATE NOCASE" }
        let keys = try Int64.fetchAll(
            database,
            sql: "SELECT restkit_key FROM \(quoted(name)) WHERE "
                + condition.joined(separator: " AND ") + " LIMIT 2",
            arguments: StatementArguments(values))
        guard let key = keys.first else {
            throw MirrorError(
                .rowNotFound, details: ["\(name) has no row with this identity"])
        }
        let runs = try RunTimes(database)
        self.entity = name
        self.key = key
        self.identity = Array(zip(columns, values)).map { (name: $0.0, value: $0.1) }
        pages = try Self.pages(of: key, name, definition, runs, database)
        (insertion, changes) = try Self.writes(of: key, name, runs, database)
    }

    private static func pages(
        of key: Int64, _ entity: String, _ definition: Definition, _ runs: RunTimes,
        _ database: Database
    ) throws -> [Page] {
        var pages: [Page] = []
        for resource in definition.resources where resource.entity.names.contains(entity) {
            let rows = try Row.fetchCursor(
                database,
                sql:
                    "SELECT l.parent, p.page, p.run, \(MirrorTables.pageColumns) "
                    + "FROM \(MirrorTables.lists) AS l JOIN \(MirrorTables.pages) AS p ON p.list = l.id "
                    + "WHERE l.\(MirrorTables.isOfResource) ORDER BY p.list, p.page",
                arguments: [resource.name])
            while let row = try rows.next() {
                guard KeyList.decode(row["keys"] as Data).contains(key) else { continue }
                let number: Int = row["page"]
                pages.append(
                    Page(
                        resource: resource.name, parent: row["parent"],
                        number: number < 0 ? nil : number + 1,
                        url: number < 0 ? nil : StoredListPage(row)?.url,
                        run: runs.run(numbered: row["run"])))
            }
        }
        return pages
    }

    private static func writes(
        of key: Int64, _ entity: String, _ runs: RunTimes, _ database: Database
    ) throws -> (Write?, [String: Write]) {
        let (insertion, changes) = try ExplanationTable(database: database).writes(
            ofRow: key, entity)
        func origin(_ write: RowExplanation.Write) -> Write {
            Write(
                method: write.response?.method, url: write.response?.url,
                status: write.response?.status, date: write.date, run: runs.run(at: write.date))
        }
        return (insertion.map(origin), changes.mapValues(origin))
    }
}

/// The times of the runs of a file.
private struct RunTimes {
    private var runs: [(run: RowOrigin.Run, end: Date?)] = []

    init(_ database: Database) throws {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT id, started_at, finished_at FROM \(MirrorTables.runs) ORDER BY id")
        runs = rows.map { row in
            (
                RowOrigin.Run(
                    number: row["id"], start: Date(timeIntervalSince1970: row["started_at"])),
                (row["finished_at"] as Double?).map { Date(timeIntervalSince1970: $0) }
            )
        }
    }

    func run(numbered number: Int64) -> RowOrigin.Run? {
        runs.first { $0.run.number == number }?.run
    }

    func run(at date: Date) -> RowOrigin.Run? {
        runs.last { $0.run.start <= date && date <= $0.end ?? .distantFuture }?.run
    }
}
