// SPDX-License-Identifier: Apache-2.0

import Foundation
package import GRDB
import GRDBSQLite

/// A prepared statement that binds and reads values without existential boxes.
///
/// Invariant: `pointer` belongs to `statement`, which this value retains, and is used only inside
/// the GRDB access (`read` or `write`) in which the statement was prepared, and therefore on the
/// thread of its connection. SQLite copies bound values, so no Swift buffer is used after its call.
@safe
package struct PreparedStatement: ~Copyable {
    private let statement: Statement
    private let connection: OpaquePointer?
    private let pointer: OpaquePointer

    /// Creates a statement from the connection's cache, or prepares it.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - database: The connection.
    ///   - isCached: `false` to prepare the statement in any case.
    /// - Throws: ``PersistenceError`` of the database.
    package init(
        _ sql: String, in database: Database, isCached: Bool = true
    ) throws(PersistenceError) {
        do {
            statement =
                isCached
                ? try database.cachedStatement(sql: sql) : try database.makeStatement(sql: sql)
        } catch {
            throw PersistenceError(wrapping: error)
        }
        unsafe connection = database.sqliteConnection
        unsafe pointer = statement.sqliteStatement
        unsafe sqlite3_reset(pointer)
    }

    deinit {
        unsafe sqlite3_reset(pointer)
        unsafe sqlite3_clear_bindings(pointer)
    }

    /// The number of parameters.
    var parameterCount: Int { unsafe Int(sqlite3_bind_parameter_count(pointer)) }

    /// Binds values to consecutive parameters; indices start at 1.
    func bind(_ values: ArraySlice<StoredValue>, from first: Int) throws(PersistenceError) {
        var index = first
        for value in values {
            try bind(value, at: index)
            index += 1
        }
    }

    /// Binds a value to a parameter; indices start at 1.
    package func bind(_ value: StoredValue, at index: Int) throws(PersistenceError) {
        let index = Int32(index)
        let code: Int32
        switch value {
        case .null: code = unsafe sqlite3_bind_null(pointer, index)
        case .integer(let value): code = unsafe sqlite3_bind_int64(pointer, index, value)
        case .double(let value): code = unsafe sqlite3_bind_double(pointer, index, value)
        case .text(var value):
            code = value.withUTF8 { bytes in
                guard let start = bytes.baseAddress, bytes.count > 0 else {
                    return unsafe sqlite3_bind_text(pointer, index, "", 0, copyingDestructor)
                }
                // Invariant: both types are one byte.
                return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    unsafe sqlite3_bind_text64(
                        pointer, index, $0, UInt64(bytes.count), copyingDestructor,
                        UInt8(SQLITE_UTF8))
                }
            }
        case .data(let value):
            code = unsafe value.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, bytes.count > 0 else {
                    return unsafe sqlite3_bind_zeroblob(pointer, index, 0)
                }
                return unsafe sqlite3_bind_blob64(
                    pointer, index, start, UInt64(bytes.count), copyingDestructor)
            }
        }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Binds the rows of a batch to a parameter; indices start at 1.
    ///
    /// The caller keeps the table alive as long as the statement.
    func bind(_ table: BatchTable, at index: Int) throws(PersistenceError) {
        let code = unsafe BatchModule.bind(table, to: pointer, at: Int32(index))
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Runs a statement without result rows and resets it.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    package func run() throws(PersistenceError) -> Int {
        let code = unsafe sqlite3_step(pointer)
        guard code == SQLITE_DONE || code == SQLITE_ROW else {
            let error = failure(code)
            unsafe sqlite3_reset(pointer)
            throw error
        }
        let changes = unsafe Int(sqlite3_changes(connection))
        unsafe sqlite3_reset(pointer)
        return changes
    }

    /// Resets the statement, so that it can be bound and run again.
    package func reset() { unsafe sqlite3_reset(pointer) }

    /// Steps to the next row; returns `false` after the last one.
    package func step() throws(PersistenceError) -> Bool {
        switch unsafe sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Returns an integer of the current row.
    package func integer(_ column: Int) -> Int64 {
        unsafe sqlite3_column_int64(pointer, Int32(column))
    }

    /// Returns a value of the current row.
    package func value(_ column: Int) -> StoredValue {
        let column = Int32(column)
        switch unsafe sqlite3_column_type(pointer, column) {
        case SQLITE_INTEGER: return unsafe .integer(sqlite3_column_int64(pointer, column))
        case SQLITE_FLOAT: return unsafe .double(sqlite3_column_double(pointer, column))
        case SQLITE_TEXT:
            guard let start = unsafe sqlite3_column_text(pointer, column) else { return .text("") }
            let count = unsafe Int(sqlite3_column_bytes(pointer, column))
            return unsafe .text(
                String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            guard let start = unsafe sqlite3_column_blob(pointer, column) else {
                return .data(Data())
            }
            let count = unsafe Int(sqlite3_column_bytes(pointer, column))
            return unsafe .data(Data(bytes: start, count: count))
        default: return .null
        }
    }

    /// Returns a Boolean value that indicates whether a value of the current row equals another one.
    ///
    /// Text and binary data are compared in the memory of SQLite and not copied.
    package func value(_ column: Int, equals value: StoredValue) -> Bool {
        let column = Int32(column)
        let type = unsafe sqlite3_column_type(pointer, column)
        switch value {
        case .null: return type == SQLITE_NULL
        case .integer(let value):
            return unsafe type == SQLITE_INTEGER && sqlite3_column_int64(pointer, column) == value
        case .double(let value):
            return unsafe type == SQLITE_FLOAT && sqlite3_column_double(pointer, column) == value
        case .text(var value):
            guard type == SQLITE_TEXT, let start = unsafe sqlite3_column_text(pointer, column)
            else { return false }
            let count = unsafe Int(sqlite3_column_bytes(pointer, column))
            return value.withUTF8 { bytes in
                guard let other = bytes.baseAddress, count > 0 else { return bytes.count == count }
                return unsafe bytes.count == count && memcmp(start, other, count) == 0
            }
        case .data(let value):
            guard type == SQLITE_BLOB else { return false }
            let count = unsafe Int(sqlite3_column_bytes(pointer, column))
            guard value.count == count else { return false }
            guard let start = unsafe sqlite3_column_blob(pointer, column), count > 0 else {
                return true
            }
            return unsafe value.withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe memcmp(start, $0, count) == 0 } ?? false
            }
        }
    }

    private func failure(_ code: Int32) -> PersistenceError {
        let extended = unsafe sqlite3_extended_errcode(connection)
        let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) }
        return PersistenceError(
            resultCode: extended == SQLITE_OK ? code : extended, message: message)
    }
}

/// `SQLITE_TRANSIENT`, with which SQLite copies values; a cast of -1 in C.
var copyingDestructor: sqlite3_destructor_type {
    // Invariant: SQLite compares the value with -1 and does not call it.
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
