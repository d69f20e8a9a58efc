// SPDX-License-Identifier: Apache-2.0

package import RestDocument

/// A document in which one value has been replaced by one of another kind.
package struct WrongShape: Sendable {
    /// The document.
    package let document: Document

    /// The path of the replaced value.
    package let path: DocumentPath

    /// Values of each kind, including some that nearly fit.
    private static let values: [Document] = [
        nil, true, false, 0, -1, 1.5, "", "text", "7", [], [nil], [1, "a"], [[]], [:], ["id": 1],
        ["id": ["id": 2]], ["a": [:]], 9_223_372_036_854_775_807, "2020-01-01T00:00:00Z",
    ]

    /// Returns all variants of a document with one replaced value.
    package static func all(of document: Document) -> [WrongShape] {
        (0..<document.storage.nodeCount).flatMap { index in
            let node = Node(storage: document.storage, index: index)
            // Keys are not values, and no path leads to them.
            guard document.root[node.path]?.index == index else { return [WrongShape]() }
            return values.map { value in
                WrongShape(document: replaced(document.root, index, with: value), path: node.path)
            }
        }
    }

    private static func replaced(_ node: Node, _ index: Int, with value: Document) -> Document {
        if node.index == index { return value }
        switch node.kind {
        case .array: return .array(node.elements.map { replaced($0, index, with: value) })
        case .object:
            return .object(node.members.map { ($0.key, replaced($0.value, index, with: value)) })
        default:
            var builder = DocumentBuilder()
            builder.value(node)
            return builder.finish()
        }
    }
}
