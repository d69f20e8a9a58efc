// SPDX-License-Identifier: Apache-2.0

/// What a validation says of a value about to be assigned.
public enum Validation<Value> {
    /// The value is assigned.
    case accept
    /// Another value is assigned in its place.
    case replace(Value)
    /// Nothing is assigned and nothing is wrong.
    case reject
}

extension Validation: Sendable where Value: Sendable {}

/// A check of one property's values; it may throw, and then the object cannot be built.
struct PropertyValidation<Value>: ErasedValidation {
    let check: @Sendable (Value) throws -> Validation<Value>

    var valueType: any Any.Type { Value.self }
}

/// A validation in a list of many, found again by its type.
protocol ErasedValidation: Sendable {
    var valueType: any Any.Type { get }
}
