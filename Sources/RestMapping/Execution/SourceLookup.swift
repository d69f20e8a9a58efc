// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Looks up sources that are not chains of keys.
///
/// What it makes of several values is a small document of its own; the run keeps it as long as its
/// step needs it.
struct SourceLookup {
    /// Where a lookup has arrived.
    private enum Place {
        case one(Node)
        /// The values found in the elements of a list.
        case list([Node])
    }

    let context: MappingContext

    /// The value a source leads to from a representation; nil where there is none.
    ///
    /// - Complexity: O(*n*) in the number of members and elements passed.
    func value(at source: SourcePath, of node: Node) -> Node? {
        var components = source.components[...]
        var place = Place.one(representation(node))
        while let component = components.popFirst() {
            switch component {
            case .metadata: return metadata(Array(components), of: node)
            case .root: place = .one(context.root(of: node))
            case .parent:
                guard case .one(let inner) = place, let outer = context.parent(of: inner) else {
                    return nil
                }
                place = .one(outer)
            case .key(let key):
                guard let next = step(to: key, from: place) else { return nil }
                place = next
            case .placeholder:
                guard let key = context.nestingKeys.last, let next = step(to: key, from: place)
                else { return nil }
                place = next
            case .index(let index):
                switch place {
                case .one(let node):
                    guard let next = node[index] else { return nil }
                    place = .one(next)
                case .list(let nodes):
                    place = .list(nodes.compactMap { $0[index] })
                }
            case .collected(let collection):
                return collected(by: collection, SourcePath(Array(components)), of: place)
            }
        }
        switch place {
        case .one(let node): return node
        case .list(let nodes): return list(of: nodes)
        }
    }

    /// The value itself; for a key that stands for an object with that key alone, that object.
    func representation(_ node: Node) -> Node {
        guard context.isEntry(node) else { return node }
        var builder = DocumentBuilder()
        builder.beginObject()
        builder.key(node.string ?? "")
        builder.value(Node(storage: node.storage, index: node.index + 1))
        builder.end()
        return builder.finish().root
    }

    /// A key leads into an object, and into all objects of a list however deep it is nested.
    private func step(to key: String, from place: Place) -> Place? {
        switch place {
        case .one(let node) where node.kind == .array:
            return step(to: key, from: .list(Array(node.elements)))
        case .one(let node):
            return node[key].map(Place.one)
        case .list(let nodes):
            let path = DocumentPath([.key(key)])
            let found = nodes.flatMap { $0.values(at: path) }
            return found.isEmpty ? nil : .list(found)
        }
    }

    private func list(of nodes: [Node]) -> Node {
        var builder = DocumentBuilder()
        builder.beginArray()
        for node in nodes { builder.value(node) }
        builder.end()
        return builder.finish().root
    }

    // MARK: Metadata

    /// The first of the sources of metadata that has a value, the run's own before the caller's.
    private func metadata(_ components: [SourcePath.Component], of node: Node) -> Node? {
        if components == [.key("mapping"), .key("collectionIndex")] {
            if let position = context.collectionIndex(of: node) {
                return Document(integerLiteral: Int64(position)).root
            }
            // A single related object is in no collection, whatever its parent is in.
            if context.isRelated(node) { return Document(nilLiteral: ()).root }
        }
        if components == [.key("mapping"), .key("rootKeyPath")],
            let path = context.environment.rootKeyPath
        {
            return Document(stringLiteral: path.description).root
        }
        let source = SourcePath(components)
        for document in context.environment.metadata {
            if let value = value(at: source, of: document.root) { return value }
        }
        return nil
    }

    // MARK: Collections

    private func collected(
        by collection: CollectionOperator, _ inner: SourcePath, of place: Place
    ) -> Node? {
        let elements: [Node]
        switch place {
        case .list(let nodes): elements = nodes
        case .one(let node) where node.kind == .array: elements = Array(node.elements)
        case .one(let node):
            guard collection == .count, node.kind == .object else { return nil }
            return number(Decimal(node.count))
        }
        switch collection {
        case .count: return number(Decimal(elements.count))
        case .sum, .avg:
            var numbers: [Decimal] = []
            for value in values(at: inner, of: elements) where !value.isNull {
                guard let number = decimal(value) else { return nil }
                numbers.append(number)
            }
            let sum = numbers.reduce(0, +)
            if collection == .sum { return number(sum) }
            return numbers.isEmpty ? nil : number(sum / Decimal(numbers.count))
        case .min, .max:
            return extreme(of: values(at: inner, of: elements), isLeast: collection == .min)
        case .unionOfObjects: return list(of: values(at: inner, of: elements))
        case .distinctUnionOfObjects: return list(of: distinct(values(at: inner, of: elements)))
        case .unionOfArrays: return list(of: elements.flatMap { union(inner, of: $0) })
        case .distinctUnionOfArrays, .distinctUnionOfSets:
            return list(of: distinct(elements.flatMap { union(inner, of: $0) }))
        }
    }

    private func union(_ inner: SourcePath, of element: Node) -> [Node] {
        element.kind == .array ? values(at: inner, of: Array(element.elements)) : []
    }

    /// What a source leads to in each of several values, without those that have nothing there.
    private func values(at inner: SourcePath, of elements: [Node]) -> [Node] {
        if inner.components.isEmpty || inner.components == [.key("self")] { return elements }
        return elements.compactMap { value(at: inner, of: $0) }
    }

    private func distinct(_ nodes: [Node]) -> [Node] {
        var seen = Set<Node>()
        return nodes.filter { seen.insert($0).inserted }
    }

    /// The least or greatest of numbers or of texts; nil if there is none or both kinds are there.
    private func extreme(of values: [Node], isLeast: Bool) -> Node? {
        let values = values.filter { !$0.isNull }
        let numbers = values.compactMap { value in decimal(value).map { (value, $0) } }
        if numbers.count == values.count {
            let found =
                isLeast ? numbers.min { $0.1 < $1.1 } : numbers.max { $0.1 < $1.1 }
            return found?.0
        }
        let texts = values.compactMap { value in value.string.map { (value, $0) } }
        guard texts.count == values.count else { return nil }
        return (isLeast ? texts.min { $0.1 < $1.1 } : texts.max { $0.1 < $1.1 })?.0
    }

    private func decimal(_ node: Node) -> Decimal? {
        guard let text = node.numberText else { return nil }
        return DecimalText.read(Array(text.utf8).span)
    }

    private func number(_ value: Decimal) -> Node? {
        var builder = DocumentBuilder()
        do { try builder.number(text: "\(value)") } catch { return nil }
        return builder.finish().root
    }
}
