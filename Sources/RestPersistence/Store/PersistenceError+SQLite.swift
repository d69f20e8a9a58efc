// SPDX-License-Identifier: Apache-2.0

import GRDB

extension PersistenceError {
    /// What an SQLite result code means here.
    ///
    /// SQLite's message is kept for violated constraints only: there it names tables and columns.
    init(resultCode: Int32, message: String?) {
        let isConstraint = resultCode & 0xFF == 19
        let code: Code =
            switch (resultCode, resultCode & 0xFF) {
            case (2067, _), (1555, _): .identityConflict
            case (787, _): .relationshipConflict
            case (_, 19): .constraintViolation
            case (_, 5), (_, 6): .busy
            case (_, 8): .readOnly
            case (_, 11): .corrupt
            case (_, 13): .storageFull
            case (_, 14): .cannotOpen
            case (_, 26): .notADatabase
            default: .databaseFailure
            }
        var details = ["SQLite result code \(resultCode)"]
        if isConstraint, let message { details.append(message) }
        self.init(code, details: details)
    }

    /// Any error of the database layer as ours; ours stay as they are.
    init(wrapping error: any Error) {
        switch error {
        case let error as PersistenceError: self = error
        case let error as DatabaseError:
            self.init(resultCode: error.extendedResultCode.rawValue, message: error.message)
        default: self.init(.databaseFailure, underlying: error)
        }
    }
}
