// SPDX-License-Identifier: Apache-2.0

#if XML

import RestDocument

/// Goes once over the markup of a text, before Foundation's parser sees any of it.
///
/// That parser, on Linux, takes two root elements, text behind the root and texts that are cut off
/// for one good document, ends the process at a processing instruction without content, leaves out
/// the values of entities, and says only roughly where it is. So this makes sure that there is one
/// element with every tag inside it closed, holds the limits, takes out or completes what the parser
/// must not see, and leaves to it what is inside tags, references and processing instructions.
struct XMLScanner {
    /// An element whose end has not come.
    private struct OpenElement {
        let name: Range<Int>
        let attributeCount: Int
        var memberCount: Int
        var textByteCount = 0
    }

    /// libxml2 takes ten million bytes, less what comes with the end of the markup.
    private static let markupLimit = 1 << 23
    /// Older ones of libxml2 compare each attribute with all others of its element, and each prefix
    /// with all that are declared around it.
    private static let attributeLimit = 1024

    private let source: XMLSource
    private let limits: ParseLimits
    private let allowsDocumentType: Bool

    private var cursor: XMLCursor
    private var body = XMLBody()
    /// Where the part begins that is not yet in the body.
    private var partStart: Int
    private var open: [OpenElement] = []
    private var openAttributeCount = 0
    private var nodeCount = 0

    init(_ source: XMLSource, limits: ParseLimits, allowsDocumentType: Bool) {
        self.source = source
        self.limits = limits
        self.allowsDocumentType = allowsDocumentType
        cursor = XMLCursor(source.bytes)
        cursor.position = source.start
        partStart = source.start
    }

    /// Goes over all of the text.
    mutating func scan() throws(DocumentError) -> XMLBody {
        try takeProlog()
        guard cursor.next == UInt8(ascii: "<") else { throw unexpected("an element") }
        try takeTag()
        while let element = open.last { try takeContent(of: element) }
        try takeMisc()
        guard cursor.next == nil else {
            throw source.error(
                .trailingContent, at: cursor.position, "expected the end after the root element")
        }
        body.append(source.bytes[partStart...])
        return body
    }

    // MARK: Around the root element

    private mutating func takeProlog() throws(DocumentError) {
        try takeMisc()
        let start = cursor.position
        guard cursor.take("<!DOCTYPE") else { return }
        guard allowsDocumentType else {
            throw source.error(.unexpectedByte, at: start, "expected no document type")
        }
        guard cursor.takeBlanks(), !cursor.takeName().isEmpty else { throw unexpected("a name") }
        if cursor.takeBlanks() {
            let isPublic = cursor.take("PUBLIC")
            if isPublic || cursor.take("SYSTEM") {
                for _ in 0..<(isPublic ? 2 : 1) {
                    guard cursor.takeBlanks(), cursor.takeQuoted() != nil else {
                        throw unexpected("an identifier in quotes")
                    }
                }
                cursor.takeBlanks()
            }
        }
        guard cursor.take(">") else {
            throw unexpected("a document type without declarations of its own")
        }
        body.append(source.bytes[partStart..<start])
        partStart = cursor.position
        try takeMisc()
    }

    /// Moves behind blanks, comments and processing instructions.
    private mutating func takeMisc() throws(DocumentError) {
        repeat { cursor.takeBlanks() } while try takeIgnored()
    }

    /// Moves behind a comment or processing instruction, if one is there.
    private mutating func takeIgnored() throws(DocumentError) -> Bool {
        let start = cursor.position
        if cursor.take("<!--") {
            guard cursor.move(to: "--"), cursor.take("-->") else {
                throw unexpected("the comment to end with -->")
            }
        } else if cursor.take("<?") {
            let target = cursor.takeName()
            guard !isReserved(target) else {
                cursor.position = start
                throw unexpected("the XML declaration at the start only")
            }
            guard cursor.move(to: "?>") else {
                throw unexpected("the processing instruction to end with ?>")
            }
            body.append(source.bytes[partStart..<cursor.position])
            body.appendContent()
            partStart = cursor.position
            cursor.position += 2
        } else {
            return false
        }
        try checkMarkup(from: start)
        return true
    }

    /// Whether a processing instruction would be called `xml`, which only the declaration is.
    private func isReserved(_ name: Range<Int>) -> Bool {
        source.bytes[name].lazy.map { $0 | 0x20 }.elementsEqual("xml".utf8)
    }

    // MARK: Inside it

    private mutating func takeContent(of element: OpenElement) throws(DocumentError) {
        try takeText()
        switch cursor.second {
        case nil where cursor.next == nil: throw unexpected(endOfElement)
        case UInt8(ascii: "/"): try takeEnd(of: element)
        case UInt8(ascii: "!"), UInt8(ascii: "?"):
            if try !takeIgnored() { try takeSection() }
        default: try takeTag()
        }
    }

    private mutating func takeEnd(of element: OpenElement) throws(DocumentError) {
        let start = cursor.position
        cursor.position += 2
        let name = cursor.takeName()
        guard source.bytes[name] == source.bytes[element.name] else {
            if cursor.next != nil { cursor.position = start }
            throw unexpected(endOfElement)
        }
        cursor.takeBlanks()
        guard cursor.take(">") else { throw unexpected("\">\"") }
        try checkMarkup(from: start)
        close(element)
    }

