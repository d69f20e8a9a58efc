// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The fields of a multipart form for the plain values of a document, in document order.
///
/// They have the names of a URL-encoded form, without percent-encoding.
struct FormFields {
    let style: FormStyle
    private(set) var fields: [(name: String, value: String)] = []

    init(style: FormStyle) {
        self.style = style
    }

    /// Adds a value with all its contents.
    ///
    /// - Throws: `DocumentError` with the path of a value that the style cannot express.
    mutating func add(
        _ node: Node, named name: String, at path: [DocumentPath.Component]
    ) throws(DocumentError) {
        switch node.kind {
        case .object:
            for (key, value) in node.members {
                try add(
                    value, named: name.isEmpty ? key : "\(name)[\(key)]", at: path + [.key(key)])
            }
        case .array: try add(elementsOf: node, named: name, at: path)
        default: text(of: node).map { fields.append((name, $0)) }
        }
    }

    private mutating func add(
        elementsOf list: Node, named name: String, at path: [DocumentPath.Component]
    ) throws(DocumentError) {
        var texts: [String] = []
        var index = 0
        for (position, element) in list.elements.enumerated() {
            let path = path + [.index(position)]
            let isPlain = element.kind != .object && element.kind != .array
            guard isPlain || style.allowsNestedLists else {
                throw unwritable(FormStyle.nestedListAdvice, path)
            }
            let count = fields.count
            switch style.lists {
            case .brackets: try add(element, named: name + "[]", at: path)
            case .indices: try add(element, named: "\(name)[\(index)]", at: path)
            case .repeated: try add(element, named: name, at: path)
            case .commas:
                guard let text = text(of: element) else { continue }
                guard !text.contains(",") else {
                    throw unwritable("text without commas in a list of this form style", path)
                }
                texts.append(text)
            }
            if fields.count > count { index += 1 }
        }
        if !texts.isEmpty { fields.append((name, texts.joined(separator: ","))) }
    }

    /// Returns the text of a plain value; `nil` for null that is left out.
    ///
    /// A field has a value, so null cannot be a bare name.
    private func text(of node: Node) -> String? {
        switch node.kind {
        case .null: style.nulls == .omitted ? nil : ""
        case .boolean: style.text(of: node.bool == true)
        default: node.string ?? node.numberText ?? ""
        }
    }

    private func unwritable(
        _ expected: String, _ path: [DocumentPath.Component]
    ) -> DocumentError {
        DocumentError(.unwritableValue, offset: 0, path: DocumentPath(path), expected: expected)
    }
}
