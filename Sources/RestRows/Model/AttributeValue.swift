// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RestDocument
public import RestMapping
import RestSyntax

/// A type whose values can be stored in an attribute.
///
/// An enumeration with raw values only has to declare the conformance:
/// `enum Kind: String, AttributeValue`. ``/RestMapping/MappableValue`` converts values of
/// representations.
public protocol AttributeValue: MappableValue {
    /// The type of the attribute.
    static var attributeType: AttributeType { get }
    /// A Boolean value that indicates whether the type can represent null.
    static var isOptional: Bool { get }
    /// A Boolean value that indicates whether this type cannot represent some values of its column,
    /// such as an enumeration or an integer with fewer than 64 bits.
    static var isRestricted: Bool { get }
    /// The value to store.
    var storedValue: StoredValue { get }
    /// Creates a value from a stored value; `nil` if this type cannot represent it.
    init?(storedValue: StoredValue)
}

extension AttributeValue {
    /// `false`, the default for types that cannot represent null.
    public static var isOptional: Bool { false }
    /// `false`, the default for types that can represent all values of their column.
    public static var isRestricted: Bool { false }

    /// The optional of the type.
    package static var optionalType: any AttributeValue.Type { Self?.self }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// The type of the attribute.
    public static var attributeType: AttributeType { Wrapped.attributeType }
    /// `true`: `nil` is stored as null.
    public static var isOptional: Bool { true }
    /// The value of the wrapped type.
    public static var isRestricted: Bool { Wrapped.isRestricted }

    /// The value to store.
    @inlinable
    public var storedValue: StoredValue {
        if let self { self.storedValue } else { .null }
    }

    /// Creates a value from a stored value; `nil` if this type cannot represent it.
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
    /// `true`: a raw value may have no case.
    public static var isRestricted: Bool { true }
    /// The raw value.
    public var storedValue: StoredValue { rawValue.storedValue }
    /// Creates the case with a stored raw value; `nil` if there is none.
    public init?(storedValue: StoredValue) {
        guard let raw = RawValue(storedValue: storedValue) else { return nil }
        self.init(rawValue: raw)
    }
}

extension AttributeValue where Self: FixedWidthInteger {
    /// ``AttributeType/integer``.
    public static var attributeType: AttributeType { .integer }
    /// `true` for all integer types but those that are signed and 64 bits wide.
    public static var isRestricted: Bool { !(Self.isSigned && Self.bitWidth == 64) }
    /// The number to store.
    @inlinable public var storedValue: StoredValue { .integer(Int64(self)) }
    /// Creates a number from a stored value; `nil` if it does not fit.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .integer(let value) = storedValue else { return nil }
        self.init(exactly: value)
    }
}

extension AttributeValue where Self: UnsignedInteger & FixedWidthInteger {
    fileprivate init?(digits: StoredValue) {
        guard case .text(let digits) = digits else { return nil }
        self.init(digits)
    }
}

// The columns of SQLite have 63 bits for numbers that are not negative.

extension UInt64: AttributeValue {
    /// ``AttributeType/unsignedInteger``.
    public static var attributeType: AttributeType { .unsignedInteger }
    /// The digits of the number.
    public var storedValue: StoredValue { .text(description) }
    /// Creates a number from a stored value; `nil` if it does not fit.
    public init?(storedValue: StoredValue) { self.init(digits: storedValue) }
}

extension UInt: AttributeValue {
    /// ``AttributeType/unsignedInteger``.
    public static var attributeType: AttributeType { .unsignedInteger }
    /// The digits of the number.
    public var storedValue: StoredValue { .text(description) }
    /// Creates a number from a stored value; `nil` if it does not fit.
    public init?(storedValue: StoredValue) { self.init(digits: storedValue) }
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
    /// The type of the attribute.
    public static var attributeType: AttributeType { .double }
    /// The number to store; NaN cannot be stored.
    @inlinable public var storedValue: StoredValue { .double(self) }

    /// Creates a value from a stored value; `nil` if this type cannot represent it.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .double(let value) = storedValue else { return nil }
        self = value
    }
}

extension Float: AttributeValue {
    /// The type of the attribute.
    public static var attributeType: AttributeType { .double }
    /// The number to store; NaN cannot be stored.
    @inlinable public var storedValue: StoredValue { .double(Double(self)) }

