// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestDefinition
import RestDocument
import RestPersistence
import RestRows
import RestTransport

/// The reading of the parents of a resource from the store.
///
/// Parents are read in portions, so that the memory use does not depend on their number.
struct ParentReader: Sendable {
    let definition: Definition
    let resource: ResourceDefinition
    let references: [(parent: String, path: DocumentPath)]
    let content: StoreContent

    private static let portionCount = 500

    /// Calls a closure with each combination of the records of the parents.
    ///
    /// - Throws: ``MirrorError``, or the error of the closure.
    func forEach(_ body: (ParentRecord) async throws -> Void) async throws {
        try await forEach(from: 0, .none, body)
    }

    private func forEach(
        from index: Int, _ outer: ParentRecord, _ body: (ParentRecord) async throws -> Void
    ) async throws {
        guard index < resource.parents.count else { return try await body(outer) }
        let parent = resource.parents[index]
        var batch: [ParentRecord] = []
        try await forEachRecord(of: parent) { record in
            guard let size = parent.batch else {
                return try await forEach(from: index + 1, outer.adding(record), body)
            }
            batch.append(record)
            guard batch.count == size.count else { return }
            let joined = ParentRecord(joining: batch, of: parent.name, by: size.separator)
            batch = []
            try await forEach(from: index + 1, outer.adding(joined), body)
        }
        if let size = parent.batch, !batch.isEmpty {
            let joined = ParentRecord(joining: batch, of: parent.name, by: size.separator)
            try await forEach(from: index + 1, outer.adding(joined), body)
        }
    }

    private func forEachRecord(
        of parent: ParentDefinition, _ body: (ParentRecord) async throws -> Void
    ) async throws {
        switch parent.source {
        case .values(let values):
            for value in values {
                var record = ParentRecord()
                record[parent.name, DocumentPath([.key("value")])] = value
                if matches(record, parent) { try await body(record) }
            }
        case .query(let sql):
            let paths = paths(of: parent)
            let records = try await read { database in
                try Row.fetchAll(database, sql: sql).map { row in
                    var record = ParentRecord()
                    for path in paths {
                        guard case .key(let name)? = path.components.first else { continue }
                        let value: DatabaseValue = row[name] ?? .null
                        record[parent.name, path] = ScalarValue(value)
                    }
                    return record
                }
            }
            for record in records where matches(record, parent) { try await body(record) }
        case .resource(let name):
            guard let source = definition.resource(named: name) else { return }
            let members = try await members(of: name)
            for entity in source.entity.names {
                try await forEachRow(of: entity, parent, among: members, body)
            }
        }
    }

    /// Returns the keys of the rows that are in a list of a resource, or that a list may have missed.
    private func members(of name: String) async throws -> KeySet {
        try await read { database in
            let tables = MirrorTables(database: database)
            var members = KeySet()
            try tables.forEachPage(of: name) { for key in $0 { members.insert(key) } }
            for key in try tables.possiblyLost(of: name) { members.insert(key) }
            return members
        }
    }

    private func forEachRow(
        of name: String, _ parent: ParentDefinition, among members: KeySet,
        _ body: (ParentRecord) async throws -> Void
    ) async throws {
        guard let entity = definition.entity(named: name) else { return }
        let paths = paths(of: parent)
        let query = try ParentQuery(entity, definition, paths, resource: resource.name)
        var last: Int64 = 0
        while true {
            let start = last
            let rows = try await read { database in
                try Row.fetchAll(
                    database, sql: query.sql, arguments: [start, Self.portionCount]
                ).map { row in
                    var record = ParentRecord()
                    for (index, path) in paths.enumerated() {
                        let value: DatabaseValue = row[index + 1]
                        record[parent.name, path] = query.value(value, at: index)
                    }
                    if parent.onlyChanged {
                        let text = row.databaseValues.dropFirst().map(\.description)
                        record.digest = SHA256.digest(
                            of: Array(text.joined(separator: "\u{0}").utf8))
                    }
                    return (key: row[0] as Int64, record: record)
                }
            }
            for (key, record) in rows where members.contains(key) && matches(record, parent) {
                try await body(record)
            }
            guard let key = rows.last?.key, rows.count == Self.portionCount else { return }
            last = key
        }
    }

    /// Returns the paths of the values of a parent that requests, records and conditions need.
    private func paths(of parent: ParentDefinition) -> [DocumentPath] {
        var paths: [DocumentPath] = []
        let all =
            references.filter { $0.parent == parent.name }.map(\.path)
            + parent.inclusions.map(\.path) + parent.filter.map(\.path)
        for path in all where !paths.contains(path) { paths.append(path) }
        return paths
    }

