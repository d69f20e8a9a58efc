// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A Swift type that an attribute can have.
///
/// Enumerations with a raw value conform by naming the protocol: `enum Kind: String, AttributeValue`.
public protocol AttributeValue: SendableMetatype {
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
    public static var attributeType: AttributeType { Wrapped.attributeType }
    public static var isOptional: Bool { true }
    public static var isRestricted: Bool { Wrapped.isRestricted }

    @inlinable
    public var storedValue: StoredValue {
        if let self { self.storedValue } else { .null }
    }

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
    public static var attributeType: AttributeType { .double }
    @inlinable public var storedValue: StoredValue { isNaN ? .null : .double(self) }

    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .double(let value) = storedValue else { return nil }
        self = value
    }
}

extension Float: AttributeValue {
    public static var attributeType: AttributeType { .double }
    @inlinable public var storedValue: StoredValue { isNaN ? .null : .double(Double(self)) }

    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .double(let value) = storedValue else { return nil }
        self = Float(value)
    }
}

extension Bool: AttributeValue {
    public static var attributeType: AttributeType { .boolean }
    @inlinable public var storedValue: StoredValue { .integer(self ? 1 : 0) }

    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .integer(let value) = storedValue else { return nil }
        self = value != 0
    }
}

extension String: AttributeValue {
    public static var attributeType: AttributeType { .text }
    @inlinable public var storedValue: StoredValue { .text(self) }

    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self = value
    }
}

extension Data: AttributeValue {
    public static var attributeType: AttributeType { .data }
    public var storedValue: StoredValue { .data(self) }

    public init?(storedValue: StoredValue) {
        guard case .data(let value) = storedValue else { return nil }
        self = value
    }
}

extension UUID: AttributeValue {
    public static var attributeType: AttributeType { .uuid }
    public var storedValue: StoredValue { .text(uuidString.lowercased()) }

    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self.init(uuidString: value)
    }
}

extension URL: AttributeValue {
    public static var attributeType: AttributeType { .url }
    public var storedValue: StoredValue { .text(absoluteString) }

    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self.init(string: value)
    }
}

extension Decimal: AttributeValue {
    public static var attributeType: AttributeType { .decimal }
    public var storedValue: StoredValue { isNaN ? .null : .text(DecimalText.canonical(self)) }

    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue, let number = DecimalText.decimal(value) else {
            return nil
        }
        self = number
    }
}

extension Date: AttributeValue {
    public static var attributeType: AttributeType { .date }
    /// The moment to the microsecond; outside the years 0000 to 9999 the nearest one inside.
    public var storedValue: StoredValue { .text(DateText.canonical(self)) }

    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue, let date = DateText.date(value) else {
            return nil
        }
        self = date
    }
}
