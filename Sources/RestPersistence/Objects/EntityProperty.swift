// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A property of an entity's class: its name, key path and description.
///
/// The functions `property(_:_:…)` are overloaded on the type of the property, which tells attributes,
/// to-one relationships and to-many relationships apart.
public struct EntityProperty<Object: ManagedEntity>: Sendable {
    let name: String
    let path: any AnyKeyPath & Sendable
    var attribute: AttributeDescription?
    var relationship: RelationshipDescription?
    var isHidden = false

    /// The property as one that ``ManagedValues`` do not have, such as a private one.
    public var hidden: EntityProperty {
        var property = self
        property.isHidden = true
        return property
    }

    /// Returns the properties of a sub-entity: those of its super-entity and its own.
    public static func inheriting(
        _ inherited: [EntityProperty], _ own: [EntityProperty]
    ) -> [EntityProperty] { inherited + own }

    /// Returns an attribute with the type and optionality of the property.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - path: The key path of the property.
    ///   - sourceKey: The key in representations; `nil` for the name.
    ///   - isIdentity: A Boolean value that indicates whether the attribute identifies objects.
    ///   - isIndexed: A Boolean value that indicates whether the column has an index.
    ///   - isSearchable: A Boolean value that indicates whether the words are in the full-text index.
    ///   - maximumLength: The maximum length of a text in Unicode scalars; `nil` for no limit.
    ///   - value: The value of new objects; `nil` for none.
    ///   - form: The part of the value in a representation that is the value of the attribute.
    ///   - policy: The policy for a value that does not fit, unless a mapping declares one for the
    ///     attribute.
    ///   - transform: The transform that replaces the conversion of the type, unless a mapping declares
    ///     another.
    ///   - formerNames: The names of the attribute in earlier models, the latest first.
    /// - Returns: The property.
    public static func property<Value: AttributeValue>(
        _ name: String, _ path: any KeyPath<Object, Value> & Sendable, sourceKey: String? = nil,
        isIdentity: Bool = false, isIndexed: Bool = false, isSearchable: Bool = false,
        maximumLength: Int? = nil, default value: Value? = nil,
        form: ReferenceDescription.Form = .value, policy: IssuePolicy? = nil,
        transform: ValueTransform<Value>? = nil, renamedFrom formerNames: [String] = []
    ) -> EntityProperty {
        var attribute = AttributeDescription(
            name, of: Value.self, isIdentity: isIdentity, isIndexed: isIndexed,
            maximumLength: maximumLength, default: value, sourceKey: sourceKey, form: form)
        attribute.isSearchable = isSearchable
        attribute.formerNames = formerNames
        attribute.conversion = PropertyConversion(policy: policy, transform: transform)
        return EntityProperty(name: name, path: path, attribute: attribute)
    }

    /// Returns an optional attribute with a transform to the wrapped type; null becomes nil.
    public static func property<Value: AttributeValue>(
        _ name: String, _ path: any KeyPath<Object, Value?> & Sendable, sourceKey: String? = nil,
        isIdentity: Bool = false, isIndexed: Bool = false, isSearchable: Bool = false,
        maximumLength: Int? = nil, default value: Value?? = nil, policy: IssuePolicy? = nil,
        transform: ValueTransform<Value>, renamedFrom formerNames: [String] = []
    ) -> EntityProperty {
        var property = property(
            name, path, sourceKey: sourceKey, isIdentity: isIdentity, isIndexed: isIndexed,
            isSearchable: isSearchable, maximumLength: maximumLength, default: value,
            renamedFrom: formerNames)
        property.attribute?.conversion = PropertyConversion(policy: policy, transform: transform)
        return property
    }

    /// Returns an attribute whose values are converted by a transform between Swift values.
    public static func property<Value: AttributeValue>(
        _ name: String, _ path: any KeyPath<Object, Value> & Sendable, sourceKey: String? = nil,
        isIdentity: Bool = false, isIndexed: Bool = false, isSearchable: Bool = false,
        maximumLength: Int? = nil, default value: Value? = nil, policy: IssuePolicy? = nil,
        transform: AnyValueTransform, renamedFrom formerNames: [String] = []
    ) -> EntityProperty {
        var property = property(
            name, path, sourceKey: sourceKey, isIdentity: isIdentity, isIndexed: isIndexed,
            isSearchable: isSearchable, maximumLength: maximumLength, default: value,
            renamedFrom: formerNames)
        property.attribute?.conversion = PropertyConversion(policy: policy, transform: transform)
        return property
    }

    /// Returns a to-one relationship.
    public static func property<Destination: ManagedEntity>(
        _ name: String, _ path: any KeyPath<Object, Destination?> & Sendable,
        sourceKey: String? = nil, inverse: String? = nil,
        deleteRule: DeleteRule = .nullify, assignment: AssignmentPolicy = .set,
        reference: ReferenceDescription? = nil, renamedFrom formerNames: [String] = []
    ) -> EntityProperty {
        relationship(
            name, path, to: Destination.self, sourceKey, inverse, isToMany: false,
            isOrdered: false, deleteRule, assignment, reference, formerNames)
    }

    /// Returns an unordered to-many relationship.
    ///
    /// A default value can only be empty, which a relationship of a new object is.
    public static func property<Destination: ManagedEntity>(
        _ name: String, _ path: any KeyPath<Object, Set<Destination>> & Sendable,
        sourceKey: String? = nil, default value: Set<Destination> = [],
        inverse: String? = nil, deleteRule: DeleteRule = .nullify,
        assignment: AssignmentPolicy = .set, reference: ReferenceDescription? = nil,
        renamedFrom formerNames: [String] = []
    ) -> EntityProperty {
        relationship(
            name, path, to: Destination.self, sourceKey, inverse, isToMany: true,
            isOrdered: false, deleteRule, assignment, reference, formerNames)
    }

    /// Returns an ordered to-many relationship.
    ///
    /// A default value can only be empty, which a relationship of a new object is.
    public static func property<Destination: ManagedEntity>(
        _ name: String, _ path: any KeyPath<Object, [Destination]> & Sendable,
        sourceKey: String? = nil, default value: [Destination] = [],
        inverse: String? = nil, deleteRule: DeleteRule = .nullify,
        assignment: AssignmentPolicy = .set, reference: ReferenceDescription? = nil,
        renamedFrom formerNames: [String] = []
    ) -> EntityProperty {
        relationship(
            name, path, to: Destination.self, sourceKey, inverse, isToMany: true,
            isOrdered: true, deleteRule, assignment, reference, formerNames)
    }

    static func relationship(
        _ name: String, _ path: any AnyKeyPath & Sendable, to destination: any ManagedEntity.Type,
        _ sourceKey: String?, _ inverse: String?, isToMany: Bool,
        isOrdered: Bool, _ deleteRule: DeleteRule, _ assignment: AssignmentPolicy = .set,
        _ reference: ReferenceDescription? = nil,
        _ formerNames: [String] = []
    ) -> EntityProperty {
        var relationship = RelationshipDescription(
            name, isToMany: isToMany, destination: .type(destination),
            inverse: inverse, sourceKey: sourceKey, isOrdered: isOrdered,
            deleteRule: deleteRule, reference: reference, formerNames: formerNames)
        relationship.assignment = assignment
        return EntityProperty(name: name, path: path, relationship: relationship)
    }
}
