// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The records of a page, extracted from the document of a response.
struct PageRecords: Sendable {
    /// A list of the records, or the only one; `nil` for none.
    let node: Node?
    /// The number of records of the page, before a filter and an expansion.
    let count: Int
    /// The records before a filter, whose positions the cursor passes.
    let unfiltered: Node?
    /// The last record of the page, before a filter and an expansion.
    let last: Node?

    /// Extracts records.
    ///
    /// - Throws: ``MirrorError`` with code `unreadableResponse` if there is nothing at the path of the records.
    init(in document: Document, by definition: RecordsDefinition) throws(MirrorError) {
        let root = document.root
        let found: Node?
        if let path = definition.path {
            found = root[path]
            if found == nil, root.kind != .array {
                throw MirrorError(
                    .unreadableResponse,
                    details: ["there are no records at \(path) of \(root.shape)"])
            }
        } else {
            found = Self.records(in: root)
        }
        guard let found, !found.isNull else {
            (node, count, last, unfiltered) = (nil, 0, nil, nil)
            return
        }
        let isList = found.kind == .array || definition.isKeyed
        count = isList ? found.count : 1
        last = isList ? Self.last(of: found) : found
        if Self.isPlain(definition) {
            node = found
            unfiltered = found
        } else {
            let document = Self.transformed(found, by: definition)
            node = document.root.count > 0 ? document.root : nil
            var everything = definition
            everything.filter = []
            unfiltered =
                definition.filter.isEmpty ? node : Self.transformed(found, by: everything).root
        }
    }

    /// The records one by one.
    var elements: [Node] { Self.elements(of: node) }

    /// The records one by one, before a filter.
    var unfilteredElements: [Node] { Self.elements(of: unfiltered) }

    private static func elements(of node: Node?) -> [Node] {
        guard let node else { return [] }
        return node.kind == .array ? Array(node.elements) : [node]
    }

    /// Returns the records of a document without a declared path: the document if it is a list, or else its
    /// first member that is a list of objects, or else the document itself.
    private static func records(in root: Node) -> Node? {
        if root.kind != .object { return root }
        let lists = root.members.filter { $0.value.kind == .array }
        return lists.first { $0.value[0]?.kind == .object }?.value
            ?? (lists.count == 1 ? lists.first?.value : root)
    }

    private static func last(of list: Node) -> Node? {
        var last: Node?
        if list.kind == .array {
            for element in list.elements { last = element }
        } else {
            for member in list.members { last = member.value }
        }
        return last
    }

    // MARK: Transforming

    private static func isPlain(_ definition: RecordsDefinition) -> Bool {
        definition.wrapper == nil && definition.merge.isEmpty && definition.expansion == nil
            && definition.filter.isEmpty && !definition.isKeyed
    }

    private static func transformed(_ found: Node, by definition: RecordsDefinition) -> Document {
        var builder = DocumentBuilder()
        builder.beginArray()
        var records: [(key: String?, node: Node)] = []
        if definition.isKeyed {
            records = found.members.map { ($0.key, $0.value) }
        } else if found.kind == .array {
            records = found.elements.map { (nil, $0) }
        } else {
            records = [(nil, found)]
        }
        for (key, outer) in records {
            guard let record = definition.wrapper.map({ outer[$0] }) ?? outer,
                definition.filter.allSatisfy({ $0.holds(for: record) })
            else { continue }
            let added = key.flatMap { key in
                definition.keyName.map { ($0, Document.string(key)) }
            }
            guard let expansion = definition.expansion else {
                append(record, merging: definition.merge, [added].compactMap(\.self), to: &builder)
                continue
            }
            let inclusions = expansion.inclusions.compactMap { inclusion in
                record[inclusion.path].map { (inclusion.key, Self.document($0)) }
            }
            for element in record[expansion.path]?.elements.map(\.self) ?? [] {
                append(element, merging: definition.merge, inclusions, to: &builder)
            }
        }
        builder.end()
        return builder.finish()
    }

    private static func document(_ node: Node) -> Document {
        var builder = DocumentBuilder()
        builder.value(node)
        return builder.finish()
    }

    private static func append(
        _ record: Node, merging merged: [String], _ added: [(String, Document)],
        to builder: inout DocumentBuilder
    ) {
        guard record.kind == .object, !merged.isEmpty || !added.isEmpty else {
            return builder.value(record)
        }
        var keys: Set<String> = []
        builder.beginObject()
        for (key, document) in added where keys.insert(key).inserted {
            builder.key(key)
            builder.value(document)
        }
        for (key, value) in record.members where !merged.contains(key) && keys.insert(key).inserted
        {
            builder.key(key)
            builder.value(value)
        }
        for name in merged {
            for (key, value) in record[name]?.members.map(\.self) ?? []
            where keys.insert(key).inserted {
                builder.key(key)
                builder.value(value)
            }
        }
        builder.end()
    }
}

extension Node {
    /// The kind of the value and its keys, for messages.
    fileprivate var shape: String {
        guard kind == .object else { return "\(kind)" }
        let keys = members.prefix(6).map(\.key)
        return "an object with \(keys.joined(separator: ", "))"
    }
}