    /// Creates a value from a stored value; `nil` if this type cannot represent it.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .double(let value) = storedValue else { return nil }
        self = Float(value)
    }
}

extension Bool: AttributeValue {
    /// The type of the attribute.
    public static var attributeType: AttributeType { .boolean }
    /// The value to store.
    @inlinable public var storedValue: StoredValue { .integer(self ? 1 : 0) }

    /// Creates a value from a stored value; `nil` if this type cannot represent it.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .integer(let value) = storedValue else { return nil }
        self = value != 0
    }
}

extension String: AttributeValue {
    /// The type of the attribute.
    public static var attributeType: AttributeType { .text }
    /// The value to store.
    @inlinable public var storedValue: StoredValue { .text(self) }

    /// Creates a value from a stored value; `nil` if this type cannot represent it.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self = value
    }
}

extension Data: AttributeValue {
    /// The type of the attribute.
    public static var attributeType: AttributeType { .data }
    /// The value to store.
    public var storedValue: StoredValue { .data(self) }

    /// Creates a value from a stored value; `nil` if this type cannot represent it.
    public init?(storedValue: StoredValue) {
        guard case .data(let value) = storedValue else { return nil }
        self = value
    }
}

extension UUID: AttributeValue {
    /// The type of the attribute.
    public static var attributeType: AttributeType { .uuid }
    /// The value to store.
    public var storedValue: StoredValue { .text(uuidString.lowercased()) }

    /// Creates a value from a stored value; `nil` if this type cannot represent it.
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self.init(uuidString: value)
    }
}

extension URL: AttributeValue {
    /// The type of the attribute.
    public static var attributeType: AttributeType { .url }
    /// The value to store.
    public var storedValue: StoredValue { .text(absoluteString) }

    /// Creates a value from a stored value; `nil` if this type cannot represent it.
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self.init(string: value)
    }
}

extension Decimal: AttributeValue {
    /// The type of the attribute.
    public static var attributeType: AttributeType { .decimal }
    /// The text to store; NaN cannot be stored.
    public var storedValue: StoredValue {
        isNaN ? .unstorable : .text(DecimalText.text(of: self))
    }

    /// Creates a value from a stored value; `nil` if this type cannot represent it.
    public init?(storedValue: StoredValue) {
        if storedValue.isUnstorable {
            self = .nan
            return
        }
        guard case .text(let value) = storedValue, let number = DecimalText.decimal(value) else {
            return nil
        }
        self = number
    }
}

extension CalendarDate: AttributeValue {
    /// The type of the attribute.
    public static var attributeType: AttributeType { .day }
    /// The value to store.
    public var storedValue: StoredValue { .text(description) }

    /// Creates a value from a stored value; `nil` if this type cannot represent it.
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self.init(value)
    }
}

extension Date: AttributeValue {
    /// The type of the attribute.
    public static var attributeType: AttributeType { .date }
    /// The text of the date with microseconds.
    ///
    /// A date outside of the years 0000 to 9999 cannot be stored; its value is the number of seconds.
    public var storedValue: StoredValue {
        if let text = columnText { .text(text) } else { .double(timeIntervalSince1970) }
    }

    /// Creates a value from a stored value; `nil` if this type cannot represent it.
    public init?(storedValue: StoredValue) {
        switch storedValue {
        case .text(let value):
            guard let date = DateText.read(Array(value.utf8).span) else { return nil }
            self.init(timeIntervalSince1970: date.secondsSince1970)
        case .double(let seconds): self.init(timeIntervalSince1970: seconds)
        default: return nil
        }
    }

    /// The text to store, such as `2024-05-01T12:00:00.123456Z`; `nil` outside of the years 0000 to 9999.
    private var columnText: String? {
        let seconds = timeIntervalSince1970
        guard CivilDate(secondsSince1970: seconds) != nil else { return nil }
        // The last half of a microsecond of the year 9999 would be rounded to the next year.
        let date =
            CivilDate(secondsSince1970: seconds, digits: 6)
            ?? CivilDate(
                year: 9999, month: 12, day: 31, hour: 23, minute: 59, second: 59,
                fraction: 0.999_999)
        return date?.iso8601(fractionDigits: 6, offset: 0)
    }
}
