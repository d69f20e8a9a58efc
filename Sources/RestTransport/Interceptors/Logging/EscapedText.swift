// SPDX-License-Identifier: Apache-2.0

/// Text from outside, as it may stand in a line of a log or on a terminal.
package enum EscapedText {
    /// The text with every character escaped that a terminal or a reader of lines could take as a
    /// command.
    ///
    /// These are the control characters, U+2028 and U+2029, and the characters that turn the
    /// direction of writing or cannot be seen; all are shown as what they are, such as `\u{1B}`.
    /// Joiners stay, as scripts and emoji are written with them.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - doublesBackslashes: Whether nothing can pretend to be an escape, as a log needs it. If
    ///     not, text that is escaped already stays as it is, as errors that quote others need it.
    /// - Returns: The text in one line.
    package static func of(_ text: String, doublesBackslashes: Bool = true) -> String {
        func isKept(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "\\" ? !doublesBackslashes : !isHarmful(scalar)
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

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
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
