// SPDX-License-Identifier: Apache-2.0

/// An object that a ranked search found.
public struct SearchResult<Object: ManagedObject> {
    /// The object.
    public let object: Object
    /// The relevance of the object, greater for better matches: the negated BM25 score of SQLite.
    ///
    /// Saved and unsaved objects are scored among their own. It is zero if the predicate has no words.
    public let relevance: Double
    let highlighter: SearchHighlighter

    /// Returns a part of a text around the words that were found.
    ///
    /// - Parameters:
    ///   - text: A text of the object.
    ///   - count: The maximum number of words.
    /// - Returns: The part with the most found words.
    public func snippet(of text: String, words count: Int = 16) -> SearchSnippet {
        highlighter.snippet(of: text, words: count)
    }
}

extension ManagedObjectContext {
    /// Finds objects of a class by their words, the most relevant first, considering unsaved changes.
    ///
    /// ```swift
    /// for result in try context.search(Article.self, .all("fjord oslo"), limit: 20) {
    ///     print(result.object.title, result.snippet(of: result.object.body).marked("<b>", "</b>"))
    /// }
    /// ```
    ///
    /// A predicate without words, such as that of an empty search field, matches what it matches in a fetch:
    /// `.all("")` all objects, in the order of their keys, and `.any("")` none.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - predicate: The condition on the words, without negations.
    ///   - weights: The factors by which the words of attributes count for the relevance, such as
    ///     `["title": 10]`; 1 for attributes that are not named. An attribute with factor 0 is searched, but
    ///     does not count.
    ///   - limit: The maximum number of objects.
    ///   - offset: The number of objects to skip.
    /// - Returns: The objects, the most relevant first.
    /// - Throws: ``PersistenceError`` with code `invalidPredicate` if the entity has no searchable
    ///   attributes, the predicate has a negation, or a weight is negative, not finite or not that of a
    ///   searchable attribute; or an error of the database.
    public func search<Object: ManagedEntity>(
        _ type: Object.Type, _ predicate: SearchPredicate, weights: [String: Double] = [:],
        limit: Int = 20, offset: Int = 0
    ) throws(PersistenceError) -> [SearchResult<Object>] {
        let layout = try model.layout(of: type)
        return try search(
            layout.name, predicate, weights: weights, limit: limit, offset: offset
        ).compactMap {
            guard let object = $0.object as? Object else { return nil }
            return SearchResult(
                object: object, relevance: $0.relevance, highlighter: $0.highlighter)
        }
    }

    /// Finds objects of an entity by their words, the most relevant first.
    ///
    /// - Throws: An error of ``search(_:_:weights:limit:offset:)-(Object.Type,_,_,_,_)``.
    public func search(
        _ entity: String, _ predicate: SearchPredicate, weights: [String: Double] = [:],
        limit: Int = 20, offset: Int = 0
    ) throws(PersistenceError) -> [SearchResult<ManagedObject>] {
        let layout = try model.layout(named: entity)
        let compiler = try SearchCompiler(layout, model)
        let rank = try compiler.rank(weights)
        let (limit, offset) = (max(0, limit), max(0, offset))
        let hits: [(key: Int64, relevance: Double)]
        switch try compiler.query(predicate) {
        case .none: return []
        case .all:
            let request = FetchRequest(entity, limit: limit, offset: offset)
            hits = try fetchIDs(request).map { ($0.key, 0) }
        case .words(let query):
            let plan = try FetchPlan(FetchRequest(entity), in: database)
            let ranked = { (compiler: inout FetchCompiler) in
                Self.ranked(query, rank, compiler, limit, offset)
            }
            hits = try read(plan, ranked) { statement throws(PersistenceError) in
                var hits: [(key: Int64, relevance: Double)] = []
                while try statement.step() {
                    guard case .double(let score) = statement.value(1) else { continue }
                    hits.append((statement.integer(0), -score))
                }
                return hits
            }
        }
        let objects = try loadObjects(hits.map(\.key), layout)
        let highlighter = SearchHighlighter(predicate, model.search.tokenizer)
        return hits.compactMap { hit in
            objects[hit.key].map {
                SearchResult(object: $0, relevance: hit.relevance, highlighter: highlighter)
            }
        }
    }

    /// Returns the query for the keys and scores of the best matches, in two arms if the table has
    /// unsaved changes.
    ///
    /// The index can have the words of rows that another program has deleted, which are no matches.
    private static func ranked(
        _ query: String, _ rank: String, _ compiler: FetchCompiler, _ limit: Int, _ offset: Int
    ) -> RowQuery {
        let table = compiler.plan.layout.table
        let name = SearchTable.quotedName(of: table)
        func arm(_ schema: String, _ rows: String, _ condition: String) -> String {
            var conditions = ["\(name) MATCH ?1", "rank MATCH ?4"]
            var row = "r.\(EntityLayout.keyColumn) = \(name).rowid"
            if let entities = compiler.plan.entities {
                let list = entities.map(SQLIdentifier.literal).joined(separator: ", ")
                row += " AND r.\(EntityLayout.entityColumn) IN (\(list))"
            }
            conditions.append("EXISTS (SELECT 1 FROM \(rows) AS r WHERE \(row))")
            if !condition.isEmpty { conditions.append(condition) }
            return "SELECT rowid, rank FROM \(schema).\(name) "
                + "WHERE \(conditions.joined(separator: " AND "))"
        }
        let main = "main.\(table.quoted)"
        var sql = arm("main", main, "")
        if compiler.pending.tables.contains(table.index) {
            let unchanged =
                "rowid NOT IN (SELECT \(EntityLayout.keyColumn) "
                + "FROM \(PendingName.changed(table)))"
            sql =
                arm("main", main, unchanged) + " UNION ALL "
                + arm("temp", PendingName.rows(table), "")
        }
        return RowQuery(
            sql: "\(sql) ORDER BY 2, 1 LIMIT ?2 OFFSET ?3",
            arguments: [
                .text(query), .integer(Int64(limit)), .integer(Int64(offset)), .text(rank),
            ])
    }

    /// Returns the indexed words of an object, folded, considering unsaved changes.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidPredicate` if the entity has no searchable
    ///   attributes, or an error of the database.
    public func searchWords(of object: ManagedObject) throws(PersistenceError) -> Set<String> {
        let layout = try model.layout(named: object.objectID.entityName)
        _ = try SearchCompiler(layout, model)
        let plan = try FetchPlan(FetchRequest(layout.name), in: database)
        let names = model.searchTables.first { $0.table === layout.table }?.columns.map {
            layout.table.columns[$0].quoted
        }
        let columns = names ?? []
        let list = columns.joined(separator: ", ")
        let name = SearchTable.quotedName(of: layout.table)
        let query = { (compiler: inout FetchCompiler) -> RowQuery in
            var sql = "SELECT \(list) FROM main.\(name) WHERE rowid = ?1"
            if compiler.pending.tables.contains(layout.table.index) {
                sql +=
                    " AND rowid NOT IN (SELECT \(EntityLayout.keyColumn) "
                    + "FROM \(PendingName.changed(layout.table))) UNION ALL "
                    + "SELECT \(list) FROM temp.\(name) WHERE rowid = ?1"
            }
            return RowQuery(sql: sql, arguments: [.integer(object.objectID.key)])
        }
        return try read(plan, query) { statement throws(PersistenceError) in
            var words: Set<String> = []
            while try statement.step() {
                for value in statement.values(from: 0, columns.count) {
                    guard case .text(let text) = value else { continue }
                    words.formUnion(text.split(separator: " ").map(String.init))
                }
            }
            return words
        }
    }
}
