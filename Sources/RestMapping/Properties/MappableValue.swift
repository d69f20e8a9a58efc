// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A type that a value of a document can be converted to.
///
/// Numbers, text, booleans, dates, URLs, UUIDs, decimals, data, optionals, arrays, sets and
/// dictionaries of them, and every ``Mapped`` type conform. An enumeration with raw values conforms
/// by naming the protocol, a `Codable` type by naming ``MappableCodable``; another type implements
/// ``map(from:)`` with a type that conforms.
///
///     enum Status: String, MappableValue { case open, closed }
public protocol MappableValue: SendableMetatype {
    /// Converts a value of a document.
    ///
    /// - Throws: ``MappingFailure`` when the value does not fit, created by
    ///   ``ValueSource/failure(_:_:)``.
    static func map(from source: ValueSource) throws(MappingFailure) -> Self

    /// Writes the value to a representation.
    ///
    /// - Throws: ``MappingFailure`` when the value has no representation, created by
    ///   ``RequestWriter/failed(_:_:found:)``.
    func write(to writer: inout RequestWriter) throws(MappingFailure)

    /// The relation to mapped objects inside the type; nil for plain values.
    static var relation: Relation? { get }
}

extension MappableValue {
    /// The relation of a plain value: none.
    @inlinable
    public static var relation: Relation? { nil }
}

extension MappableValue where Self: RawRepresentable, RawValue: MappableValue {
    /// Writes the raw value.
    @inlinable
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try rawValue.write(to: &writer)
    }

    /// Converts the raw value; a raw value without a case is malformed.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> Self {
        guard let value = Self(rawValue: try RawValue.map(from: source)) else {
            throw source.failure(.malformedValue, "a known \(Self.self)")
        }
        return value
    }
}

/// An enumeration with a case for unknown raw values.
///
/// With such a case, a new raw value of a growing API is counted as a coercion; without one, it is
/// an issue. For a single attribute there is the transform `unknown(as:)` of ``ValueTransform``.
///
///     enum Status: String, MappableValue, UnknownValue {
///         case open, closed, other
///         static let unknown = other
///     }
public protocol UnknownValue {
    /// The fallback for unknown raw values.
    static var unknown: Self { get }
}

extension MappableValue where Self: RawRepresentable & UnknownValue, RawValue: MappableValue {
    /// Converts the raw value; a raw value without a case becomes ``UnknownValue/unknown``.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> Self {
        try map(from: source, unknown: unknown)
    }
}

extension MappableValue where Self: RawRepresentable, RawValue: MappableValue {
    /// Converts the raw value; a raw value without a case becomes a given value.
    @inlinable
    static func map(
        from source: ValueSource, unknown: @autoclosure () -> Self
    ) throws(MappingFailure) -> Self {
        if let value = Self(rawValue: try RawValue.map(from: source)) { return value }
        try source.coerce(.unknownToFallback, "a known \(Self.self)")
        return unknown()
    }
}

extension Optional: MappableValue where Wrapped: MappableValue {
    /// Converts null to nil; any other value must fit.
    ///
    /// Under ``Coercions/lenient`` blank text becomes nil for a date.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> Wrapped? {
        if source.view.kind == .null { return nil }
        do throws(MappingFailure) {
            return try Wrapped.map(from: source)
        } catch {
            if source.isBlankDate(Wrapped.self) { return nil }
            throw error
        }
    }

    /// Writes the wrapped value; nil becomes null or nothing, as the mapping declares.
    @inlinable
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        guard let value = self else { return writer.writeNil() }
        try writer.write(value)
    }

    /// The relation of the wrapped type.
    @inlinable
    public static var relation: Relation? { Wrapped.relation }
}
