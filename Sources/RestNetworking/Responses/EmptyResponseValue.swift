// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// A type with a value that represents an empty response body.
protocol EmptyResponseValue: SendableMetatype {
    /// Returns the value for an empty body.
    static func emptyValue() -> sending Self
}

extension Optional: EmptyResponseValue where Wrapped: MappableValue {
    static func emptyValue() -> sending Wrapped? { nil }
}

extension Array: EmptyResponseValue where Element: MappableValue {
    static func emptyValue() -> sending [Element] { [] }
}

extension Set: EmptyResponseValue where Element: MappableValue {
    static func emptyValue() -> sending Set<Element> { [] }
}

extension Dictionary: EmptyResponseValue where Value: MappableValue {
    static func emptyValue() -> sending [Key: Value] { [:] }
}
