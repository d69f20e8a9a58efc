// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A declared conversion of a document's value into a property's type.
///
/// It replaces what the type itself would do and runs whatever kind the value is of, null included;
/// a missing value never reaches it.
public struct ValueTransform<Value>: Sendable {
    /// What the conversion is called in issues.
    public let name: String
    let apply: @Sendable (MappingSource) throws(MappingFailure) -> Value

    init(
        name: String,
        applying apply: @escaping @Sendable (MappingSource) throws(MappingFailure) -> Value
    ) {
        self.name = name
        self.apply = apply
    }

    /// Makes a transform.
    ///
    /// - Parameters:
    ///   - name: What the conversion is called in issues.
    ///   - apply: Converts a value; what it throws becomes an issue, the error itself is not kept.
    public init(_ name: String, _ apply: @escaping @Sendable (Node) throws -> Value) {
        self.init(name: name) { source throws(MappingFailure) in
            do {
                return try apply(source.element)
            } catch {
                throw source.failure(.transformFailed, "what \(name) accepts")
            }
        }
    }
}

extension ValueTransform
where Value: MappableValue & RawRepresentable & Sendable, Value.RawValue: MappableValue {
    /// Converts the raw value of an enumeration; one that no case has becomes a given one.
    ///
    /// Such a value is counted as ``Coercion/unknownToFallback``.
    public static func unknown(as value: Value) -> ValueTransform {
        ValueTransform(name: "known \(Value.self)") { source throws(MappingFailure) in
            try Value.map(from: source, unknown: value)
        }
    }
}

extension ValueTransform {
    /// Converts the raw value of an enumeration; null is nil, and one that no case has becomes a
    /// given one.
    ///
    /// Such a value is counted as ``Coercion/unknownToFallback``.
    public static func unknown<Known>(as value: Known) -> ValueTransform
    where
        Value == Known?, Known: MappableValue & RawRepresentable & Sendable,
        Known.RawValue: MappableValue
    {
        ValueTransform(name: "known \(Known.self)") { source throws(MappingFailure) in
            source.node.isNull ? nil : try Known.map(from: source, unknown: value)
        }
    }
}

/// A transform in a list of many, found again by its type.
protocol ErasedTransform: Sendable {
    /// What the transform is called in issues and in the plan's description.
    var name: String { get }
    /// The type it makes; nil if it asks for the property's.
    var valueType: (any Any.Type)? { get }
}

extension ValueTransform: ErasedTransform {
    var valueType: (any Any.Type)? { Value.self }
}
