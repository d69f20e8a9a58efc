// SPDX-License-Identifier: Apache-2.0

package import RestDocument

/// A document with a value of another kind at one of its places.
package struct WrongShape: Sendable {
    /// The whole document.
    package let document: Document

    /// The place.
    package let path: DocumentPath

    /// One of each kind, and what nearly fits.
    private static let values: [Document] = [
        nil, true, false, 0, -1, 1.5, "", "text", "7", [], [nil], [1, "a"], [[]], [:], ["id": 1],
        ["id": ["id": 2]], ["a": [:]], 9_223_372_036_854_775_807, "2020-01-01T00:00:00Z",
    ]

    /// All that differ from a document at a single place.
    package static func all(of document: Document) -> [WrongShape] {
        (0..<document.storage.nodeCount).flatMap { index in
            let node = Node(storage: document.storage, index: index)
            // Keys are no values, and their text is not at the end of a path.
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
