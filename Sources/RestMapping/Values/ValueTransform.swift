// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A conversion of a document's value to a property's type, declared for one property.
///
/// It replaces the conversion of the type itself and runs for values of every kind, null included,
/// but not for a missing value. A transform to the wrapped type of an optional property does not run for
/// null, which becomes nil.
public struct ValueTransform<Value>: Sendable {
    /// The name of the transform in issues.
    public let name: String
    let apply: @Sendable (ValueSource) throws(MappingFailure) -> Value
    /// The conversion in the opposite direction; nil for that of the type.
    let requestConversion: RequestConversion?

    init(
        name: String, requestConversion: RequestConversion? = nil,
        applying apply: @escaping @Sendable (ValueSource) throws(MappingFailure) -> Value
    ) {
        self.name = name
        self.apply = apply
        self.requestConversion = requestConversion
    }

    /// Creates a transform in one direction: requests write the value as its type does.
    ///
    /// - Parameters:
    ///   - name: The name of the transform in issues.
    ///   - apply: Converts a value. An error that it throws becomes an issue, which does not keep
    ///     the error itself.
    public init(_ name: String, _ apply: @escaping @Sendable (Node) throws -> Value) {
        self.init(name: name, applying: Self.reading(name, apply))
    }

    /// Creates a transform in both directions.
    ///
    ///     let cents = ValueTransform<Decimal>("cents") { node in
    ///         Decimal(node.int64 ?? 0) / 100
    ///     } back: { price in
    ///         price * 100
    ///     }
    ///
    /// - Parameters:
    ///   - name: The name of the transform in issues.
    ///   - apply: Converts a value. An error that it throws becomes an issue, which does not keep
    ///     the error itself.
    ///   - back: Converts a property's value to one that requests write in its place. An error that
    ///     it throws becomes an issue too.
    public init<Output: MappableValue>(
        _ name: String, _ apply: @escaping @Sendable (Node) throws -> Value,
        back: @escaping @Sendable (Value) throws -> Output
    ) {
        self.init(
            name: name, requestConversion: .transform(RequestTransform(name, back)),
            applying: Self.reading(name, apply))
    }

    private static func reading(
        _ name: String, _ apply: @escaping @Sendable (Node) throws -> Value
    ) -> @Sendable (ValueSource) throws(MappingFailure) -> Value {
        { source throws(MappingFailure) in
            do {
                return try apply(source.documentNode)
            } catch {
                throw source.failure(.transformFailed, "a value that \(name) accepts")
            }
        }
    }
}

extension ValueTransform
where Value: MappableValue & RawRepresentable & Sendable, Value.RawValue: MappableValue {
    /// Creates a transform from the raw value of an enumeration, with a fallback for unknown ones.
    ///
    /// A raw value without a case counts as ``Coercion/unknownToFallback``.
    public static func unknown(as value: Value) -> ValueTransform {
        ValueTransform(name: "known \(Value.self)") { source throws(MappingFailure) in
            try Value.map(from: source, unknown: value)
        }
    }
}

extension ValueTransform {
    /// Creates a transform from the raw value of an optional enumeration, with a fallback for
    /// unknown ones; null becomes nil.
    ///
    /// A raw value without a case counts as ``Coercion/unknownToFallback``.
    public static func unknown<Known>(as value: Known) -> ValueTransform
    where
        Value == Known?, Known: MappableValue & RawRepresentable & Sendable,
        Known.RawValue: MappableValue
    {
        ValueTransform(name: "known \(Known.self)") { source throws(MappingFailure) in
            source.view.isNull ? nil : try Known.map(from: source, unknown: value)
        }
    }
}

extension ValueTransform: PropertyTransform {
    var valueType: (any Any.Type)? { Value.self }

    func requestConversion(for type: (any Any.Type)?) -> RequestConversion? {
        requestConversion
    }

    func value<Converted: MappableValue>(
        from source: ValueSource
    ) throws(MappingFailure) -> Converted {
        if let transform = self as? ValueTransform<Converted> { return try transform.apply(source) }
        // A transform to the wrapped type of an optional: null becomes nil.
        guard OptionalTypes.wrapped(Converted.self) == Value.self,
            let null: Converted = OptionalTypes.nilValue()
        else { throw source.failure(.transformFailed, "a transform to \(Converted.self)") }
        if source.view.isNull { return null }
        return try apply(source) as? Converted ?? null
    }
}
