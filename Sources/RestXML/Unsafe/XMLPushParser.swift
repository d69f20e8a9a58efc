// SPDX-License-Identifier: Apache-2.0

import CLibXML2
import RestDocument

/// Parses a text with libxml2, one segment at a time, into a tree builder.
@safe final class XMLPushParser {
    /// Text is parsed in pieces, as libxml2 accepts at most ten million bytes at once.
    private static let pieceByteCount = 1 << 16

    /// Initializes the globals of libxml2 before several threads use it.
    private static let initialization: Void = xmlInitParser()

    private(set) var builder: XMLTreeBuilder

    private let bytes: [UInt8]
    /// The segment that is being parsed and the end of what libxml2 has of it.
    private var segment = XMLSegment(kind: .ignored, range: 0..<0)
    private var passedEnd = 0
    /// The first error, after which events are ignored.
    private var failure: XMLSyntaxError?

    // Invariant: points to a context of libxml2 from init to deinit. Its user data is this object,
    // not retained, which libxml2 uses only in calls that `parse(_:)` makes.
    private let context: xmlParserCtxtPtr

    /// Creates a parser for a text in UTF-8.
    init(_ bytes: [UInt8], builder: XMLTreeBuilder) {
        _ = Self.initialization
        self.bytes = bytes
        self.builder = builder
        var handler = unsafe xmlSAXHandler.forwardingEvents
        guard let context = unsafe xmlCreatePushParserCtxt(&handler, nil, nil, 0, nil) else {
            preconditionFailure("libxml2 has no memory for a parser")
        }
        unsafe self.context = context
        unsafe context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
        // NOENT replaces "&amp;" in attributes. Other entities would need a declaration.
        _ = unsafe xmlCtxtUseOptions(
            context, CInt(XML_PARSE_NONET.rawValue | XML_PARSE_NOENT.rawValue))
        // libxml2 waits for four bytes to detect an encoding. Behind blanks it accepts no second
        // XML declaration.
        _ = unsafe xmlParseChunk(context, "    ", 4, 0)
    }

    deinit {
        if let document = unsafe context.pointee.myDoc { unsafe xmlFreeDoc(document) }
        unsafe xmlFreeParserCtxt(context)
    }

    /// Parses the segment that follows the ones before.
    func parse(_ segment: XMLSegment) throws(XMLSyntaxError) {
        try builder.check(segment)
        self.segment = segment
        let tagCount = builder.tagCount
        var rest = bytes[segment.range]
        while !rest.isEmpty, failure == nil {
            let piece = nextPiece(of: rest)
            rest = rest[piece.endIndex...]
            passedEnd = piece.endIndex
            unsafe piece.withUnsafeBytes { buffer in
                // Invariant: both types are one byte.
                let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                _ = unsafe xmlParseChunk(context, start, CInt(buffer.count), 0)
            }
        }
        if segment.isTag, builder.tagCount == tagCount {
            // libxml2 waits, for example for the end of a reference before the tag.
            try finish()
            throw XMLLibraryError.unknown.syntaxError(at: passedEnd, of: segment, in: bytes)
        }
        if let failure { throw failure }
    }

    /// Parses what libxml2 has not yet parsed of the segments before.
    func finish() throws(XMLSyntaxError) {
        if failure == nil { _ = unsafe xmlParseChunk(context, nil, 0, 1) }
        if let failure { throw failure }
    }

    /// Returns the whole of markup, so that libxml2 does not wait for its end, or a piece of text
    /// that ends between two characters.
    private func nextPiece(of rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard segment.isDivisible, rest.count > Self.pieceByteCount else { return rest }
        var end = rest.startIndex + Self.pieceByteCount
        while bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return rest[..<end]
    }

    /// Passes an event to the builder unless parsing has failed.
    func report(
        _ event: (inout XMLTreeBuilder, Int) throws(XMLSyntaxError) -> Void
    ) {
        guard failure == nil else { return }
        do throws(XMLSyntaxError) {
            try event(&builder, segment.range.lowerBound)
        } catch {
            failure = error
        }
    }

    func fail(_ error: XMLLibraryError) {
        guard failure == nil else { return }
        // `cur` is the position of libxml2 in the bytes it has, and `end` their end.
        var offset = passedEnd
        if let input = unsafe context.pointee.input {
            unsafe offset -= input.pointee.end - input.pointee.cur
        }
        failure = error.syntaxError(
            at: max(0, min(offset, passedEnd)), of: segment, in: bytes)
    }
}
