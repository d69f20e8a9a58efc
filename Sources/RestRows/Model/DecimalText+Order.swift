// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping

extension DecimalText {
    /// Returns the number of a column's text; `nil` if it is malformed.
    static func decimal(_ text: String) -> Decimal? { read(Array(text.utf8).span) }

    /// Compares two texts numerically; malformed texts come last, ordered by bytes.
    package static func compare(_ left: String, _ right: String) -> Int {
        switch (decimal(left), decimal(right)) {
        case (.some(let left), .some(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.some, .none): -1
        case (.none, .some): 1
        case (.none, .none): left.compareBytes(with: right)
        }
    }
}
