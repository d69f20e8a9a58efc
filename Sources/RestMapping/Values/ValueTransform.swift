// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A conversion of a document's value to a property's type, declared for one property.
///
/// It replaces the conversion of the type itself and runs for values of every kind, null included,
/// but not for a missing value.
public struct ValueTransform<Value>: Sendable {
    /// The name of the transform in issues.
    public let name: String
    let apply: @Sendable (ValueSource) throws(MappingFailure) -> Value

    init(
        name: String,
        applying apply: @escaping @Sendable (ValueSource) throws(MappingFailure) -> Value
    ) {
        self.name = name
        self.apply = apply
    }

    /// Creates a transform.
    ///
    /// - Parameters:
    ///   - name: The name of the transform in issues.
    ///   - apply: Converts a value. An error that it throws becomes an issue, which does not keep
    ///     the error itself.
    public init(_ name: String, _ apply: @escaping @Sendable (Node) throws -> Value) {
        self.init(name: name) { source throws(MappingFailure) in
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

    func value<Converted: MappableValue>(
        from source: ValueSource
    ) throws(MappingFailure) -> Converted {
        guard let transform = self as? ValueTransform<Converted> else {
            throw source.failure(.transformFailed, "a transform to \(Converted.self)")
        }
        return try transform.apply(source)
    }
}
