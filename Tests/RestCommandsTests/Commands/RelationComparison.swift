// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestDocument
import RestKit
import RestMirror
import Testing

/// A comparison of the relations in records with the foreign keys and join tables of a file.
struct RelationComparison {
    private struct Pair: Hashable {
        let source: String
        let destination: String
    }

    private let definition: Definition
    private let file: URL

    init(_ definition: Definition, _ file: URL) {
        self.definition = definition
        self.file = file
    }

    func integer(_ sql: String) throws -> Int? { try texts(sql).first.flatMap { Int($0[0]) } }

    /// Compares all relations of the records of an entity.
    ///
    /// - Returns: The number of relations that have been compared.
    @discardableResult
    func compare(_ records: [Node], of name: String) throws -> Int {
        let entity = try #require(definition.entity(named: name))
        guard entity.identity.count == 1 else { return 0 }
        // A record that a list has twice is one row, with the values of the last one.
        var last: [String: Node] = [:]
        for record in records {
            if let identity = identity(of: record, entity) { last[identity] = record }
        }
        var count = 0
        for relation in entity.relations where relation.form != .inverse {
            guard let destination = definition.entity(named: relation.entity),
                destination.identity.count == 1
            else { continue }
            let key = relation.attribute ?? destination.identity[0]
            let present = Set(
                try texts("SELECT CAST(\(quoted(key)) AS TEXT) FROM \(quoted(destination.name))")
                    .map { $0[0] })
            var expected: Set<Pair> = []
            var silent: Set<String> = []
            for (identity, record) in last {
                guard let node = value(of: record, relation.path, relation.name) else {
                    silent.insert(identity)
                    continue
                }
                for element in node.kind == .array ? Array(node.elements) : [node] {
                    guard let other = reference(element, relation, destination, key) else {
                        continue
                    }
                    // A reference waits for a row that no list has.
                    if present.contains(other) {
                        expected.insert(Pair(source: identity, destination: other))
                    }
                }
            }
            let stored = try pairs(of: relation, entity, destination, key).filter {
                last[$0.source] != nil && !silent.contains($0.source)
            }
            #expect(stored == expected, "\(name).\(relation.name)")
            if !expected.isEmpty { count += 1 }
        }
        return count
    }

    private func identity(of record: Node, _ entity: EntityDefinition) -> String? {
        let name = entity.identity[0]
        let attribute = entity.attribute(named: name)
        let node = value(of: record, attribute?.path, name)
        return node.flatMap { Self.text($0, attribute?.form == .lastPathComponent) }
    }

    /// Returns the value of a record, or of an object in it whose members the definition merges with it.
    private func value(of record: Node, _ path: DocumentPath?, _ name: String) -> Node? {
        let path = path ?? DocumentPath([.key(name)])
        let merged = definition.resources.flatMap(\.records.merge)
        return record[path] ?? merged.lazy.compactMap { record[$0]?[path] }.first
    }

    private func reference(
        _ node: Node, _ relation: RelationDefinition, _ destination: EntityDefinition, _ key: String
    ) -> String? {
        if relation.form == .object, node.kind == .object {
            let attribute = destination.attribute(named: key)
            let value = node[attribute?.path ?? DocumentPath([.key(key)])]
            return value.flatMap { Self.text($0, attribute?.form == .lastPathComponent) }
        }
        return Self.text(node, relation.form == .lastPathComponent)
    }

    private static func text(_ node: Node, _ isPath: Bool) -> String? {
        guard let text = node.string ?? node.numberText else { return nil }
        return isPath ? text.split(separator: "/").last.map(String.init) : text
    }

    /// Returns the stored pairs: from a column, from a join table, or from the column or the table of the inverse.
    private func pairs(
        of relation: RelationDefinition, _ entity: EntityDefinition,
        _ destination: EntityDefinition, _ key: String
    ) throws -> Set<Pair> {
        let (source, target) = (quoted(entity.name), quoted(destination.name))
        let columns =
            "SELECT CAST(s.\(quoted(entity.identity[0])) AS TEXT), CAST(d.\(quoted(key)) AS TEXT) "
        let own = "\(entity.name)_\(relation.name)"
        let inverse = relation.inverse.map { "\(destination.name)_\($0)" }
        let join: String
        if !relation.isToMany, try hasColumn(relation.name, entity.name) {
            join = "FROM \(source) s JOIN \(target) d ON d.restkit_key = s.\(quoted(relation.name))"
        } else if try hasTable(own) {
            join =
                "FROM \(quoted(own)) l JOIN \(source) s ON s.restkit_key = l.source "
                + "JOIN \(target) d ON d.restkit_key = l.target"
        } else if let inverse, try hasTable(inverse) {
            join =
                "FROM \(quoted(inverse)) l JOIN \(source) s ON s.restkit_key = l.target "
                + "JOIN \(target) d ON d.restkit_key = l.source"
        } else {
            let name = try #require(
                relation.inverse, "\(entity.name).\(relation.name) has no storage")
            join = "FROM \(target) d JOIN \(source) s ON s.restkit_key = d.\(quoted(name))"
        }
        return Set(try texts(columns + join).map { Pair(source: $0[0], destination: $0[1]) })
    }

    private func hasTable(_ name: String) throws -> Bool {
        try !texts("SELECT name FROM sqlite_schema WHERE type = 'table'").filter { $0[0] == name }
            .isEmpty
    }

    private func hasColumn(_ name: String, _ table: String) throws -> Bool {
        try texts("SELECT name FROM pragma_table_info('\(table)')").contains { $0[0] == name }
    }

    private func texts(_ sql: String) throws -> [[String]] {
        var rows: [[String]] = []
        try MirrorQuery(sql, of: file).run { _, values in
            rows.append(
                values.map { value in
                    switch value {
                    case .text(let text): text
                    case .integer(let number): String(number)
                    default: "\(value)"
                    }
                })
        }
        return rows
    }

    private func quoted(_ name: String) -> String {
        "\"" + name.replacing("\"", with: "\"\"") + "\""
    }
}
