// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Scalars as YAML text.
enum YAMLScalar {
    /// Words that readers of YAML 1.1 or 1.2 take for other values than text.
    private static let words: Set<String> = [
        "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", ".nan",
    ]

    /// Returns the text of a scalar, quoted if necessary.
    ///
    /// - Parameters:
    ///   - scalar: The scalar.
    ///   - isInFlow: A Boolean value that indicates whether the scalar is between brackets or braces.
    /// - Returns: The text.
    static func text(of scalar: ScalarValue, isInFlow: Bool) -> String {
        switch scalar {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let text): text
        case .text(let text): isPlain(text, isInFlow: isInFlow) ? text : quoted(text)
        }
    }

    /// Returns a Boolean value that indicates whether a text needs no quotation marks.
    private static func isPlain(_ text: String, isInFlow: Bool) -> Bool {
        guard !words.contains(text.lowercased()), let first = text.utf8.first,
            let last = text.utf8.last
        else { return false }
        let isLetter = (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
        guard isLetter || first == 0x5F || first == 0x2F || first == 0x24 else { return false }
        guard last != 0x20, last != 0x3A else { return false }
        guard text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return false }
        if text.contains(": ") || text.contains(" #") { return false }
        return !isInFlow || !text.utf8.contains { ",[]{}:".utf8.contains($0) }
    }

    /// Returns a text in quotation marks, with the escapes of JSON.
    ///
    /// YAML 1.1 has more line separators than JSON, which it does not allow unescaped.
    private static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in JSONWriter.compact.text(of: .string(text)).unicodeScalars {
            switch scalar.value {
            case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted
    }
}
