// SPDX-License-Identifier: Apache-2.0

#if XML

import Foundation
import RestDocument

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Lets Foundation's parser read a text and makes a tree of what it says.
///
/// It ends at the first mistake, whatever the parser thinks of it.
final class XMLEventReader: NSObject, XMLParserDelegate {
    /// libxml2 looks names up in a table that stops growing at 16,384.
    private static let nameLimit = 1 << 16

    private let source: XMLSource
    private let body: XMLBody
    private let format: XMLFormat

    private var result = XMLTree()
    private var elementCount = 0
    private var endCount = 0
    private var failure: DocumentError?

    init(of source: XMLSource, _ body: XMLBody, format: XMLFormat) {
        self.source = source
        self.body = body
        self.format = format
    }

    /// Reads the text.
    func tree() throws(DocumentError) -> XMLTree {
        // From a stream, as it refuses data of ten million bytes on Linux.
        let parser = XMLParser(stream: InputStream(data: Data(body.bytes)))
        parser.delegate = self
        parser.shouldProcessNamespaces = false
        parser.shouldReportNamespacePrefixes = false
        parser.shouldResolveExternalEntities = false
        // What it returns is true for some mistakes and false for none that it does not report.
        _ = parser.parse()
        if let failure { throw failure }
        guard elementCount == body.tags.count, endCount == elementCount else {
            throw mistake(.unexpectedByte, at: position(of: parser), "expected well-formed XML")
        }
        return result
    }

    // MARK: Events

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        guard failure == nil else { return }
        guard elementCount < body.tags.count else {
            return fail(parser, .unexpectedByte, "expected well-formed XML")
        }
        let tag = body.tags[elementCount]
        elementCount += 1
        result.begin(name)
        // Names that Unicode holds for equal are one key to Foundation, which drops a value.
        guard attributes.count == tag.attributeCount else {
            return fail(parser, .duplicateKey, "expected each attribute once", at: tag.position)
        }
        // Foundation hands them over in no order.
        let ordered = attributes.sorted {
            $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
        }
        for (name, value) in ordered {
            result.add(format.attributePrefix + name, value)
            if name == "xmlns" || name.hasPrefix("xmlns:") { result.count(value) }
        }
        checkNames(parser)
    }

    func parser(
        _ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?
    ) {
        guard failure == nil else { return }
        result.count(target)
        checkNames(parser)
    }

    private func checkNames(_ parser: XMLParser) {
        guard result.nameCount > Self.nameLimit else { return }
        fail(parser, .limitExceeded, "at most \(Self.nameLimit) different names")
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        guard failure == nil else { return }
        result.add(text: text)
    }

    func parser(_ parser: XMLParser, foundCDATA data: Data) {
        guard failure == nil else { return }
        result.add(text: String(decoding: data, as: UTF8.self))
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard failure == nil else { return }
        endCount += 1
        result.end(textKey: format.textKey)
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        let number = (error as NSError).code
        guard failure == nil, !XMLMistake.warnings.contains(number) else { return }
        let (code, expected) = XMLMistake.explained(number)
        fail(parser, code, code == .limitExceeded ? expected : "expected \(expected)")
    }

    // MARK: Mistakes

    private func fail(
        _ parser: XMLParser, _ code: DocumentError.Code, _ expected: String, at place: Int? = nil
    ) {
        failure = mistake(code, at: place ?? position(of: parser), expected)
        parser.abortParsing()
    }

    private func position(of parser: XMLParser) -> Int {
        body.markupPosition(line: parser.lineNumber, column: parser.columnNumber)
    }

    private func mistake(
        _ code: DocumentError.Code, at position: Int, _ expected: String
    ) -> DocumentError {
        let path = DocumentPath(result.openNames.prefix(512).map { .key($0) })
        return source.error(code, at: position, expected, path: path)
    }
}

/// The mistakes of libxml2, the parser below Foundation's, by their numbers.
private enum XMLMistake {
    /// Versions and languages it does not know, relative namespaces, values of `xml:space`, names of
    /// processing instructions that begin with `xml`.
    static let warnings: Set<Int> = [64, 97, 98, 99, 100, 102]

    static func explained(_ number: Int) -> (DocumentError.Code, expected: String) {
        switch number {
        case 6...9: (.unexpectedByte, "a reference to a character that XML allows")
        case 23, 26, 27: (.unexpectedByte, "one of the five entities of XML")
        case 39: (.unexpectedByte, "an attribute's value in quotes")
        case 41: (.unexpectedByte, "a value for each attribute")
        case 42, 203: (.duplicateKey, "each attribute once")
        case 65: (.unexpectedByte, "a blank before each attribute")
        case 68: (.unexpectedByte, "a name")
        case 110: (.limitExceeded, "at most 50000 bytes in a name")
        case 201: (.unexpectedByte, "a prefix that is declared")
        case 200, 202, 204, 205: (.unexpectedByte, "names and namespaces as they are specified")
        default: (.unexpectedByte, "well-formed XML (mistake \(number) of libxml2)")
        }
    }
}

#endif
