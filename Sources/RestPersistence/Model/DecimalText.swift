// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The text of decimals in columns: plain digits, so that equal numbers have equal text.
enum DecimalText {
    /// Returns the text of a number.
    static func canonical(_ number: Decimal) -> String { number.description }

    /// Returns the number of a text; `nil` if it is malformed.
    static func decimal(_ text: String) -> Decimal? {
        Decimal(string: text, locale: nil)
    }

    /// Compares two texts numerically; malformed texts come last, ordered by bytes.
    static func compare(_ left: String, _ right: String) -> Int {
        switch (decimal(left), decimal(right)) {
        case (.some(let left), .some(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.some, .none): -1
        case (.none, .some): 1
        case (.none, .none): left.compareBytes(with: right)
        }
    }
}
