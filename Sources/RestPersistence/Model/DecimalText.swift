// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Decimals as columns hold them: plain digits, so that one number has one text.
enum DecimalText {
    /// The text of a number.
    static func canonical(_ number: Decimal) -> String { number.description }

    /// The number a text stands for.
    static func decimal(_ text: String) -> Decimal? {
        Decimal(string: text, locale: nil)
    }

    /// The numeric order of two texts; text that is no number comes last, by bytes.
    static func compare(_ left: String, _ right: String) -> Int {
        switch (decimal(left), decimal(right)) {
        case (.some(let left), .some(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.some, .none): -1
        case (.none, .some): 1
        case (.none, .none): left.compareBytes(with: right)
        }
    }
}
