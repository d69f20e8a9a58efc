// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A property of a type, with an index in the type's table.
public struct Property: Sendable {
    /// The name of the property in Swift, or of the entity's attribute.
    public let name: String
    /// The path from which the default mapping reads the property.
    public let source: SourcePath
    /// A Boolean value that indicates whether an object cannot be built without the property.
    public let isRequired: Bool
    /// The relation to mapped objects; nil for a plain value.
    public let relation: Relation?
    /// The property's type; nil if it is known only at run time.
    public let valueType: Any.Type?
    /// The policy for a value that does not fit; nil for the mapping's policy.
    public let policy: IssuePolicy?
    /// The key path; nil for an entity that exists only at run time.
    let keyPath: (any AnyKeyPath & Sendable)?
    /// The transform that replaces the conversion of the property's type, unless a mapping declares
    /// another.
    let transform: (any PropertyTransform)?

    /// Creates a property of a Swift type.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - keyPath: The key path, which names the property in declarations and reads it by name; it
    ///     never writes the property.
    ///   - type: The type of the property.
    ///   - source: The path from which the default mapping reads the property; its name if nil.
    ///   - isRequired: A Boolean value that indicates whether the property has neither a default
    ///     nor nil.
    ///   - policy: The policy for a value that does not fit, unless a mapping declares one for the
    ///     attribute.
    ///   - transform: The transform that replaces the conversion of the type, unless a mapping
    ///     declares another.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
        _ type: Value.Type,
        source: SourcePath? = nil, isRequired: Bool = false, policy: IssuePolicy? = nil,
        transform: ValueTransform<Value>? = nil
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: Value.relation,
            valueType: type, policy: policy, keyPath: keyPath, transform: transform)
    }

    /// Creates a property with a default value or an optional type, mapped from the key of its name.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
        _ type: Value.Type
    ) {
        self.init(
            name, source: nil, isRequired: false, relation: Value.relation, valueType: type,
            policy: nil, keyPath: keyPath, transform: nil)
    }

    /// Creates a property with neither a default value nor an optional type, mapped from the key of
    /// its name.
    public init<Root, Value: MappableValue>(
        required name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
        _ type: Value.Type
    ) {
        self.init(
            name, source: nil, isRequired: true, relation: Value.relation, valueType: type,
            policy: nil, keyPath: keyPath, transform: nil)
    }

    /// Creates an optional property with a transform to the wrapped type; null becomes nil.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value?> & Sendable,
        _ type: Value?.Type,
        source: SourcePath? = nil, isRequired: Bool = false, policy: IssuePolicy? = nil,
        transform: ValueTransform<Value>
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: Value.relation,
            valueType: type, policy: policy, keyPath: keyPath, transform: transform.toOptional)
    }

    /// Creates a property of an entity, which may exist only at run time.
    public init(
        name: String, source: SourcePath? = nil, isRequired: Bool = false,
        relation: Relation? = nil, valueType: Any.Type? = nil,
        keyPath: (any AnyKeyPath & Sendable)? = nil
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: relation, valueType: valueType,
            policy: nil, keyPath: keyPath, transform: nil)
    }

    /// Creates an attribute of an entity with a conversion that its class declares.
    package init(
        name: String, source: SourcePath?, isRequired: Bool, conversion: PropertyConversion,
        keyPath: (any AnyKeyPath & Sendable)?
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: nil, valueType: nil,
            policy: conversion.policy, keyPath: keyPath, transform: conversion.transform)
    }

    init(
        _ name: String, source: SourcePath?, isRequired: Bool, relation: Relation?,
        valueType: Any.Type?, policy: IssuePolicy?, keyPath: (any AnyKeyPath & Sendable)?,
        transform: (any PropertyTransform)?
    ) {
        self.name = name
        self.source = source ?? SourcePath([.key(name)])
        self.isRequired = isRequired
        self.relation = relation
        self.valueType = valueType
        self.policy = policy
        self.keyPath = keyPath
        self.transform = transform
    }

    /// The conversion by which request mappings write what the property's transform reads; nil for that
    /// of the type.
    var requestConversion: RequestAttribute.Conversion? {
        transform?.requestConversion(for: valueType)
    }

    /// A Boolean value that indicates whether the values are mapped objects rather than results of
    /// a transform.
    package var holdsMappedObjects: Bool { relation != nil && transform == nil }

    /// A Boolean value that indicates whether the property is a dictionary, whose values are mapped
    /// from the members of an object.
    package var isKeyed: Bool { valueType.map(Self.isKeyed) ?? false }

    /// Returns a Boolean value that indicates whether a type is a dictionary, or an optional one.
    package static func isKeyed(_ type: any Any.Type) -> Bool {
        OptionalTypes.wrapped(type) is any KeyedType.Type
    }
}

/// The policy and the transform that a class declares for an attribute.
package struct PropertyConversion: Sendable {
    /// The conversion of the type of the attribute.
    package static let none = PropertyConversion(policy: nil, transform: nil)

    fileprivate let policy: IssuePolicy?
    fileprivate let transform: (any PropertyTransform)?

    private init(policy: IssuePolicy?, transform: (any PropertyTransform)?) {
        self.policy = policy
        self.transform = transform
    }

    /// Creates a conversion to the type of an attribute.
    package init<Value>(policy: IssuePolicy?, transform: ValueTransform<Value>?) {
        self.init(policy: policy, transform: transform.map { $0 as any PropertyTransform })
    }

    /// Creates a conversion between Swift values.
    package init(policy: IssuePolicy?, transform: AnyValueTransform) {
        self.init(policy: policy, transform: AnyPropertyTransform(transform))
    }
}

extension ValueTransform {
    /// The transform to an optional type; null becomes nil.
    var toOptional: ValueTransform<Value?> {
        ValueTransform<Value?>(name: name, requestConversion: requestConversion) {
            source throws(MappingFailure) in
            source.view.isNull ? nil : try apply(source)
        }
    }
}

extension Property {
    /// Returns the key path of a stored property of a structure as a Sendable one.
    ///
    /// The code that `@Mapped` generates for a structure calls it. The key path of a property that is
    /// isolated is not Sendable, as in a module whose default isolation is the main actor, although
    /// the property can be read anywhere.
    ///
    /// - Parameter keyPath: The literal key path of a stored property. A key path with subscripts captures
    ///   their arguments, which this function does not check.
    /// - Returns: The key path.
    @inlinable
    @unsafe
    public static func path<Root, Value>(
        toStored keyPath: KeyPath<Root, Value>
    ) -> any KeyPath<Root, Value> & Sendable {
        // Invariant: a key path is immutable, and that of a stored property captures no values. The cast
        // changes no bits, as `Sendable` has no witnesses.
        unsafe unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
    }
}
