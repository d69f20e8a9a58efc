// SPDX-License-Identifier: Apache-2.0

import RestSyntax

/// A conversion of the values of a column from one attribute type to another.
struct AttributeConversion {
    /// The expression of the converted value.
    let value: String
    /// The condition that a value other than null is converted without loss; `nil` if all are.
    var fits: String?

    /// Creates the conversion of an expression; `nil` if the types have none.
    init?(_ value: String, from old: AttributeType, to new: AttributeType) {
        let integer = "CAST(\(value) AS INTEGER)"
        // The range in which every integer is a floating-point number.
        let isExact = "\(value) BETWEEN -9007199254740992 AND 9007199254740992"
        if old == new {
            self.init(value: value)
            return
        }
        switch (old.kind, new.kind) {
        case (.boolean, .integer), (.unsignedInteger, .decimal), (.unsignedInteger, .text),
            (.decimal, .text),
            (.date, .text), (.day, .text), (.uuid, .text), (.url, .text), (.json, .text):
            self.init(value: value)
        case (.integer, .boolean): self.init(value: value, fits: "\(value) IN (0, 1)")
        case (.integer, .double):
            self.init(value: "CAST(\(value) AS REAL)", fits: isExact)
        case (.integer, .decimal), (.integer, .text):
            self.init(value: "CAST(\(value) AS TEXT)")
        case (.integer, .unsignedInteger):
            self.init(value: "CAST(\(value) AS TEXT)", fits: "\(value) >= 0")
        case (.unsignedInteger, .integer), (.decimal, .integer), (.text, .integer):
            self.init(value: integer, fits: "CAST(\(integer) AS TEXT) = \(value)")
        case (.decimal, .unsignedInteger):
            self.init(
                value: value,
                fits: "\(value) NOT GLOB '*[^0-9]*' AND (length(\(value)) < 20 OR "
                    + "length(\(value)) = 20 AND \(value) <= '\(UInt64.max)')")
        case (.double, .integer):
            self.init(value: integer, fits: "\(isExact) AND \(integer) = \(value)")
        case (.day, .date): self.init(value: "\(value) || '\(Self.midnight)'")
        case (.date, .day):
            self.init(
                value: "substr(\(value), 1, 10)", fits: "\(value) GLOB '*\(Self.midnight)'")
        default: return nil
        }
    }

    private init(value: String, fits: String? = nil) {
        self.value = value
        self.fits = fits
    }

    private static let midnight = "T00:00:00.000000Z"

    /// The converted value, or null for a value that does not fit.
    var fittingValue: String { fits.map { "CASE WHEN \($0) THEN \(value) END" } ?? value }
}

extension StoredValue {
    /// The value as a literal of SQL.
    var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(.min): "(-9223372036854775807 - 1)"
        case .integer(let value): "\(value)"
        case .double(let value):
            value.isFinite ? "\(value)" : value < 0 ? "-9e999" : "9e999"
        case .text(let value) where value.utf8.contains(0):
            "CAST(x'\(Hexadecimal.text(of: value.utf8))' AS TEXT)"
        case .text(let value): SQLIdentifier.literal(value)
        case .data(let value): "x'\(Hexadecimal.text(of: value))'"
        }
    }
}
