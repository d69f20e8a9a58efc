// SPDX-License-Identifier: Apache-2.0

import GRDB

extension NaiveGraph {
    /// Reads the rows of a file, whose entities have the given attributes, and whose to-many
    /// relationships have an order or not.
    init(_ observer: FileObserver, _ attributes: [String: [String]], isOrdered: Bool) throws {
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
                    if isOrdered, entity == "Book" {
                        values["position"] = row["restkit_position_author"]
                    }
                    graph.rows[key] = NaiveGraph.Row(entity: entity, values: values)
                }
            }
            let pairs = try GRDB.Row.fetchAll(
                database, sql: "SELECT * FROM Book_tags")
            for pair in pairs {
                var places = Places()
                if isOrdered {
                    places = Places(tag: pair["target_position"], book: pair["source_position"])
                }
                graph.pairs[Pair(book: pair["source"], tag: pair["target"])] = places
            }
            graph.storedPairs = graph.pairs
            return graph
        }
        self = graph
    }
}
