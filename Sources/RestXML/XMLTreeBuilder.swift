// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Builds a tree from the events of a parser and enforces the limits of its parts.
struct XMLTreeBuilder {
    /// An element whose end tag has not been parsed.
    private struct OpenElement {
        let name: XMLElementName
        let attributeCount: Int
        var memberCount: Int
        var textByteCount = 0
    }

    /// libxml2 compares each prefix with all that are declared in the open elements, and, up to
    /// version 2.11, each attribute with all others of its element.
    private static let attributeLimit = 1024
    /// libxml2 stores names in a hash table that stops growing at 16,384 buckets.
    private static let nameLimit = 1 << 16

    private(set) var tree = XMLTree()
    /// The number of elements that have begun or ended.
    private(set) var tagCount = 0

    private let format: XMLFormat
    private let limits: ParseLimits
    private var openElements: [OpenElement] = []
    private var openAttributeCount = 0
    private var nodeCount = 0
    private var hasRoot = false

    init(format: XMLFormat, limits: ParseLimits) {
        self.format = format
        self.limits = limits
    }

    /// The location of the next event.
    var location: XMLLocation {
        guard let element = openElements.last else { return hasRoot ? .after : .before }
        return .inside(element.name)
    }

    /// The names of the open elements.
    var path: DocumentPath { DocumentPath(tree.openNames.prefix(512).map { .key($0) }) }

    // MARK: Events

    mutating func beginElement(
        _ name: String, attributes: [XMLAttribute], at offset: Int
    ) throws(XMLSyntaxError) {
        hasRoot = true
        tagCount += 1
        if !openElements.isEmpty {
            openElements[openElements.count - 1].memberCount += 1
            try checkMembers(openElements[openElements.count - 1].memberCount, at: offset)
        }
        openElements.append(
            OpenElement(
                name: XMLElementName(
                    text: name, range: offset + 1..<offset + 1 + name.utf8.count),
                attributeCount: attributes.count, memberCount: attributes.count))
        openAttributeCount += attributes.count
        tree.begin(name)
        try checkMembers(attributes.count, at: offset)
        try check(
            openElements.count <= limits.depth,
            "at most \(limits.depth) elements inside each other", at: offset)
        // The key and the value of each.
        nodeCount += 2 + 2 * attributes.count
        try check(
            nodeCount <= limits.nodeCount, "at most \(limits.nodeCount) values and keys",
            at: offset)
        let ordered = attributes.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        for attribute in ordered {
            tree.add(format.attributePrefix + attribute.name, attribute.value)
            if attribute.isNamespace { tree.count(attribute.value) }
        }
        try checkNames(at: offset)
    }

    mutating func endElement() {
        guard let element = openElements.popLast() else { return }
        tagCount += 1
        openAttributeCount -= element.attributeCount
        tree.end(textKey: format.textKey)
    }

    mutating func add(text: String) {
        tree.add(text: text)
    }

    /// Adds a CDATA section, in which libxml2 does not normalize line ends (XML 1.0 §2.11).
    mutating func add(section text: String) {
        guard text.utf8.contains(UInt8(ascii: "\r")) else { return tree.add(text: text) }
        var scalars = String.UnicodeScalarView()
        var preceding: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if scalar == "\r" {
                scalars.append("\n")
            } else if scalar != "\n" || preceding != "\r" {
                scalars.append(scalar)
            }
            preceding = scalar
        }
        tree.add(text: String(scalars))
    }

    mutating func addInstruction(target: String, at offset: Int) throws(XMLSyntaxError) {
        tree.count(target)
        try checkNames(at: offset)
    }

    // MARK: Limits

    /// Checks the limits of a segment before it is parsed.
    mutating func check(_ segment: XMLSegment) throws(XMLSyntaxError) {
        switch segment.kind {
        case .startTag(let attributeCount):
            try check(
                openAttributeCount + attributeCount <= Self.attributeLimit,
                "at most \(Self.attributeLimit) attributes of elements inside each other",
                at: segment.range.lowerBound)
        case .text(let byteCount), .section(let byteCount):
            openElements[openElements.count - 1].textByteCount += byteCount
            try check(
                openElements[openElements.count - 1].textByteCount <= limits.stringByteCount,
                "at most \(limits.stringByteCount) bytes in a string", at: segment.range.lowerBound)
        case .endTag, .documentType, .blanks, .ignored:
            break
        }
    }

    private func checkMembers(_ count: Int, at offset: Int) throws(XMLSyntaxError) {
        try check(
            count <= limits.memberCount, "at most \(limits.memberCount) members in an object",
            at: offset)
    }

    private func checkNames(at offset: Int) throws(XMLSyntaxError) {
        try check(
            tree.nameCount <= Self.nameLimit, "at most \(Self.nameLimit) different names",
            at: offset)
    }

    private func check(
        _ isWithinLimit: Bool, _ limit: @autoclosure () -> String, at offset: Int
    ) throws(XMLSyntaxError) {
        guard isWithinLimit else {
            throw XMLSyntaxError(code: .limitExceeded, offset: offset, expected: limit())
        }
    }
}
