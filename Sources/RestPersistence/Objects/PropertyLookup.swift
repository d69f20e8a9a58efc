// SPDX-License-Identifier: Apache-2.0

// Generated code looks up the properties of destinations that attributes name, at the line of the attribute,
// so that the compiler reports a wrong one there. A program cannot use the result.

/// A finder of the properties of a class that attributes of a relationship name; code that `@Entity` generates
/// uses it.
///
/// The compiler checks the key path in an attribute itself. A name that it refuses is found here as a missing
/// property, so that it is not reported twice.
@dynamicMemberLookup
public struct PropertyLookup<Destination> {
    /// Creates a finder of the properties of a class.
    public init() {}

    /// The property with a name.
    public subscript<Value>(
        dynamicMember path: KeyPath<Destination, Value>
    ) -> FoundProperty<Destination, Value> { FoundProperty() }

    /// The result for a name that no property has.
    public subscript(dynamicMember name: String) -> MissingProperty { MissingProperty() }

    /// Returns the property of a key path.
    public static func property<Value>(
        _ path: KeyPath<Destination, Value>
    ) -> FoundProperty<Destination, Value> { FoundProperty() }
}

/// A property that an attribute of a relationship names.
public struct FoundProperty<Destination, Value> {
    /// Accepts a relationship that leads back to a class.
    public func inverse<Owner>(leadingTo owner: Owner.Type)
    where Value: RelationshipValue, Value.Destination == Owner {}

    /// Unavailable: the property is no relationship that leads back.
    @available(
        *, unavailable,
        message: """
            the inverse must be a relationship of the destination that leads back to the class that \
            declares it
            """
    )
    public func inverse<Owner>(leadingTo owner: Owner.Type) {}

    /// Accepts an attribute, which references can be by.
    public func referenceAttribute() where Value: AttributeValue {}

    /// Unavailable: references are by an attribute.
    @available(
        *, unavailable,
        message: "a reference is by an attribute of the destination, not by another property"
    )
    @_disfavoredOverload
    public func referenceAttribute() {}
}

/// A property that does not exist, which the compiler reports at the attribute.
public struct MissingProperty {
    /// Has no effect.
    public func inverse<Owner>(leadingTo owner: Owner.Type) {}

    /// Has no effect.
    public func referenceAttribute() {}
}

/// A type of relationships: an optional entity, or a set or an array of entities.
public protocol RelationshipValue {
    /// The class of the destinations.
    associatedtype Destination: ManagedEntity
}

extension Optional: RelationshipValue where Wrapped: ManagedEntity {
    /// The class of the destination.
    public typealias Destination = Wrapped
}

extension Set: RelationshipValue where Element: ManagedEntity {
    /// The class of the destinations.
    public typealias Destination = Element
}

extension Array: RelationshipValue where Element: ManagedEntity {
    /// The class of the destinations.
    public typealias Destination = Element
}
