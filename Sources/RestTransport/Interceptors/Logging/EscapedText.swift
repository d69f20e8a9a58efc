// SPDX-License-Identifier: Apache-2.0

/// The escaping of untrusted text for logs and terminals.
package enum EscapedText {
    /// Returns the text with the characters escaped that terminals or line readers interpret.
    ///
    /// These are control characters, U+2028 and U+2029, bidirectional controls, and invisible
    /// characters; they become escapes such as `\u{1B}`. Joiners are kept, because scripts and
    /// emoji need them.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - doublesBackslashes: Whether backslashes are escaped, so that text cannot imitate an
    ///     escape, as logs require. If `false`, escaped text is unchanged, as errors that quote
    ///     others require.
    /// - Returns: The text in one line.
    package static func of(_ text: String, doublesBackslashes: Bool = true) -> String {
        func isKept(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "\\" ? !doublesBackslashes : !isUnsafe(scalar)
        }
        if text.unicodeScalars.allSatisfy(isKept) { return text }
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case _ where isKept(scalar): output.unicodeScalars.append(scalar)
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            default: output += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        return output
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: false
        case 0..<0x20, 0x7F..<0xA0: true
        case 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }
}
