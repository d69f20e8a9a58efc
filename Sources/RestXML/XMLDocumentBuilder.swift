// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Writes a tree of elements as a document.
///
/// It calls itself once for each level; the reader has bounded them.
struct XMLDocumentBuilder {
    /// What stands under one name.
    private enum Value {
        case text(String)
        case element(ElementNode)
    }

    private let format: XMLFormat
    private var builder = DocumentBuilder()

    init(_ format: XMLFormat) {
        self.format = format
    }

    consuming func document(of root: ElementNode) -> Document {
        builder.beginObject()
        builder.key(root.name)
        append([.element(root)], isArray: format.arrayNames.contains(root.name))
        builder.end()
        return builder.finish()
    }

    private mutating func append(_ element: ElementNode) {
        if element.attributes.isEmpty, element.elements.isEmpty {
            return builder.string(element.text)
        }
        var names: [String] = []
        var values: [XMLName: [Value]] = [:]
        func add(_ value: Value, _ name: String) {
            if values[XMLName(text: name)] == nil { names.append(name) }
            values[XMLName(text: name), default: []].append(value)
        }
        for attribute in element.attributes {
            add(.text(attribute.value), format.attributePrefix + attribute.name)
        }
        for child in element.elements { add(.element(child), child.name) }
        if !element.text.utf8.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
            add(.text(element.text), format.textKey)
        }
        builder.beginObject()
        for name in names {
            builder.key(name)
            let isArray = format.arrayNames.contains(name)
            append(values[XMLName(text: name)] ?? [], isArray: isArray)
        }
        builder.end()
    }

    private mutating func append(_ values: [Value], isArray: Bool) {
        let isArray = isArray || values.count > 1
        if isArray { builder.beginArray() }
        for value in values {
            switch value {
            case .text(let text): builder.string(text)
            case .element(let element): append(element)
            }
        }
        if isArray { builder.end() }
    }
}

/// A name that equals another one only byte for byte, not by the rules of Unicode.
private struct XMLName: Hashable {
    let text: String

    static func == (left: XMLName, right: XMLName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
