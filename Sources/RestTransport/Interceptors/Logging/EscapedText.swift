// SPDX-License-Identifier: Apache-2.0

/// Text from outside, as it may stand in a line of a log.
package enum EscapedText {
    /// The text with every character escaped that a terminal or a reader of lines could take as a
    /// command.
    ///
    /// These are the control characters, U+2028 and U+2029, and the characters that turn the
    /// direction of writing or cannot be seen; a backslash is doubled, so that nothing can pretend to be an
    /// escape.
    package static func of(_ text: String) -> String {
        if text.unicodeScalars.allSatisfy({ !needsEscape($0) }) { return text }
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case _ where needsEscape(scalar):
                output += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: scalar == "\\"
        case 0..<0x20, 0x7F..<0xA0: true
        case 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }
}
