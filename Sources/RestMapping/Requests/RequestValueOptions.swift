// SPDX-License-Identifier: Apache-2.0

/// The options that a mapping declares for the values of a property.
struct RequestValueOptions: Sendable {
    /// The transform that replaces the conversion by the value's type.
    var transform: (any ErasedRequestTransform)?
    /// The date format; nil for that of the plan.
    var dates: DateFormat?
    /// A Boolean value that indicates whether decimals are numbers instead of text.
    var hasNumericDecimals = false
    /// The encoder of a type that encodes itself.
    var codable: CodableMapping?
}
