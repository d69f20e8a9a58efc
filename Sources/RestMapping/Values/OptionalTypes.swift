// SPDX-License-Identifier: Apache-2.0

/// Operations on values of a generic type that may be optional.
enum OptionalTypes {
    /// Returns the wrapped type of an optional type, or the type itself.
    static func wrapped(_ type: any Any.Type) -> any Any.Type {
        (type as? any OptionalType.Type)?.contentType ?? type
    }

    /// Returns `nil` as a value of the type; no value if the type is not optional.
    static func nilValue<Value>() -> Value? {
        (Value.self as? any OptionalType.Type)?.emptyOptional as? Value
    }

    static func isNil<Value>(_ value: Value) -> Bool {
        (Value.self as? any OptionalType.Type)?.isEmpty(value) ?? false
    }

    /// Returns a Boolean value that indicates whether two values are equal; false if their type is not
    /// equatable.
    static func areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
        switch (isNil(left), isNil(right)) {
        case (true, true): return true
        case (false, false): break
        default: return false
        }
        guard let left = left as? any Equatable else { return false }
        return left.isEqual(to: right)
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}
