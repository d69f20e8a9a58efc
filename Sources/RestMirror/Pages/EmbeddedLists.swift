// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The lists inside of records, some of which servers shorten.
///
/// A list is short if a count beside it or around it is larger than the list, or if the object around it says that
/// more elements follow.
struct EmbeddedLists: Sendable {
    /// A list with fewer elements than the record counts.
    struct Short: Sendable, Equatable {
        /// The path of the list in the record.
        var path: DocumentPath
        /// The number of elements that the record has.
        var count: Int
        /// The number that the record counts; `nil` if it says only that there are more.
        var total: Int?
        /// A Boolean value that indicates whether the list is a relation of the record.
        var isRelation: Bool
        /// A Boolean value that indicates whether the list is a relation of the record or of an object in it.
        var isMapped: Bool
    }

    private let entity: EntityDefinition
    private let definition: Definition

    private static let depth = 3
    private static let totalKeys = ["total", "totalCount", "total_count", "count", "totalItems"]
    private static let moreKeys = ["has_more", "hasMore", "more", "hasNextPage", "has_next"]

    /// Creates the lists of the records of a resource; `nil` for records of several entities.
    init?(of resource: ResourceDefinition, _ definition: Definition) {
        guard case .one(let name) = resource.entity, let entity = definition.entity(named: name)
        else { return nil }
        self.entity = entity
        self.definition = definition
    }

    /// Returns the first short list of each path in records.
    func short(in records: [Node]) -> [Short] {
        var found: [Short] = []
        for record in records where record.kind == .object {
            record.withView { visit($0, .root, depth: 0, &found) }
        }
        return found
    }

    /// Returns the paths of the short lists of a record that are relations, in their order.
    func shortRelations(of record: Node) -> [DocumentPath] {
        short(in: [record]).filter(\.isMapped).map(\.path)
    }

    /// Returns the relation with the list at a path.
    private func relation(
        at path: DocumentPath, of entity: EntityDefinition
    ) -> RelationDefinition? {
        for relation in entity.relations where relation.form != .inverse {
            let own = relation.path ?? DocumentPath([.key(relation.name)])
            if own == path { return relation }
            if !relation.isToMany, let inner = path.relative(to: own),
                let destination = definition.entity(named: relation.entity),
                let found = self.relation(at: inner, of: destination)
            {
                return found
            }
        }
        return nil
    }

    private func visit(
        _ object: NodeView, _ path: DocumentPath, depth: Int, _ found: inout [Short]
    ) {
        for (keyView, value) in object.members where value.isArray || value.isObject {
            let key = keyView.string() ?? ""
            var inner = path
            inner.components.append(.key(key))
            if entity.ignored.contains(where: { inner.components.starts(with: $0.components) }) {
                continue
            }
            if value.isArray {
                let total = Self.countNames(of: key).lazy.compactMap { object.member($0)?.int64 }
                    .first
                if let total, total > Int64(value.count) {
                    add(inner, value.count, Int(total), &found)
                }
            } else if let short = Self.shortList(in: value) {
                inner.components.append(.key(short.key))
                add(inner, short.count, short.total, &found)
            } else if depth < Self.depth {
                visit(value, inner, depth: depth + 1, &found)
            }
        }
    }

    private func add(
        _ path: DocumentPath, _ count: Int, _ total: Int?, _ found: inout [Short]
    ) {
        guard !found.contains(where: { $0.path == path }) else { return }
        let isRelation = entity.relations.contains { relation in
            relation.isToMany && (relation.path ?? DocumentPath([.key(relation.name)])) == path
        }
        found.append(
            Short(
                path: path, count: count, total: total, isRelation: isRelation,
                isMapped: relation(at: path, of: entity)?.isToMany == true))
    }

    /// Returns the list of an object that has fewer elements than the object says.
    private static func shortList(in object: NodeView) -> (key: String, count: Int, total: Int?)? {
        var lists = object.members.lazy.filter { $0.value.isArray }.makeIterator()
        guard let (keyView, list) = lists.next(), lists.next() == nil else { return nil }
        let key = keyView.string() ?? ""
        if let total = totalKeys.lazy.compactMap({ object.member($0)?.int64 }).first {
            return total > Int64(list.count) ? (key, list.count, Int(total)) : nil
        }
        let page = object.member("pageInfo") ?? object.member("page_info") ?? object
        guard moreKeys.contains(where: { page.member($0)?.bool == true }) else { return nil }
        return (key, list.count, nil)
    }

    /// Returns the names of counts of a list, such as `comment_count` and `totalComments` of `comments`.
    private static func countNames(of key: String) -> [String] {
        let singular = key.hasSuffix("s") ? String(key.dropLast()) : key
        let capitalized = key.prefix(1).uppercased() + key.dropFirst()
        return [
            key + "_count", singular + "_count", key + "Count", singular + "Count",
            "total_" + key, "num_" + key, key + "_total", "total" + capitalized,
            "number_of_" + key,
        ]
    }
}
