// SPDX-License-Identifier: Apache-2.0

import GRDB

extension PersistenceError {
    /// Creates an error from an SQLite result code.
    ///
    /// The message of SQLite is kept for violated constraints only, where it names tables and
    /// columns but no values.
    init(resultCode: Int32, message: String?) {
        let isConstraint = resultCode & 0xFF == 19
        let code: Code =
            switch (resultCode, resultCode & 0xFF) {
            case (2067, _), (1555, _): .identityConflict
            case (787, _): .relationshipConflict
            case (_, 19): .constraintViolation
            case (_, 5), (_, 6): .busy
            case (_, 8): .readOnly
            case (_, 10): .ioFailure
            case (_, 11): .corrupt
            case (_, 13): .storageFull
            case (_, 14): PrivateFile.hasTooManyOpenFiles ? .tooManyOpenFiles : .cannotOpen
            case (_, 26): .notADatabase
            default: .databaseFailure
            }
        var details = ["SQLite result code \(resultCode)"]
        if isConstraint, let message { details.append(message) }
        self.init(code, details: details)
    }

    /// The message with which the database layer refuses to use a closed connection.
    private static let closedMessage = "Connection is closed"

    /// Creates an error from an error of the database layer, or copies a `PersistenceError`.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - path: The path of the database file, which errors of the file have.
    package init(wrapping error: any Error, at path: String) {
        self.init(wrapping: error)
        if self.path == nil, Self.fileCodes.contains(code) { self.path = path }
    }

    /// The codes of errors that concern the database file.
    private static let fileCodes: [Code] = [
        .cannotOpen, .tooManyOpenFiles, .notADatabase, .wrongApplicationID, .modelMismatch,
        .unsupportedFormat,
        .unexpectedSchema, .readOnly, .busy, .storageFull, .ioFailure, .corrupt, .databaseFailure,
        .migrationRefused, .migrationFailed, .fileChanged,
    ]

    /// Creates an error from an error of the database layer, or copies a `PersistenceError`.
    package init(wrapping error: any Error) {
        switch error {
        case let error as PersistenceError: self = error
        case let error as DatabaseError where error.message == Self.closedMessage:
            self.init(.storeClosed)
        case let error as DatabaseError:
            self.init(resultCode: error.extendedResultCode.rawValue, message: error.message)
        default: self.init(.databaseFailure, underlying: error)
        }
    }
}
