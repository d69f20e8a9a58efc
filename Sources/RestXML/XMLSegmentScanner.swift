// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Splits a text into segments, which libxml2 parses one at a time.
///
/// libxml2 checks what is inside a segment. The scanner checks the order of segments, whose errors
/// libxml2 locates only roughly; limits the length of a construct and the attributes of a tag, for
/// which libxml2 would need quadratic time before it reports an event; and finds constructs without
/// an end, for which a push parser waits.
struct XMLSegmentScanner {
    /// libxml2 accepts ten million bytes, including the delimiters.
    private static let markupLimit = 1 << 23

    private let allowsDocumentType: Bool
    private let stringByteLimit: Int
    private var cursor: XMLCursor

    init(_ source: XMLSource, limits: ParseLimits, allowsDocumentType: Bool) {
        self.allowsDocumentType = allowsDocumentType
        stringByteLimit = limits.stringByteCount
        cursor = XMLCursor(source.bytes)
        cursor.offset = source.start
    }

    /// Scans the next segment.
    ///
    /// - Parameter location: The location of the segment relative to the root element.
    /// - Returns: The segment, or `nil` at the end of the text.
    /// - Throws: ``XMLSyntaxError`` for a segment that cannot be at the location, has no end, or
    ///   exceeds a limit.
    mutating func next(at location: XMLLocation) throws(XMLSyntaxError) -> XMLSegment? {
        let start = cursor.offset
        guard let kind = try take(at: location) else { return nil }
        let segment = XMLSegment(kind: kind, range: start..<cursor.offset)
        guard segment.isDivisible || segment.range.count <= Self.markupLimit else {
            throw XMLSyntaxError(
                limit: "at most \(Self.markupLimit) bytes in a tag or comment", at: start)
        }
        return segment
    }

    private mutating func take(
        at location: XMLLocation
    ) throws(XMLSyntaxError) -> XMLSegment.Kind? {
        if try takeIgnored() { return .ignored }
        switch location {
        case .before:
            if cursor.takeBlanks() { return .blanks }
            if cursor.isAt("<!DOCTYPE") { return try takeDocumentType() }
            guard cursor.next == UInt8(ascii: "<") else { throw unexpected("an element") }
            return try takeStartTag()
        case .inside(let element):
            if cursor.next != UInt8(ascii: "<") { return try takeText(of: element) }
            switch cursor.second {
            case UInt8(ascii: "!"): return try takeSection()
            case UInt8(ascii: "/"): return try takeEndTag(of: element)
            default: return try takeStartTag()
            }
        case .after:
            if cursor.takeBlanks() { return .blanks }
            guard cursor.next != nil else { return nil }
            throw XMLSyntaxError(
                code: .trailingContent, offset: cursor.offset,
                expected: "expected the end after the root element")
        }
    }

    // MARK: Segments

    /// Moves past a comment or a processing instruction, if one is next.
    private mutating func takeIgnored() throws(XMLSyntaxError) -> Bool {
        guard cursor.second == UInt8(ascii: "!") || cursor.second == UInt8(ascii: "?") else {
            return false
        }
        if cursor.take("<!--") {
            guard cursor.move(to: "--"), cursor.take("-->") else {
                throw unexpected("the comment to end with -->")
            }
        } else if cursor.take("<?") {
            guard cursor.move(to: "?>") else {
                throw unexpected("the processing instruction to end with ?>")
            }
            cursor.offset += 2
        } else {
            return false
        }
        return true
    }

    private mutating func takeDocumentType() throws(XMLSyntaxError) -> XMLSegment.Kind {
        guard allowsDocumentType else {
            throw XMLSyntaxError(
                code: .unexpectedByte, offset: cursor.offset, expected: "expected no document type")
        }
        let start = cursor.offset
        // libxml2 does not require the blank.
        guard cursor.take("<!DOCTYPE"), cursor.takeBlanks() else { throw unexpected("a name") }
        _ = try takeAttributes(upTo: UInt8(ascii: "["), of: start)
        guard cursor.take(">") else {
            throw unexpected("a document type without declarations of its own")
        }
        return .documentType
    }

    private mutating func takeText(
        of element: XMLElementName
    ) throws(XMLSyntaxError) -> XMLSegment.Kind {
        let start = cursor.offset
        while let byte = cursor.next, byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: ">"), cursor.offset - start >= 2,
                cursor.bytes[cursor.offset - 2..<cursor.offset].elementsEqual("]]".utf8)
            {
                cursor.offset -= 2
                throw unexpected("no \"]]>\" in text")
            }
            cursor.offset += 1
        }
        guard cursor.next != nil else { throw unexpected(element.end) }
        return .text(byteCount: cursor.offset - start)
    }

    private mutating func takeSection() throws(XMLSyntaxError) -> XMLSegment.Kind {
        guard cursor.take("<![CDATA[") else {
            cursor.offset += 1
            throw unexpected("a comment or a CDATA section")
        }
        let start = cursor.offset
        guard cursor.move(to: "]]>") else { throw unexpected("the section to end with ]]>") }
        defer { cursor.offset += 3 }
        return .section(byteCount: cursor.offset - start)
    }

    private mutating func takeEndTag(
        of element: XMLElementName
    ) throws(XMLSyntaxError) -> XMLSegment.Kind {
        let start = cursor.offset
        cursor.offset += 2
        guard cursor.takeName() == cursor.bytes[element.range] else {
            if cursor.next != nil { cursor.offset = start }
            throw unexpected(element.end)
        }
        cursor.takeBlanks()
        guard cursor.take(">") else { throw unexpected("\">\"") }
        return .endTag
    }

    private mutating func takeStartTag() throws(XMLSyntaxError) -> XMLSegment.Kind {
        let start = cursor.offset
        cursor.offset += 1
        guard !cursor.takeName().isEmpty else { throw unexpected("the name of an element") }
        let attributeCount = try takeAttributes(upTo: UInt8(ascii: "<"), of: start)
        _ = cursor.take("/")
        guard cursor.take(">") else { throw unexpected("the tag to end with \">\"") }
        return .startTag(attributeCount: attributeCount)
    }

    /// Moves to the end of a tag, or to another terminator outside of quotes.
    ///
    /// - Parameters:
    ///   - terminator: The other terminator.
    ///   - start: The offset of the tag.
    /// - Returns: The number of equals signs outside of quotes.
    /// - Throws: ``XMLSyntaxError`` for a value without an end or beyond the limit.
    private mutating func takeAttributes(
        upTo terminator: UInt8, of start: Int
    ) throws(XMLSyntaxError) -> Int {
        var count = 0
        while let byte = cursor.next, byte != UInt8(ascii: ">"), byte != UInt8(ascii: "/"),
            byte != terminator
        {
            guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
                if byte == UInt8(ascii: "=") { count += 1 }
                cursor.offset += 1
                continue
            }
            guard let value = cursor.takeQuoted() else {
                cursor.offset = cursor.bytes.count
                throw unexpected("the attribute's value to end")
            }
            if terminator == UInt8(ascii: "<"),
                let bracket = cursor.bytes[value].firstIndex(of: terminator)
            {
                cursor.offset = bracket
                throw unexpected("no \"<\" in an attribute's value")
            }
            guard value.count <= stringByteLimit else {
                throw XMLSyntaxError(
                    limit: "at most \(stringByteLimit) bytes in a string", at: start)
            }
        }
        return count
    }

    private func unexpected(_ expected: String) -> XMLSyntaxError {
        XMLSyntaxError(
            code: cursor.next == nil ? .unexpectedEnd : .unexpectedByte, offset: cursor.offset,
            expected: "expected \(expected)")
    }
}
