// SPDX-License-Identifier: Apache-2.0

import CSQLite
import GRDB

extension Database {
    /// Forbids statements that damage the file: writing into the schema and into the tables of the full-text
    /// index, and transactions without a journal.
    func defend() throws {
        // The connection is valid while it is prepared.
        let code = unsafe csqlite_set_defensive(sqliteConnection)
        if code != 0 { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
