// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A declaration of how a representation becomes an object.
///
/// A mapping is a value that is separate from the type it describes; a type may have any number of
/// mappings. It is declared with the names of properties and compiled once into a ``MappingPlan``.
///
///     let mapping = ObjectMapping(for: Article.self) {
///         attribute("headline", to: \.title)
///         relationship("written_by", to: \.author)
///     }
public struct ObjectMapping: Sendable {
    /// The properties of the type or entity that the mapping is for.
    public let table: PropertyTable
    /// The property mappings, in the order in which they were added.
    public internal(set) var propertyMappings: [PropertyMapping] = []
    /// The policy for values and objects that do not fit.
    public var policy: IssuePolicy
    /// The options for the conversion of values to the types of the properties.
    public var conversion: ConversionOptions
    /// The transformation between keys and property names, where only one of them is declared.
    public let keyTransformation: KeyTransformation

    /// A Boolean value that indicates whether a missing value is replaced by a default, instead of
    /// leaving the property unchanged.
    ///
    /// The default is the attribute's own, else the one that the type declares, else nil. A
    /// property with neither is left unchanged. Relationships have a flag of their own.
    public var assignsDefaultForMissing = false
    /// A Boolean value that indicates whether a relationship that is missing in the representation
    /// becomes nil, or empty.
    public var assignsNilForMissingRelationships = false
    /// A Boolean value that indicates whether an object represents the list of its members, each an
    /// object with one key.
    public var forcesCollection = false
    /// A Boolean value that indicates whether validations run; they are kept if not.
    public var performsValidation = true
    /// The property that receives the key of the representation, see ``SourcePath``.
    ///
    /// The representation is then an object with one key, `{"blake": {…}}`; sources that begin with
    /// `{name}` are looked up in its value.
    public var nestingAttribute: String?
    var validations: [String: any ErasedValidation] = [:]

    /// Creates a mapping without property mappings.
    public init(
        table: PropertyTable, policy: IssuePolicy = .standard,
        conversion: ConversionOptions = .standard, keyTransformation: KeyTransformation = .identity
    ) {
        self.table = table
        self.policy = policy
        self.conversion = conversion
        self.keyTransformation = keyTransformation
    }

    /// Creates the default mapping: each property from the path that its declaration names.
    ///
    /// The key transformation returns the key of a property whose declaration names no path.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, policy: IssuePolicy = .standard,
        conversion: ConversionOptions = .standard, keyTransformation: KeyTransformation = .identity
    ) {
        self.init(
            defaultFor: subject.properties, policy: policy, conversion: conversion,
            keyTransformation: keyTransformation)
    }

    /// Creates the default mapping of a table: each property from the path that it names.
    public init(
        defaultFor table: PropertyTable, policy: IssuePolicy = .standard,
        conversion: ConversionOptions = .standard, keyTransformation: KeyTransformation = .identity
    ) {
        self.init(
            table: table, policy: policy, conversion: conversion,
            keyTransformation: keyTransformation)
        for property in table.properties {
            let isNamed = property.source != SourcePath([.key(property.name)])
            add(
                property.name,
                from: isNamed
                    ? property.source : keyTransformation.source(of: property.name))
        }
    }

    /// Creates a mapping that is declared by key paths.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, policy: IssuePolicy = .standard,
        conversion: ConversionOptions = .standard,
        @MappingBuilder<Subject> _ content: () -> [MappingElement<Subject>]
    ) {
        self.init(table: subject.properties, policy: policy, conversion: conversion)
        for element in content() { element.change(&self) }
    }

    /// Creates a mapping that is declared by names, from source to property.
    ///
    /// A property that holds mapped objects becomes a relationship with their default mapping.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, _ names: KeyValuePairs<SourcePath, String>,
        policy: IssuePolicy = .standard, conversion: ConversionOptions = .standard
    ) {
        self.init(table: subject.properties, policy: policy, conversion: conversion)
        add(names)
    }

    /// Creates a mapping that is declared by the keys of the representation; the key transformation
    /// returns the names of the properties.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, _ names: [SourcePath], policy: IssuePolicy = .standard,
        conversion: ConversionOptions = .standard, keyTransformation: KeyTransformation = .identity
    ) {
        self.init(
            table: subject.properties, policy: policy, conversion: conversion,
            keyTransformation: keyTransformation)
        add(names)
    }
}

// MARK: - Reading

extension ObjectMapping {
    /// The mappings of properties that hold plain values.
    public var attributes: [AttributeMapping] {
        propertyMappings.compactMap {
            if case .attribute(let attribute) = $0 { attribute } else { nil }
        }
    }

    /// The mappings of properties that hold related objects.
    public var relationships: [RelationshipMapping] {
        propertyMappings.compactMap {
            if case .relationship(let relationship) = $0 { relationship } else { nil }
        }
    }

    /// Returns the property mapping that was added last for a source, or nil.
    public func propertyMapping(from source: SourcePath) -> PropertyMapping? {
        propertyMappings.last { $0.source == source }
    }

    /// Returns the mapping of a property, or nil.
    public func propertyMapping(to destination: String) -> PropertyMapping? {
        propertyMappings.last { $0.destination == destination }
    }
}

extension ObjectMapping: Equatable {
    /// Returns a Boolean value that indicates whether two mappings are for the same type or entity
    /// and have the same property mappings, in any order.
    ///
    /// Options, policies, transforms and validations are not compared.
    public static func == (left: ObjectMapping, right: ObjectMapping) -> Bool {
        guard left.table.isSame(as: right.table),
            left.propertyMappings.count == right.propertyMappings.count
        else { return false }
        return left.propertyMappings.allSatisfy {
            right.propertyMapping(to: $0.destination) == $0
        }
    }
}

extension PropertyTable {
    /// Returns a Boolean value that indicates whether two tables describe the same type or entity.
    package func isSame(as other: PropertyTable) -> Bool {
        name == other.name && swiftType == other.swiftType
    }

    /// Returns a Boolean value that indicates whether another table describes the same type or
    /// entity, or one that inherits from this one.
    package func holds(_ other: PropertyTable) -> Bool {
        if isSame(as: other) { return true }
        if isEntity { return other.isEntity && other.superentities.contains(name) }
        guard let base = subject, let subject = other.subject else { return false }
        func isKind<Base: Mapped>(_ base: Base.Type) -> Bool { subject is Base.Type }
        return isKind(base)
    }

    /// The identity of the type that is described; nil for an entity.
    package var swiftType: ObjectIdentifier? {
        decodedType.map { ObjectIdentifier($0) } ?? subject.map { ObjectIdentifier($0) }
    }
}
