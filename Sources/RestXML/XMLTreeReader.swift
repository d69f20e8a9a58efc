// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An element with what it holds.
///
/// A class, so that an element can be filled while its parents are open.
final class ElementNode {
    let name: String
    let attributes: [(name: String, value: String)]
    var elements: [ElementNode] = []
    var text = ""

    init(name: String, attributes: [(name: String, value: String)]) {
        self.name = name
        self.attributes = attributes
    }
}

/// Collects the events of Foundation's parser as a tree, within limits.
final class XMLTreeReader: NSObject, XMLParserDelegate {
    /// Deeper than what any format of the field needs, and what recursion can bear anywhere.
    private static let depthLimit = 256

    private let bytes: [UInt8]
    private let limits: ParseLimits
    private let depthLimit: Int
    private let textKey: String

    private var root: ElementNode?
    private var open: [ElementNode] = []
    private var nodeCount = 1
    private var failure: DocumentError?

    init(_ bytes: [UInt8], limits: ParseLimits, format: XMLFormat) {
        self.bytes = bytes
        self.limits = limits
        depthLimit = min(limits.depth, Self.depthLimit)
        textKey = format.textKey
    }

    func read() throws(DocumentError) -> ElementNode {
        if bytes.isEmpty {
            throw XMLPlace(offset: 0, in: bytes).error(.unexpectedEnd, "expected an element")
        }
        let parser = XMLParser(data: Data(bytes))
        parser.delegate = self
        parser.shouldProcessNamespaces = false
        parser.shouldReportNamespacePrefixes = false
        parser.shouldResolveExternalEntities = false
        let isWellFormed = parser.parse()
        if let failure { throw failure }
        guard isWellFormed, let root, open.isEmpty else { throw error(of: parser) }
        return root
    }

    // MARK: Events

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        guard failure == nil else { return }
        // Foundation hands them over in no order.
        let attributes = attributes.map { (name: $0.key, value: $0.value) }
            .sorted { $0.name < $1.name }
        let element = ElementNode(name: name, attributes: attributes)
        if open.isEmpty { root = element }
        open.last?.elements.append(element)
        open.append(element)
        // Key and value of the element, its attributes, and its text.
        nodeCount += 3 + attributes.count * 2
        // The outermost object holds the root.
        check(open.count < depthLimit, "at most \(depthLimit) containers inside each other", parser)
        check(nodeCount <= limits.nodeCount, "at most \(limits.nodeCount) values and keys", parser)
        let siblings = open.dropLast().last
        let members = siblings.map { $0.elements.count + $0.attributes.count } ?? 1
        check(
            max(members, attributes.count) <= limits.memberCount,
            "at most \(limits.memberCount) members in an object", parser)
        for text in [name] + attributes.flatMap({ [$0.name, $0.value] }) { check(text, parser) }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        guard failure == nil, let element = open.last else { return }
        element.text += text
        check(element.text, parser)
    }

    func parser(_ parser: XMLParser, foundCDATA data: Data) {
        self.parser(parser, foundCharacters: String(decoding: data, as: UTF8.self))
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        _ = open.popLast()
    }

    // MARK: Limits and mistakes

    private func check(_ text: String, _ parser: XMLParser) {
        check(
            text.utf8.count <= limits.stringByteCount,
            "at most \(limits.stringByteCount) bytes in a string", parser)
    }

    private func check(_ isWithin: Bool, _ limit: String, _ parser: XMLParser) {
        guard !isWithin, failure == nil else { return }
        failure = place(of: parser).error(.limitExceeded, limit, path: path)
        parser.abortParsing()
    }

    private func place(of parser: XMLParser) -> XMLPlace {
        XMLPlace(line: parser.lineNumber, column: parser.columnNumber, in: bytes)
    }

    /// The names of the open elements; the places in arrays are not known yet.
    private var path: DocumentPath {
        DocumentPath(open.prefix(512).map { .key($0.name) })
    }

    private func error(of parser: XMLParser) -> DocumentError {
        let number = (parser.parserError as NSError?)?.code ?? 0
        let (code, expected) = XMLMistake.explained(number, openElement: open.last?.name)
        let end = XMLPlace(offset: bytes.count, in: bytes)
        let place = code == .unexpectedEnd ? end : place(of: parser)
        return place.error(code, expected, path: path)
    }
}

/// The mistakes that the parser below Foundation knows, by their numbers.
private enum XMLMistake {
    static func explained(
        _ number: Int, openElement: String?
    ) -> (DocumentError.Code, expected: String) {
        switch number {
        case 4, 5, 77:
            let what = openElement.map { "the end of element \($0)" } ?? "an element"
            return (.unexpectedEnd, "expected \(what)")
        case 76:
            return (
                .unexpectedByte,
                openElement.map { "expected the end of element \($0)" } ?? "expected an element"
            )
        case 9: return (.unexpectedByte, "a character that XML allows")
        case 26, 27: return (.unexpectedByte, "one of the five entities of XML")
        case 38, 39: return (.unexpectedByte, "expected a value in quotes without \"<\"")
        case 41: return (.unexpectedByte, "expected \"=\" and a value after the attribute's name")
        case 42: return (.duplicateKey, "each attribute once")
        case 73: return (.unexpectedByte, "expected \">\"")
        default: return (.unexpectedByte, "expected well-formed XML (mistake \(number) of libxml2)")
        }
    }
}
