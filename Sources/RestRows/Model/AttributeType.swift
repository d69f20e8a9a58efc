// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping

/// The type of an attribute and of its column.
///
/// | type | column | stored value |
/// |---|---|---|
/// | `integer` | `INTEGER` | the number |
/// | `unsignedInteger` | `TEXT` | the digits of the number, as SQLite's integers are signed |
/// | `double` | `REAL` | the number; NaN cannot be stored |
/// | `decimal` | `TEXT` | plain digits without exponent, trailing zeros or plus sign |
/// | `text` | `TEXT` | UTF-8, compared bytewise |
/// | `boolean` | `INTEGER` | 0 or 1 |
/// | `date` | `TEXT` | `2024-05-01T12:00:00.123456Z`: UTC with six fractional digits, so that the order of texts is chronological |
/// | `day` | `TEXT` | `2024-05-01` |
/// | `uuid` | `TEXT` | lowercase with hyphens |
/// | `url` | `TEXT` | the URL as written |
/// | `data` | `BLOB` | the bytes |
/// | `json` | `TEXT` | JSON without white space and with sorted keys, so that equal values have equal text |
public struct AttributeType: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, CaseIterable {
        case integer
        case unsignedInteger
        case double
        case decimal
        case text
        case boolean
        case date
        case day
        case uuid
        case url
        case data
        case json
    }

    package let kind: Kind

    /// An integer of up to 64 bits.
    public static let integer = AttributeType(kind: .integer)
    /// An integer from 0 to 2⁶⁴ - 1.
    public static let unsignedInteger = AttributeType(kind: .unsignedInteger)
    /// A floating-point number.
    public static let double = AttributeType(kind: .double)
    /// A decimal number.
    public static let decimal = AttributeType(kind: .decimal)
    /// Text.
    public static let text = AttributeType(kind: .text)
    /// A Boolean value.
    public static let boolean = AttributeType(kind: .boolean)
    /// A date with a resolution of one microsecond.
    public static let date = AttributeType(kind: .date)
    /// A day without a time and zone.
    public static let day = AttributeType(kind: .day)
    /// A universally unique identifier.
    public static let uuid = AttributeType(kind: .uuid)
    /// A URL.
    public static let url = AttributeType(kind: .url)
    /// Binary data.
    public static let data = AttributeType(kind: .data)
    /// Any JSON value, such as an array, a dictionary or the value of a `Codable` type.
    public static let json = AttributeType(kind: .json)

    /// The name of the type.
    public var description: String { kind.rawValue }

    /// The declared type of the column in SQL.
    var columnType: String { kind.storage.column.rawValue }

    /// A Boolean value that indicates whether the column contains text.
    var isText: Bool { kind.storage.column == .text }

    /// A Boolean value that indicates whether types of the attribute have values that the column cannot
    /// store.
    package var hasUnstorableValues: Bool {
        if case .none = kind.storage.unstorable { false } else { true }
    }

    /// The values of the attribute that the column can store; `nil` if no value is outside of a range.
    package var storableRange: String? {
        if case .outside(let range) = kind.storage.unstorable { range } else { nil }
    }

    /// Returns a Boolean value that indicates whether the column cannot store a value of an attribute.
    ///
    /// It is NaN, or the number of seconds in place of the text of a date; see ``StoredValue/double(_:)``.
    package func isUnstorable(_ value: StoredValue) -> Bool {
        guard case .double(let number) = value else { return false }
        return number.isNaN || storableRange != nil
    }

    /// A Boolean value that indicates whether the column contains numbers as text, which have another
    /// order than their texts.
    package var isNumericText: Bool { kind.storage.order == .numericText }

    /// Returns a Boolean value that indicates whether a column of this type can store a value; null always
    /// can be stored.
    package func accepts(_ value: StoredValue) -> Bool {
        let storage = kind.storage
        return switch (value, storage.column) {
        case (.null, _), (.double, .real), (.text, .text), (.data, .data): true
        case (.integer(let value), .integer): storage.json != .boolean || value == 0 || value == 1
        case (.integer, _), (.double, _), (.text, _), (.data, _): false
        }
    }
}
