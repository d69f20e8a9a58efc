// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A collection or optional of values that decode themselves.
///
/// The code of such a type cannot leave out an element, so null elements are left out of the
/// representation.
protocol DecodableContainer {
    /// The identity of the innermost element's type.
    static var element: ObjectIdentifier { get }

    /// Returns the elements of a representation that are null although their type is not optional.
    static func nullElements(of node: Node) -> [Node]
}

private func innermostElement<Value>(of type: Value.Type) -> ObjectIdentifier {
    (type as? any DecodableContainer.Type)?.element ?? ObjectIdentifier(type)
}

private func nullElements<Element>(
    among nodes: some Sequence<Node>, _ type: Element.Type
) -> [Node] {
    let container = type as? any DecodableContainer.Type
    let acceptsNull = type is any ExpressibleByNilLiteral.Type
    return nodes.flatMap { node in
        if node.isNull { return acceptsNull ? [] : [node] }
        return container?.nullElements(of: node) ?? []
    }
}

extension Optional: DecodableContainer where Wrapped: Decodable {
    static var element: ObjectIdentifier { innermostElement(of: Wrapped.self) }

    static func nullElements(of node: Node) -> [Node] {
        (Wrapped.self as? any DecodableContainer.Type)?.nullElements(of: node) ?? []
    }
}

extension Array: DecodableContainer where Element: Decodable {
    static var element: ObjectIdentifier { innermostElement(of: Element.self) }

    static func nullElements(of node: Node) -> [Node] {
        node.kind == .array
            ? RestNetworking.nullElements(among: node.elements, Element.self) : []
    }
}

extension Set: DecodableContainer where Element: Decodable {
    static var element: ObjectIdentifier { innermostElement(of: Element.self) }

    static func nullElements(of node: Node) -> [Node] { [Element].nullElements(of: node) }
}

extension Dictionary: DecodableContainer where Value: Decodable {
    static var element: ObjectIdentifier { innermostElement(of: Value.self) }

    static func nullElements(of node: Node) -> [Node] {
        node.kind == .object
            ? RestNetworking.nullElements(among: node.members.map(\.value), Value.self) : []
    }
}

/// A representation without some of its elements.
struct ReducedRepresentation {
    private let original: Node
    private let removed: Set<Int>
    /// The remaining document.
    let document: Document

    init(_ original: Node, without removed: [Node]) {
        self.original = original
        self.removed = Set(removed.map(\.index))
        var builder = DocumentBuilder()
        builder.copy(original, without: self.removed)
        document = builder.finish()
    }

    /// Returns the path in the original document of a value of the remaining one.
    func originalPath(of path: DocumentPath) -> DocumentPath {
        var components = original.path.components
        var node: Node? = original
        for component in path.components {
            var component = component
            if case .index(let index) = component, let list = node, list.kind == .array {
                let kept = list.elements.enumerated().filter { !removed.contains($0.element.index) }
                if kept.indices.contains(index) { component = .index(kept[index].offset) }
            }
            components.append(component)
            switch component {
            case .key(let key): node = node?[key]
            case .index(let index): node = node?[index]
            }
        }
        return DocumentPath(components)
    }
}

extension DocumentBuilder {
    fileprivate mutating func copy(_ node: Node, without removed: Set<Int>) {
        switch node.kind {
        case .array:
            beginArray()
            for element in node.elements where !removed.contains(element.index) {
                copy(element, without: removed)
            }
            end()
        case .object:
            beginObject()
            for (key, member) in node.members where !removed.contains(member.index) {
                self.key(key)
                copy(member, without: removed)
            }
            end()
        default: value(node)
        }
    }
}
