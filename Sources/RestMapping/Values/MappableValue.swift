// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A type that a value of a document can become.
///
/// Numbers, text, booleans, dates, URLs, UUIDs, decimals, data, optionals, arrays, sets and
/// dictionaries of them, and every ``Mapped`` type are. An enumeration with raw values joins by
/// naming the protocol, a `Codable` type by naming ``MappableCodable``; another type writes
/// ``map(from:)`` in terms of one that is.
///
///     enum Status: String, MappableValue { case open, closed }
public protocol MappableValue: SendableMetatype {
    /// Converts a value.
    ///
    /// - Throws: ``MappingFailure``, made by ``MappingSource/failure(_:_:)``, when it does not fit.
    static func map(from source: MappingSource) throws(MappingFailure) -> Self

    /// Writes the value to a representation.
    ///
    /// - Throws: ``MappingFailure``, made by ``RepresentationWriter/failed(_:_:found:)``, when it
    ///   has none.
    func write(to writer: inout RepresentationWriter) throws(MappingFailure)

    /// The mapped type inside, for types that hold mapped objects; nil for plain values.
    static var relation: Relation? { get }
}

extension MappableValue {
    /// Plain values hold no mapped objects.
    @inlinable
    public static var relation: Relation? { nil }
}

extension MappableValue where Self: RawRepresentable, RawValue: MappableValue {
    /// Writes the raw value.
    @inlinable
    public func write(to writer: inout RepresentationWriter) throws(MappingFailure) {
        try rawValue.write(to: &writer)
    }

    /// Converts the raw value; one that no case has is malformed.
    @inlinable
    public static func map(from source: MappingSource) throws(MappingFailure) -> Self {
        guard let value = Self(rawValue: try RawValue.map(from: source)) else {
            throw source.failure(.malformedValue, "a known \(Self.self)")
        }
        return value
    }
}

/// An enumeration with a case that stands for raw values it does not know.
///
/// APIs grow: with such a case a new raw value is counted as a coercion, without one it is an
/// issue. For a single attribute there is the transform `unknown(as:)` of ``ValueTransform``.
///
///     enum Status: String, MappableValue, UnknownValue {
///         case open, closed, other
///         static let unknown = other
///     }
public protocol UnknownValue {
    /// The value that stands for all unknown ones.
    static var unknown: Self { get }
}

extension MappableValue where Self: RawRepresentable & UnknownValue, RawValue: MappableValue {
    /// Converts the raw value; one that no case has becomes ``UnknownValue/unknown``.
    @inlinable
    public static func map(from source: MappingSource) throws(MappingFailure) -> Self {
        try map(from: source, unknown: unknown)
    }
}

extension MappableValue where Self: RawRepresentable, RawValue: MappableValue {
    /// Converts the raw value; one that no case has becomes a given one.
    @inlinable
    static func map(
        from source: MappingSource, unknown: @autoclosure () -> Self
    ) throws(MappingFailure) -> Self {
        if let value = Self(rawValue: try RawValue.map(from: source)) { return value }
        try source.coerce(.unknownToFallback, "a known \(Self.self)")
        return unknown()
    }
}

extension Optional: MappableValue where Wrapped: MappableValue {
    /// Null becomes nil; anything else must fit.
    ///
    /// For a date blank text is nil too under ``Coercions/lenient``.
    @inlinable
    public static func map(from source: MappingSource) throws(MappingFailure) -> Wrapped? {
        if source.node.kind == .null { return nil }
        do throws(MappingFailure) {
            return try Wrapped.map(from: source)
        } catch {
            if source.isBlankDate(Wrapped.self) { return nil }
            throw error
        }
    }

    /// Writes what is wrapped, or nil as the mapping says: null or nothing.
    @inlinable
    public func write(to writer: inout RepresentationWriter) throws(MappingFailure) {
        guard let value = self else { return writer.writeNil() }
        try writer.write(value)
    }

    /// What the wrapped type relates to.
    @inlinable
    public static var relation: Relation? { Wrapped.relation }
}
