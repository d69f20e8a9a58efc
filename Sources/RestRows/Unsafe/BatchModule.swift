// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite

/// The table-valued function that reads a ``BatchTable``, and the aggregate functions that fill it.
///
/// - `restkit_batch(pointer)`: the rows with the columns `position`, `key` and `value0` to `value125`, which are
///   the values of the identity, or those of a new row.
/// - `restkit_match(pointer, position, key)`: records that a stored row has the identity of a row.
/// - `restkit_compare(pointer, position, value, …)`: compares a row with stored values.
/// - `restkit_member(pointer, position, key, place)`: compares a stored destination with a list.
///
/// They are aggregates, because SQLite calls those for each row, and a condition only as often as it needs.
/// A pointer can only be bound, and never be written in SQL.
///
/// - Source: "The Virtual Table Mechanism Of SQLite", "Pointer Passing Interfaces".
enum BatchModule {
    private static let schema =
        "CREATE TABLE restkit_batch(position, key, "
        + (0..<BatchTable.maximumPassedCount).map { "value\($0)" }.joined(separator: ", ")
        + ", pointer HIDDEN)"
    private static let keyColumn: Int32 = 1
    private static let firstValueColumn: Int32 = 2
    private static let pointerColumn = firstValueColumn + Int32(BatchTable.maximumPassedCount)

    /// The type of bound pointers.
    private static let pointerType: StaticString = "restkit_batch"

    /// Invariant: a static string is constant and ends with a zero byte.
    @safe private static var pointerTypeName: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// Adds the functions to a connection.
    static func add(to database: Database) throws {
        // Invariant: the connection is valid while it is prepared. The module lives as long as the process.
        let connection = unsafe database.sqliteConnection
        try check(
            unsafe sqlite3_create_module_v2(connection, "restkit_batch", module.pointer, nil, nil))
        let options = SQLITE_UTF8 | SQLITE_DIRECTONLY
        try check(
            unsafe sqlite3_create_function_v2(
                connection, "restkit_match", 3, options, nil, nil,
                { _, _, arguments in
                    guard let table = unsafe BatchModule.table(arguments),
                        let arguments = unsafe arguments
                    else { return }
                    unsafe table.match(
                        Int(sqlite3_value_int64(arguments[1])), sqlite3_value_int64(arguments[2]))
                }, { _ in }, nil))
        try check(
            unsafe sqlite3_create_function_v2(
                connection, "restkit_compare", -1, options, nil, nil,
                { context, count, arguments in
                    guard let table = unsafe BatchModule.table(arguments),
                        let arguments = unsafe arguments,
                        count == table.comparedColumns.count + 2
                    else { return unsafe sqlite3_result_error(context, "not a batch", -1) }
                    unsafe table.compare(
                        Int(sqlite3_value_int64(arguments[1])), arguments + 2)
                }, { _ in }, nil))
        try check(
            unsafe sqlite3_create_function_v2(
                connection, "restkit_member", 4, options, nil, nil,
                { _, _, arguments in
                    guard let table = unsafe BatchModule.table(arguments),
                        let arguments = unsafe arguments
                    else { return }
                    let hasPlace = unsafe sqlite3_value_type(arguments[3]) == SQLITE_INTEGER
                    let place = unsafe hasPlace ? sqlite3_value_int64(arguments[3]) : nil
                    unsafe table.compareMember(
                        Int(sqlite3_value_int64(arguments[1])), sqlite3_value_int64(arguments[2]),
                        at: place)
                }, { _ in }, nil))
    }

    private static func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Binds a table to a parameter.
    ///
    /// Invariant: the caller keeps the table alive until the statement is reset.
    static func bind(_ table: BatchTable, to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_pointer(
            statement, index, Unmanaged.passUnretained(table).toOpaque(), pointerTypeName, nil)
    }

    /// Returns the table among the arguments of a function, which the first one points to.
    @inline(__always)
    private static func table(_ arguments: UnsafeMutablePointer<OpaquePointer?>?) -> BatchTable? {
        guard let arguments = unsafe arguments,
            let pointer = unsafe sqlite3_value_pointer(arguments[0], pointerTypeName)
        else { return nil }
        // Invariant: only `bind` creates pointers of this type.
        return unsafe Unmanaged<BatchTable>.fromOpaque(pointer).takeUnretainedValue()
    }