    private mutating func takeSection() throws(DocumentError) {
        let start = cursor.position
        guard cursor.take("<![CDATA[") else {
            cursor.position += 1
            throw unexpected("a comment or a CDATA section")
        }
        let content = cursor.position
        guard cursor.move(to: "]]>") else { throw unexpected("the section to end with ]]>") }
        try count(textBytes: cursor.position - content, at: start)
        cursor.position += 3
        try checkMarkup(from: start)
    }

    private mutating func takeText() throws(DocumentError) {
        let start = cursor.position
        while let byte = cursor.next, byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: ">"), cursor.position - start >= 2,
                source.bytes[cursor.position - 2..<cursor.position].elementsEqual("]]".utf8)
            {
                cursor.position -= 2
                throw unexpected("no \"]]>\" in text")
            }
            cursor.position += 1
        }
        try count(textBytes: cursor.position - start, at: start)
    }

    /// Moves behind a tag that begins an element; the place is its `<`.
    private mutating func takeTag() throws(DocumentError) {
        let start = cursor.position
        cursor.position += 1
        let name = cursor.takeName()
        guard !name.isEmpty else { throw unexpected("the name of an element") }
        var attributeCount = 0
        while let byte = cursor.next, byte != UInt8(ascii: ">"), byte != UInt8(ascii: "<") {
            guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
                if byte == UInt8(ascii: "/") { break }
                if byte == UInt8(ascii: "=") { attributeCount += 1 }
                cursor.position += 1
                continue
            }
            guard let value = cursor.takeQuoted() else {
                cursor.position = source.bytes.count
                throw unexpected("the attribute's value to end")
            }
            if let bracket = source.bytes[value].firstIndex(of: UInt8(ascii: "<")) {
                cursor.position = bracket
                throw unexpected("no \"<\" in an attribute's value")
            }
            guard value.count <= limits.stringByteCount else {
                throw exceeded("at most \(limits.stringByteCount) bytes in a string", at: start)
            }
        }
        let isEmpty = cursor.take("/")
        guard cursor.take(">") else { throw unexpected("the tag to end with \">\"") }
        try checkMarkup(from: start)
        try count(element: name, attributeCount: attributeCount, at: start)
        if isEmpty, let element = open.last { close(element) }
    }

    private mutating func close(_ element: OpenElement) {
        openAttributeCount -= element.attributeCount
        open.removeLast()
    }

    // MARK: Limits

    private mutating func count(
        element name: Range<Int>, attributeCount: Int, at start: Int
    ) throws(DocumentError) {
        if !open.isEmpty {
            open[open.count - 1].memberCount += 1
            try require(members: open[open.count - 1].memberCount, at: start)
        }
        open.append(
            OpenElement(name: name, attributeCount: attributeCount, memberCount: attributeCount))
        try require(members: attributeCount, at: start)
        guard open.count <= limits.depth else {
            throw exceeded("at most \(limits.depth) elements inside each other", at: start)
        }
        // The key and the value of each.
        nodeCount += 2 + 2 * attributeCount
        guard nodeCount <= limits.nodeCount else {
            throw exceeded("at most \(limits.nodeCount) values and keys", at: start)
        }
        openAttributeCount += attributeCount
        guard openAttributeCount <= Self.attributeLimit else {
            throw exceeded(
                "at most \(Self.attributeLimit) attributes of elements inside each other",
                at: start)
        }
        body.tags.append(XMLBody.Tag(position: start, attributeCount: attributeCount))
    }

    private func require(members count: Int, at start: Int) throws(DocumentError) {
        guard count <= limits.memberCount else {
            throw exceeded("at most \(limits.memberCount) members in an object", at: start)
        }
    }

    private mutating func count(textBytes count: Int, at start: Int) throws(DocumentError) {
        open[open.count - 1].textByteCount += count
        guard open[open.count - 1].textByteCount <= limits.stringByteCount else {
            throw exceeded("at most \(limits.stringByteCount) bytes in a string", at: start)
        }
    }

    /// Checks the length of a tag, comment, processing instruction or section, whose end is the place.
    private func checkMarkup(from start: Int) throws(DocumentError) {
        guard cursor.position - start <= Self.markupLimit else {
            throw exceeded("at most \(Self.markupLimit) bytes in a tag or comment", at: start)
        }
    }

    // MARK: Mistakes

    private var endOfElement: String {
        let name = open.last.map { String(decoding: source.bytes[$0.name], as: UTF8.self) } ?? ""
        return "the end of element \(DocumentPath([.key(name)]).abbreviated)"
    }

    private func unexpected(_ expected: String) -> DocumentError {
        let code: DocumentError.Code = cursor.next == nil ? .unexpectedEnd : .unexpectedByte
        return source.error(code, at: cursor.position, "expected \(expected)", path: path)
    }

    private func exceeded(_ limit: String, at start: Int) -> DocumentError {
        source.error(.limitExceeded, at: start, limit, path: path)
    }

    private var path: DocumentPath {
        DocumentPath(
            open.prefix(512).map { .key(String(decoding: source.bytes[$0.name], as: UTF8.self)) })
    }
}

#endif
