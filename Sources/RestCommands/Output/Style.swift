// SPDX-License-Identifier: Apache-2.0

/// A text style on a terminal with colours.
package struct Style: Sendable, Hashable {
    /// The parameter of the escape sequence that selects the style.
    ///
    /// - Source: ECMA-48, Select Graphic Rendition.
    package let parameter: Int

    package static let bold = Style(parameter: 1)
    package static let dim = Style(parameter: 2)
    package static let red = Style(parameter: 31)
    package static let green = Style(parameter: 32)
    package static let yellow = Style(parameter: 33)
    package static let cyan = Style(parameter: 36)

    /// Returns the text in this style; the text must be escaped.
    package func applied(to text: String) -> String { "\u{1B}[\(parameter)m\(text)\u{1B}[0m" }
}