    private func matches(_ record: ParentRecord, _ parent: ParentDefinition) -> Bool {
        parent.filter.allSatisfy { condition in
            var builder = DocumentBuilder()
            (record[parent.name, condition.path] ?? .null).append(to: &builder)
            return Condition(at: .root, condition.comparison).holds(for: builder.finish().root)
        }
    }

    private func read<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await content.read { try $0.rows.read(body) }
        } catch let error as PersistenceError {
            throw MirrorError(
                .storeFailed, resource: resource.name, details: error.details, underlying: error)
        }
    }
}

extension ParentRecord {
    /// Creates the record of several parents in one request.
    fileprivate init(joining records: [ParentRecord], of name: String, by separator: String) {
        self.init()
        for path in records.first?.values[name]?.keys.map(\.self) ?? [] {
            let texts = records.map { $0[name, path]?.description ?? "" }
            self[name, path] = .text(texts.joined(separator: separator))
        }
    }
}

/// The query of the values of parents.
struct ParentQuery: Sendable {
    let sql: String
    private let types: [AttributeDefinition.ValueType]

    /// Creates the query, whose columns after the key are the values at some paths.
    ///
    /// - Throws: ``MirrorError`` with code `invalidDefinition` if the rows do not have the values.
    init(
        _ entity: EntityDefinition, _ definition: Definition, _ paths: [DocumentPath],
        resource: String
    ) throws(MirrorError) {
        func quoted(_ name: String) -> String {
            "\"" + name.replacing("\"", with: "\"\"") + "\""
        }
        var columns: [String] = []
        var joins = ""
        var types: [AttributeDefinition.ValueType] = []
        for path in paths {
            if let attribute = entity.attribute(at: path) {
                columns.append("t." + quoted(attribute.name))
                types.append(attribute.type)
                continue
            }
            guard let (relation, rest) = entity.relation(along: path),
                let destination = definition.entity(named: relation.entity),
                let attribute = destination.attribute(
                    at: rest.components.isEmpty
                        ? DocumentPath([
                            .key(relation.attribute ?? destination.identity.first ?? "")
                        ])
                        : rest)
            else {
                throw MirrorError(
                    .invalidDefinition, resource: resource,
                    details: [
                        "\(entity.name) has no attribute at \(path), to which the resource refers"
                    ])
            }
            let alias = "d\(columns.count)"
            joins +=
                " LEFT JOIN \(quoted(destination.name)) AS \(alias) ON \(alias).restkit_key = t."
                + quoted(relation.name)
            columns.append("\(alias)." + quoted(attribute.name))
            types.append(attribute.type)
        }
        sql =
            "SELECT " + (["t.restkit_key"] + columns).joined(separator: ", ")
            + " FROM \(quoted(entity.name)) AS t\(joins) "
            + "WHERE t.restkit_key > ?1 ORDER BY t.restkit_key LIMIT ?2"
        self.types = types
    }

    func value(_ value: DatabaseValue, at index: Int) -> ScalarValue {
        if types[index] == .boolean, let number = Int64.fromDatabaseValue(value) {
            return .boolean(number != 0)
        }
        return ScalarValue(value)
    }
}

extension ScalarValue {
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null, .blob: self = .null
        case .int64(let number): self = .number(String(number))
        case .double(let number): self = .number("\(number)")
        case .string(let text): self = .text(text)
        }
    }
}

extension EntityDefinition {
    /// Returns the attribute that records have at a path, or that has it as its name.
    fileprivate func attribute(at path: DocumentPath) -> AttributeDefinition? {
        attributes.first { $0.path == path && $0.form == .value }
            ?? attributes.first { $0.path == nil && DocumentPath([.key($0.name)]) == path }
            ?? attributes.first { DocumentPath([.key($0.name)]) == path }
    }

    /// Returns the to-one relation at the start of a path, and the rest of the path.
    fileprivate func relation(
        along path: DocumentPath
    ) -> (relation: RelationDefinition, rest: DocumentPath)? {
        for relation in relations where !relation.isToMany {
            let own = relation.path?.components ?? [.key(relation.name)]
            guard path.components.starts(with: own) else { continue }
            return (relation, DocumentPath(Array(path.components.dropFirst(own.count))))
        }
        return nil
    }
}
