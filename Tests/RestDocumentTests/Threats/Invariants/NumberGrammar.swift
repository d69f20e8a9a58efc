// SPDX-License-Identifier: Apache-2.0

/// The grammar of numbers as in RFC 8259, section 6.
enum NumberGrammar {
    /// Returns a Boolean value that indicates whether a text is a JSON number.
    static func accepts(_ text: some Sequence<UInt8>) -> Bool {
        var rest = Array(text)[...]
        take("-", &rest)
        if !take("0", &rest), takeDigits(&rest) == 0 { return false }
        if take(".", &rest), takeDigits(&rest) == 0 { return false }
        if take("eE", &rest) {
            take("+-", &rest)
            if takeDigits(&rest) == 0 { return false }
        }
        return rest.isEmpty
    }

    @discardableResult
    private static func take(_ choices: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first, choices.utf8.contains(first) else { return false }
        rest.removeFirst()
        return true
    }

    private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
        let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        rest.removeFirst(digits.count)
        return digits.count
    }
}
