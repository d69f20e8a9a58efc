// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The optional XML declaration of a text, such as `<?xml version="1.0" encoding="UTF-8"?>`.
struct XMLDeclaration {
    /// The declared encoding in uppercase.
    private(set) var encoding: String?
    /// The offset after the declaration; 0 without one.
    private(set) var end = 0

    /// Parses the declaration of a text whose first bytes are ASCII.
    init(of source: XMLSource) throws(DocumentError) {
        var cursor = XMLCursor(source.bytes)
        guard cursor.take("<?xml"), cursor.next?.isBlank ?? true else { return }
        func unexpected(_ expected: String) -> DocumentError {
            let code: DocumentError.Code = cursor.next == nil ? .unexpectedEnd : .unexpectedByte
            return source.error(code, at: cursor.offset, expected)
        }
        /// Moves past blanks and `name = "value"`, if they are next, and returns the value.
        func takeValue(of name: String) -> String? {
            var ahead = cursor
            guard ahead.takeBlanks(), ahead.take(name) else { return nil }
            ahead.takeBlanks()
            guard ahead.take("=") else { return nil }
            ahead.takeBlanks()
            guard let value = ahead.takeQuoted() else { return nil }
            cursor = ahead
            return String(decoding: source.bytes[value], as: UTF8.self)
        }
        // A processor of version 1.0 accepts any 1.x as 1.0 (XML 1.0 §2.8).
        guard let version = takeValue(of: "version"), version.hasPrefix("1."), version.count > 2,
            version.dropFirst(2).allSatisfy({ "0"..."9" ~= $0 })
        else { throw unexpected("expected a version that begins with 1.") }
        encoding = takeValue(of: "encoding")?.uppercased()
        if let standalone = takeValue(of: "standalone"), !["yes", "no"].contains(standalone) {
            throw unexpected("expected yes or no for standalone")
        }
        cursor.takeBlanks()
        guard cursor.take("?>") else { throw unexpected("expected the end of the XML declaration") }
        end = cursor.offset
    }
}
