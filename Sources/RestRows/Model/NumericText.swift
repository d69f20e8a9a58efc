// SPDX-License-Identifier: Apache-2.0

/// The order of numbers that columns store as text: decimals, and integers of 64 bits without sign.
///
/// The text is the one that people read, `-12.5`. An order of texts that is the order of the numbers needs
/// another text: the number of characters before the point, then the digits, `0032.5`, and for negative
/// numbers the complement of both. SQLite makes it by functions of its own, so that an index on the
/// expression orders the column and every program can write the table.
enum NumericText {
    /// Returns the expression of SQL for the order of a text; null for null.
    static func orderExpression(_ text: String) -> String {
        let point = "instr(\(text) || '.', '.')"
        var complement = text
        for (digit, letter) in zip("0123456789", "jihgfedcba") {
            complement = "replace(\(complement), '\(digit)', '\(letter)')"
        }
        return "CASE WHEN \(text) < '0' "
            + "THEN '-' || substr('00' || (999 - \(point)), -3) || \(complement) || '~' "
            + "ELSE substr('00' || \(point), -3) || \(text) END"
    }

    /// Returns the value of the expression for a text.
    static func orderKey(of text: String) -> String {
        let bytes = Array(text.utf8)
        let point = (bytes.firstIndex(of: UInt8(ascii: ".")) ?? bytes.count) + 1
        let isNegative = (bytes.first ?? 0) < UInt8(ascii: "0")
        let length = String(isNegative ? 999 - point : point)
        let prefix = String(repeating: "0", count: max(0, 3 - length.utf8.count)) + length
        if !isNegative { return prefix + text }
        let digits = bytes.map { byte in
            byte &- UInt8(ascii: "0") < 10
                ? UInt8(ascii: "j") - (byte - UInt8(ascii: "0")) : byte
        }
        return "-\(prefix)\(String(decoding: digits, as: UTF8.self))~"
    }
}
