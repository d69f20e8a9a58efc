// SPDX-License-Identifier: Apache-2.0

public import Foundation
import GRDB
public import RestRows

/// A query of the file of a mirror, which cannot write.
public struct MirrorQuery: Sendable {
    /// The file.
    public let url: URL
    /// The statement.
    public let sql: String

    /// Creates a query.
    public init(_ sql: String, of url: URL) {
        self.sql = sql
        self.url = url
    }

    /// Calls a closure with each row.
    ///
    /// - Parameter body: A closure that receives the names of the columns and the values of a row. Values are
    ///   those of the columns.
    /// - Returns: The names of the columns.
    /// - Throws: ``MirrorError`` with code `storeFailed` and the message of SQLite, or `notAMirror`.
    @discardableResult
    public func run(
        _ body: ([String], [StoredValue]) throws -> Void
    ) throws(MirrorError) -> [String] {
        try DatabaseFile(url).read { database in
            let statement = try database.makeStatement(sql: sql)
            let names = statement.columnNames
            let rows = try Row.fetchCursor(statement)
            while let row = try rows.next() {
                try body(names, row.databaseValues.map { StoredValue($0.storage) })
            }
            return names
        }
    }
}

extension StoredValue {
    fileprivate init(_ storage: DatabaseValue.Storage) {
        switch storage {
        case .null: self = .null
        case .int64(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .text(value)
        case .blob(let value): self = .data(value)
        }
    }
}
