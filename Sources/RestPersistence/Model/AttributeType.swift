// SPDX-License-Identifier: Apache-2.0

/// What an attribute holds, and as what it is stored.
///
/// | type | column | stored as |
/// |---|---|---|
/// | `integer` | `INTEGER` | the number |
/// | `double` | `REAL` | the number; NaN is no value |
/// | `decimal` | `TEXT` | plain digits without exponent, trailing zeros or plus sign |
/// | `text` | `TEXT` | UTF-8, compared by bytes |
/// | `boolean` | `INTEGER` | 0 or 1 |
/// | `date` | `TEXT` | `2024-05-01T12:00:00.123456Z`: UTC, always six digits, so that order is time |
/// | `uuid` | `TEXT` | lowercase with hyphens |
/// | `url` | `TEXT` | the URL as written |
/// | `data` | `BLOB` | the bytes |
public struct AttributeType: Sendable, Hashable, CustomStringConvertible {
    enum Kind: String {
        case integer
        case double
        case decimal
        case text
        case boolean
        case date
        case uuid
        case url
        case data
    }

    let kind: Kind

    /// A whole number of 64 bits or fewer.
    public static let integer = AttributeType(kind: .integer)
    /// A floating-point number.
    public static let double = AttributeType(kind: .double)
    /// An exact decimal number.
    public static let decimal = AttributeType(kind: .decimal)
    /// Text.
    public static let text = AttributeType(kind: .text)
    /// True or false.
    public static let boolean = AttributeType(kind: .boolean)
    /// A moment, to the microsecond.
    public static let date = AttributeType(kind: .date)
    /// A universally unique identifier.
    public static let uuid = AttributeType(kind: .uuid)
    /// A resource locator.
    public static let url = AttributeType(kind: .url)
    /// Bytes.
    public static let data = AttributeType(kind: .data)

    /// The type's name.
    public var description: String { kind.rawValue }

    /// The column's declared type.
    var columnType: String {
        switch kind {
        case .integer, .boolean: "INTEGER"
        case .double: "REAL"
        case .decimal, .text, .date, .uuid, .url: "TEXT"
        case .data: "BLOB"
        }
    }

    /// Whether a value is of the kind the column holds; no value always is.
    func accepts(_ value: StoredValue) -> Bool {
        switch (value, kind) {
        case (.null, _), (.integer, .integer), (.double, .double), (.data, .data): true
        case (.integer(let value), .boolean): value == 0 || value == 1
        case (.text, .text), (.text, .decimal), (.text, .date), (.text, .uuid), (.text, .url): true
        default: false
        }
    }
}