    // MARK: The module

    /// A cursor; SQLite reads its first property.
    ///
    /// Invariant: Swift stores properties in the order of their declaration, so that a pointer to a cursor
    /// is one to its first property.
    @safe private struct Cursor {
        var base = unsafe sqlite3_vtab_cursor()
        var table: Unmanaged<BatchTable>?
        var position = 0
        var count = 0
    }

    /// Invariant: SQLite passes only cursors that `xOpen` has made, until `xClose`.
    @inline(__always)
    private static func cursor(
        _ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?
    ) -> UnsafeMutablePointer<Cursor> {
        guard let pointer = unsafe pointer else { preconditionFailure("SQLite passes no cursor") }
        return unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Cursor.self)
    }

    /// Invariant: the memory is initialized once, never changed and never freed.
    @safe private struct Module: @unchecked Sendable {
        let pointer: UnsafePointer<sqlite3_module>
    }

    private static let module: Module = {
        var module = sqlite3_module()
        unsafe module.xConnect = { connection, _, _, _, table, _ in
            let code = unsafe sqlite3_declare_vtab(connection, schema)
            if code != SQLITE_OK { return code }
            let new = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
            unsafe new.initialize(to: sqlite3_vtab())
            unsafe table?.pointee = new
            return SQLITE_OK
        }
        unsafe module.xDisconnect = { table in
            unsafe table?.deallocate()
            return SQLITE_OK
        }
        unsafe module.xBestIndex = { _, information in
            guard let information = unsafe information else { return SQLITE_ERROR }
            for index in unsafe 0..<Int(information.pointee.nConstraint) {
                let constraint = unsafe information.pointee.aConstraint[index]
                guard constraint.iColumn == pointerColumn, constraint.usable != 0,
                    Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ
                else { continue }
                unsafe information.pointee.aConstraintUsage[index].argvIndex = 1
                unsafe information.pointee.aConstraintUsage[index].omit = 1
                unsafe information.pointee.estimatedCost = 1
                unsafe information.pointee.estimatedRows = 1000
                return SQLITE_OK
            }
            return SQLITE_CONSTRAINT
        }
        unsafe module.xOpen = { _, cursor in
            let new = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            unsafe new.initialize(to: Cursor())
            unsafe cursor?.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(
                to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        unsafe module.xClose = { pointer in
            unsafe BatchModule.cursor(pointer).deallocate()
            return SQLITE_OK
        }
        unsafe module.xFilter = { pointer, _, _, _, arguments in
            guard let table = unsafe BatchModule.table(arguments) else { return SQLITE_MISUSE }
            let cursor = unsafe BatchModule.cursor(pointer)
            unsafe cursor.pointee.table = Unmanaged.passUnretained(table)
            unsafe cursor.pointee.position = 0
            unsafe cursor.pointee.count = table.rows.count
            return SQLITE_OK
        }
        unsafe module.xNext = { pointer in
            unsafe BatchModule.cursor(pointer).pointee.position += 1
            return SQLITE_OK
        }
        unsafe module.xEof = { pointer in
            let cursor = unsafe BatchModule.cursor(pointer)
            return unsafe cursor.pointee.position < cursor.pointee.count ? 0 : 1
        }
        unsafe module.xRowid = { pointer, id in
            unsafe id?.pointee = Int64(BatchModule.cursor(pointer).pointee.position)
            return SQLITE_OK
        }
        unsafe module.xColumn = { pointer, context, column in
            let cursor = unsafe BatchModule.cursor(pointer)
            let position = unsafe cursor.pointee.position
            switch column {
            case 0: unsafe sqlite3_result_int64(context, Int64(position))
            case pointerColumn: unsafe sqlite3_result_null(context)
            default:
                unsafe cursor.pointee.table?._withUnsafeGuaranteedRef { table in
                    if column == keyColumn {
                        unsafe sqlite3_result_int64(context, table.key(at: position))
                    } else {
                        unsafe table.pass(
                            Int(column - firstValueColumn), at: position, to: context)
                    }
                }
            }
            return SQLITE_OK
        }
        let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        unsafe pointer.initialize(to: module)
        return unsafe Module(pointer: UnsafePointer(pointer))
    }()
}
