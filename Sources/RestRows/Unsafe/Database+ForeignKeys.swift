// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite

extension Database {
    /// A Boolean value that indicates whether the transaction has written foreign keys to rows that do
    /// not exist, so that it could not be committed.
    ///
    /// SQLite counts them while it writes, so that the value costs nothing.
    var hasDanglingReferences: Bool {
        var (count, peak): (Int32, Int32) = (0, 0)
        // The connection is valid in its own access, in which the writer is.
        let code = unsafe sqlite3_db_status(
            sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &count, &peak, 0)
        return code != SQLITE_OK || count > 0
    }
}
