// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestPersistence

extension OutboxRecorder {
    func removeFacts(
        ofDeleted keys: Set<Int64>, in database: Database
    ) throws(PersistenceError) {
        guard rules.declarations.values.contains(where: { $0.precondition.isOfField }) else {
            return
        }
        try tables(database).removeTags(of: keys)
    }
}
