// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping

/// The forms of the values of a kind of attributes: in Swift, in a column, inside of JSON and in order.
///
/// A kind is a row of the table below, from which everything follows that does not depend on more than this.
package struct AttributeStorage: Sendable {
    /// A type of columns in SQL.
    enum Column: String {
        case integer = "INTEGER"
        case real = "REAL"
        case text = "TEXT"
        case data = "BLOB"
    }

    /// The form of a value inside of a JSON column, such as an element of an array.
    enum JSONForm {
        case integer
        case real
        /// `true` or `false`, for 1 or 0 in a column.
        case boolean
        /// A number, for its digits in a column.
        case digits
        case text
        /// Text, for bytes in a column.
        case base64
        /// Any value other than null.
        case any
    }

    /// The order of values that SQLite's order of a column has or lacks.
    package enum Order {
        /// The values have no order, except that of their texts or bytes.
        case none
        /// The order of the column.
        case column
        /// The order of the numbers that are stored as text.
        case numericText
    }

    /// The values of the Swift type that the column cannot store.
    enum Unstorable {
        case none
        /// NaN, or a value that JSON cannot represent.
        case notANumber
        /// NaN, and values outside of a range, which are numbers in place of their texts.
        case outside(String)
    }

    /// The Swift type; `nil` for JSON.
    package let valueType: (any AttributeValue.Type)?
    let column: Column
    let json: JSONForm
    package let order: Order
    let unstorable: Unstorable
    /// A Boolean value that indicates whether the values have words, for full-text indexes.
    let hasWords: Bool
    /// The stored values of zero and of empty values.
    let emptyValues: [StoredValue]

    private init(
        _ valueType: (any AttributeValue.Type)?, _ column: Column, json: JSONForm, order: Order,
        unstorable: Unstorable = .none, hasWords: Bool = false, empty emptyValues: StoredValue...
    ) {
        self.valueType = valueType
        self.column = column
        self.json = json
        self.order = order
        self.unstorable = unstorable
        self.hasWords = hasWords
        self.emptyValues = emptyValues
    }
}

extension AttributeType.Kind {
    /// The forms of the values.
    package var storage: AttributeStorage {
        switch self {
        case .integer: .integer
        case .unsignedInteger: .unsignedInteger
        case .double: .double
        case .decimal: .decimal
        case .text: .text
        case .boolean: .boolean
        case .date: .date
        case .day: .day
        case .uuid: .uuid
        case .url: .url
        case .data: .data
        case .json: .json
        }
    }
}

// The table of kinds.

extension AttributeStorage {
    fileprivate static let integer = AttributeStorage(
        Int.self, .integer, json: .integer, order: .column, hasWords: true, empty: .integer(0))

    fileprivate static let unsignedInteger = AttributeStorage(
        UInt64.self, .text, json: .digits, order: .numericText, hasWords: true, empty: .text("0"))

    fileprivate static let double = AttributeStorage(
        Double.self, .real, json: .real, order: .column, unstorable: .notANumber, hasWords: true,
        empty: .double(0))

    fileprivate static let decimal = AttributeStorage(
        Decimal.self, .text, json: .text, order: .numericText, unstorable: .notANumber,
        hasWords: true, empty: .text("0"))

    fileprivate static let text = AttributeStorage(
        String.self, .text, json: .text, order: .none, hasWords: true, empty: .text(""))

    fileprivate static let boolean = AttributeStorage(
        Bool.self, .integer, json: .boolean, order: .column, empty: .integer(0))

    fileprivate static let date = AttributeStorage(
        Date.self, .text, json: .text, order: .column,
        unstorable: .outside("the years 0000 to 9999"), empty: .text("1970-01-01T00:00:00.000000Z"))

    fileprivate static let day = AttributeStorage(
        CalendarDate.self, .text, json: .text, order: .column, empty: .text("1970-01-01"))

    fileprivate static let uuid = AttributeStorage(
        UUID.self, .text, json: .text, order: .none,
        empty: .text("00000000-0000-0000-0000-000000000000"))

    fileprivate static let url = AttributeStorage(
        URL.self, .text, json: .text, order: .none, hasWords: true, empty: .text("about:blank"))

    fileprivate static let data = AttributeStorage(
        Data.self, .data, json: .base64, order: .none, empty: .data(Data()))

    fileprivate static let json = AttributeStorage(
        nil, .text, json: .any, order: .none, unstorable: .notANumber, hasWords: true,
        empty: .text("[]"), .text("{}"), .text("\"\""), .text("0"), .text("false"), .text("null"))
}
