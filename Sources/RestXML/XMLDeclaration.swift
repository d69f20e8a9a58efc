// SPDX-License-Identifier: Apache-2.0

#if XML

import RestDocument

/// The XML declaration that a text may begin with, `<?xml version="1.0" encoding="UTF-8"?>`.
struct XMLDeclaration {
    /// The declared encoding in capital letters.
    private(set) var encoding: String?
    /// Where the declaration ends; 0 without one.
    private(set) var end = 0

    /// Reads the declaration of a text whose first bytes are ASCII.
    init(of source: XMLSource) throws(DocumentError) {
        var cursor = XMLCursor(source.bytes)
        guard cursor.take("<?xml"), cursor.next?.isBlank ?? true else { return }
        func mistake(_ expected: String) -> DocumentError {
            let code: DocumentError.Code = cursor.next == nil ? .unexpectedEnd : .unexpectedByte
            return source.error(code, at: cursor.position, expected)
        }
        /// Moves behind `name = "value"` if it stands behind blanks.
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
        // A processor of version 1.0 takes any 1.x for 1.0 (XML 1.0 §2.8).
        guard let version = takeValue(of: "version"), version.hasPrefix("1."), version.count > 2,
            version.dropFirst(2).allSatisfy({ "0"..."9" ~= $0 })
        else { throw mistake("expected a version that begins with 1.") }
        encoding = takeValue(of: "encoding")?.uppercased()
        if let standalone = takeValue(of: "standalone"), !["yes", "no"].contains(standalone) {
            throw mistake("expected yes or no for standalone")
        }
        cursor.takeBlanks()
        guard cursor.take("?>") else { throw mistake("expected the end of the XML declaration") }
        end = cursor.position
    }
}

#endif
