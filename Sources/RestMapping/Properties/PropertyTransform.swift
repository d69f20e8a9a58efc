// SPDX-License-Identifier: Apache-2.0

/// A conversion that is declared for a property, as a plan stores it.
protocol PropertyTransform: Sendable {
    /// The name of the transform in issues and in the plan's description.
    var name: String { get }
    /// The type of the values that the transform creates; nil if it adopts the property's type.
    var valueType: (any Any.Type)? { get }
    /// Returns the conversion in the opposite direction, by which request mappings write a property.
    ///
    /// - Parameter type: The type of the property; nil if it is known at run time only.
    /// - Returns: The conversion to what the transform reads; nil for that of the type.
    func requestConversion(for type: (any Any.Type)?) -> RequestConversion?

    /// Converts a value to a property's type.
    func value<Value: MappableValue>(from source: ValueSource) throws(MappingFailure) -> Value
}

/// A conversion that is declared for all attributes of a mapping.
protocol MappingTransform: Sendable {
    /// Returns the conversion to the type of one property; nil for a type that is known at run time
    /// only.
    func propertyTransform(for type: (any Any.Type)?) -> any PropertyTransform
}
