// SPDX-License-Identifier: Apache-2.0

/// A text style on a terminal with colours.
struct Style: Sendable, Hashable {
    /// The parameter of the escape sequence that selects the style.
    ///
    /// - Source: ECMA-48, Select Graphic Rendition.
    let parameter: Int

    static let bold = Style(parameter: 1)
    static let dim = Style(parameter: 2)
    static let red = Style(parameter: 31)
    static let green = Style(parameter: 32)
    static let yellow = Style(parameter: 33)
    static let cyan = Style(parameter: 36)

    /// Returns the text in this style; the text must be escaped.
    func applied(to text: String) -> String { "\u{1B}[\(parameter)m\(text)\u{1B}[0m" }
}
