// SPDX-License-Identifier: Apache-2.0

#if XML

/// A text as Foundation's parser gets it: one element, and neither an XML declaration nor a document
/// type.
struct XMLBody {
    /// The start tag of an element, or its only one.
    struct Tag {
        /// Where it begins in the text.
        let position: Int
        let attributeCount: Int
    }

    /// The text in UTF-8.
    private(set) var bytes: [UInt8] = []
    /// All tags that begin elements, in their order.
    var tags: [Tag] = []

    /// Where the parts of ``bytes`` begin, there and in the whole text.
    private var parts: [(inBody: Int, inText: Int)] = []

    /// Adds a part of the text, with every end of a line as one line feed (XML 1.0 §2.11); the parser
    /// leaves some as they are.
    mutating func append(_ part: ArraySlice<UInt8>) {
        var rest = part
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\r")) ?? rest.endIndex
            parts.append((bytes.count, rest.startIndex))
            bytes += rest[..<end]
            rest = rest[end...]
            guard rest.popFirst() != nil else { return }
            if rest.first != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        }
    }

    /// Adds what makes sure that the processing instruction being added has content.
    mutating func appendContent() {
        bytes += " .".utf8
    }

    /// Finds the tag or reference that a place is in or behind.
    ///
    /// - Parameters:
    ///   - line: The line of the place, counted from 1.
    ///   - column: The character of the line, counted from 1.
    /// - Returns: Where it begins in the text.
    func markupPosition(line: Int, column: Int) -> Int {
        var place = 0
        for _ in 1..<max(1, line) {
            guard let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) else { break }
            place = end + 1
        }
        var columns = column - 1
        while place < bytes.count, bytes[place] & 0xC0 == 0x80 || columns > 0 {
            if bytes[place] & 0xC0 != 0x80 { columns -= 1 }
            place += 1
        }
        // The parser tells where it stood when it found the mistake, at times behind all of it.
        let markup = bytes[..<place].lastIndex {
            $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&")
        }
        return position(inText: markup ?? 0)
    }

    private func position(inText place: Int) -> Int {
        guard let part = parts.last(where: { $0.inBody <= place }) else { return place }
        return part.inText + place - part.inBody
    }
}

#endif
