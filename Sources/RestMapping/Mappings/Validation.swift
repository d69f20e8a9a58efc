// SPDX-License-Identifier: Apache-2.0

/// The result of the validation of a value that is about to be assigned.
public enum Validation<Value> {
    /// The value is assigned.
    case accept
    /// Another value is assigned instead.
    case replace(Value)
    /// The property keeps its value, without an issue.
    case reject
}

extension Validation: Sendable where Value: Sendable {}

/// A validation of the values of one property; if it throws, the object cannot be built.
struct PropertyValidation<Value>: ErasedValidation {
    let check: @Sendable (Value) throws -> Validation<Value>

    var valueType: any Any.Type { Value.self }
}

/// A type-erased validation, which is cast back to the type of its values.
protocol ErasedValidation: Sendable {
    var valueType: any Any.Type { get }
}
