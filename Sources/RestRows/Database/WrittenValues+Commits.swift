// SPDX-License-Identifier: Apache-2.0

extension WrittenValues {
    /// Adds what a transaction has changed or found.
    ///
    /// A new row counts with the columns that were recorded of its response, or as a whole without such a record.
    mutating func add(_ node: CommitFeed.Node) {
        formUnion(node.written)
        guard let commit = node.commit else { return }
        for table in commit.tables {
            for row in table.inserted where node.written.columns[row.key] == nil {
                add(row: row.key)
            }
            for (key, update) in table.updated { add(update.mask, of: key) }
        }
        for (link, changes) in commit.links.enumerated() where !changes.isEmpty {
            for pair in changes.inserted + changes.deleted + changes.moved { add(pair, link) }
        }
    }
}
