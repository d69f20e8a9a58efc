// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RestDocument
public import RestMapping

/// A Swift type that an attribute can have.
///
/// Enumerations with a raw value conform by naming the protocol: `enum Kind: String, AttributeValue`.
/// What an import makes of a document's value is up to ``RestMapping/MappableValue``.
public protocol AttributeValue: MappableValue {
    /// What a column holds for this type.
    static var attributeType: AttributeType { get }
    /// Whether the type has a place for "no value".
    static var isOptional: Bool { get }
    /// Whether a column of the type can hold a value that this Swift type has not, as with an
    /// enumeration or a narrow number.
    static var isRestricted: Bool { get }
    /// The value as the column holds it.
    var storedValue: StoredValue { get }
    /// The value that a column holds; `nil` if it is not one of this type.
    init?(storedValue: StoredValue)
}

extension AttributeValue {
    /// Values are required unless the type says otherwise.
    public static var isOptional: Bool { false }
    /// Types have a value for all that a column holds unless they say otherwise.
    public static var isRestricted: Bool { false }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// The kind of its column.
    public static var attributeType: AttributeType { Wrapped.attributeType }
    /// Whether there is a place for "no value".
    public static var isOptional: Bool { true }
    /// Whether the wrapped type is.
    public static var isRestricted: Bool { Wrapped.isRestricted }

    /// The value as a column holds it.
    @inlinable
    public var storedValue: StoredValue {
        if let self { self.storedValue } else { .null }
    }

    /// The value that a column holds.
    @inlinable
    public init?(storedValue: StoredValue) {
        if case .null = storedValue {
            self = nil as Wrapped?
            return
        }
        guard let value = Wrapped(storedValue: storedValue) else { return nil }
        self = value as Wrapped?
    }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    /// The type of the raw value.
    public static var attributeType: AttributeType { RawValue.attributeType }
    /// Not every raw value is a case.
    public static var isRestricted: Bool { true }
    /// The raw value.
    public var storedValue: StoredValue { rawValue.storedValue }
    /// The case with that raw value.
    public init?(storedValue: StoredValue) {
        guard let raw = RawValue(storedValue: storedValue) else { return nil }
        self.init(rawValue: raw)
    }
}

extension AttributeValue where Self: FixedWidthInteger {
    /// A whole number.
    public static var attributeType: AttributeType { .integer }
    /// Narrow numbers are.
    public static var isRestricted: Bool { !(Self.isSigned && Self.bitWidth == 64) }
    /// The number.
    @inlinable public var storedValue: StoredValue { .integer(Int64(self)) }
    /// The number, if the type is wide enough.
    @inlinable
    /// The value that a column holds.
    public init?(storedValue: StoredValue) {
        guard case .integer(let value) = storedValue else { return nil }
        self.init(exactly: value)
    }
}

extension Int: AttributeValue {}
extension Int64: AttributeValue {}
extension Int32: AttributeValue {}
extension Int16: AttributeValue {}
extension Int8: AttributeValue {}
extension UInt32: AttributeValue {}
extension UInt16: AttributeValue {}
extension UInt8: AttributeValue {}

extension Double: AttributeValue {
    /// The kind of its column.
    public static var attributeType: AttributeType { .double }
    /// The value as a column holds it.
    @inlinable public var storedValue: StoredValue { isNaN ? .null : .double(self) }

    /// The value that a column holds.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .double(let value) = storedValue else { return nil }
        self = value
    }
}

extension Float: AttributeValue {
    /// The kind of its column.
    public static var attributeType: AttributeType { .double }
    /// The value as a column holds it.
    @inlinable public var storedValue: StoredValue { isNaN ? .null : .double(Double(self)) }

    /// The value that a column holds.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .double(let value) = storedValue else { return nil }
        self = Float(value)
    }
}

extension Bool: AttributeValue {
    /// The kind of its column.
    public static var attributeType: AttributeType { .boolean }
    /// The value as a column holds it.
    @inlinable public var storedValue: StoredValue { .integer(self ? 1 : 0) }

    /// The value that a column holds.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .integer(let value) = storedValue else { return nil }
        self = value != 0
    }
}

extension String: AttributeValue {
    /// The kind of its column.
    public static var attributeType: AttributeType { .text }
    /// The value as a column holds it.
    @inlinable public var storedValue: StoredValue { .text(self) }

    /// The value that a column holds.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self = value
    }
}

extension Data: AttributeValue {
    /// The kind of its column.
    public static var attributeType: AttributeType { .data }
    /// The value as a column holds it.
    public var storedValue: StoredValue { .data(self) }

    /// The value that a column holds.
    public init?(storedValue: StoredValue) {
        guard case .data(let value) = storedValue else { return nil }
        self = value
    }
}

extension UUID: AttributeValue {
    /// The kind of its column.
    public static var attributeType: AttributeType { .uuid }
    /// The value as a column holds it.
    public var storedValue: StoredValue { .text(uuidString.lowercased()) }

    /// The value that a column holds.
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self.init(uuidString: value)
    }
}

extension URL: AttributeValue {
    /// The kind of its column.
    public static var attributeType: AttributeType { .url }
    /// The value as a column holds it.
    public var storedValue: StoredValue { .text(absoluteString) }

    /// The value that a column holds.
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self.init(string: value)
    }
}

extension Decimal: AttributeValue {
    /// The kind of its column.
    public static var attributeType: AttributeType { .decimal }
    /// The value as a column holds it.
    public var storedValue: StoredValue { isNaN ? .null : .text(DecimalText.canonical(self)) }

    /// The value that a column holds.
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue, let number = DecimalText.decimal(value) else {
            return nil
        }
        self = number
    }
}

extension Date: AttributeValue {
    /// The kind of its column.
    public static var attributeType: AttributeType { .date }
    /// The moment to the microsecond; outside the years 0000 to 9999 the nearest one inside.
    public var storedValue: StoredValue { .text(columnText) }

    /// The value that a column holds.
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue, let date = DateText.read(Array(value.utf8).span)
        else { return nil }
        self.init(timeIntervalSince1970: date.secondsSince1970)
    }

    /// Whether a column can hold the date without moving it.
    var fitsColumn: Bool { CivilDate(secondsSince1970: timeIntervalSince1970) != nil }

    /// The text of a column, `2024-05-01T12:00:00.123456Z`.
    private var columnText: String {
        let seconds = timeIntervalSince1970
        let nearest =
            seconds > 0
            ? CivilDate(
                year: 9999, month: 12, day: 31, hour: 23, minute: 59, second: 59,
                fraction: 0.999_999)
            : CivilDate(year: 0, month: 1, day: 1)
        let moment = CivilDate(secondsSince1970: seconds, digits: 6) ?? nearest
        return moment?.iso8601(fractionDigits: 6, offset: 0) ?? ""
    }
}
