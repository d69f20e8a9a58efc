// SPDX-License-Identifier: Apache-2.0

import GRDB

extension NaiveGraph {
    /// Reads the rows of a file, whose entities have the given attributes.
    init(_ observer: FileObserver, _ attributes: [String: [String]]) throws {
        self.init()
        let graph = try observer.connection.read { database in
            var graph = NaiveGraph()
            for (entity, names) in attributes {
                let relationship = ["Author": "favourite", "Book": "author"][entity]
                for row in try GRDB.Row.fetchAll(database, sql: "SELECT * FROM \(entity)") {
                    let key: Int64 = row["restkit_key"]
                    var values: [String: Int64] = [:]
                    for name in names + [relationship].compactMap(\.self) {
                        values[name] = row[name]
                    }
                    graph.rows[key] = NaiveGraph.Row(entity: entity, values: values)
                }
            }
            let pairs = try GRDB.Row.fetchAll(
                database, sql: "SELECT source, target FROM Book_tags")
            for pair in pairs {
                graph.pairs.insert(Pair(book: pair["source"], tag: pair["target"]))
            }
            return graph
        }
        self = graph
    }
}
