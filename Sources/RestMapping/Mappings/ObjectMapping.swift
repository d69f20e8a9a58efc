// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Declares how a representation becomes an object.
///
/// A mapping is a value apart from the type it describes; a type may have any number of them. It is
/// declared by the property names a person knows and compiled once into a ``MappingPlan``.
///
///     let mapping = ObjectMapping(for: Article.self) {
///         attribute("headline", to: \.title)
///         relationship("written_by", to: \.author)
///     }
public struct ObjectMapping: Sendable {
    /// The properties of the type or entity the mapping is for.
    public let table: PropertyTable
    /// The lines, in the order they were added.
    public internal(set) var propertyMappings: [PropertyMapping] = []
    /// What happens to values and objects that do not fit.
    public var policy: IssuePolicy
    /// How values are converted to the types of the properties.
    public var conversion: ValueConversion
    /// How names become other names where only one is given.
    public let keyTransformation: KeyTransformation

    /// Whether a property without a value in the representation gets its default, instead of
    /// keeping what it has: the attribute's own, else what the type declares, else nil.
    ///
    /// A property with neither keeps what it has. Relationships have a flag of their own.
    public var assignsDefaultForMissing = false
    /// Whether a relationship that the representation does not name becomes nil, or empty.
    public var assignsNilForMissingRelationships = false
    /// Whether an object stands for the list of its members, each an object with one key.
    public var forcesCollection = false
    /// Whether validations are asked; they are kept if not.
    public var performsValidation = true
    /// The property that is fed by the key of the representation, see ``SourcePath``.
    ///
    /// The representation is then an object with one key, `{"blake": {…}}`; sources that begin with
    /// `{name}` are looked up in its value.
    public var nestingAttribute: String?
    var validations: [String: any ErasedValidation] = [:]

    /// Declares a mapping without content, to be added to.
    public init(
        table: PropertyTable, policy: IssuePolicy = .standard,
        conversion: ValueConversion = .standard, keyTransformation: KeyTransformation = .identity
    ) {
        self.table = table
        self.policy = policy
        self.conversion = conversion
        self.keyTransformation = keyTransformation
    }

    /// Declares the default mapping: every property from the place its declaration names.
    ///
    /// A property whose declaration names no place is looked for as the key transformation says.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, policy: IssuePolicy = .standard,
        conversion: ValueConversion = .standard, keyTransformation: KeyTransformation = .identity
    ) {
        self.init(
            defaultFor: subject.properties, policy: policy, conversion: conversion,
            keyTransformation: keyTransformation)
    }

    /// Declares the default mapping of a table: every property from the place it names.
    public init(
        defaultFor table: PropertyTable, policy: IssuePolicy = .standard,
        conversion: ValueConversion = .standard, keyTransformation: KeyTransformation = .identity
    ) {
        self.init(
            table: table, policy: policy, conversion: conversion,
            keyTransformation: keyTransformation)
        for property in table.properties {
            let isNamed = property.source != DocumentPath([.key(property.name)])
            add(
                property.name,
                from: isNamed
                    ? SourcePath(property.source) : keyTransformation.source(of: property.name))
        }
    }

    /// Declares a mapping by key paths.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, policy: IssuePolicy = .standard,
        conversion: ValueConversion = .standard,
        @MappingBuilder<Subject> _ content: () -> [MappingElement<Subject>]
    ) {
        self.init(table: subject.properties, policy: policy, conversion: conversion)
        for element in content() { element.change(&self) }
    }

    /// Declares a mapping by names, from source to property.
    ///
    /// A property that holds mapped objects becomes a relationship with their default mapping.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, _ names: KeyValuePairs<SourcePath, String>,
        policy: IssuePolicy = .standard, conversion: ValueConversion = .standard
    ) {
        self.init(table: subject.properties, policy: policy, conversion: conversion)
        add(names)
    }

    /// Declares a mapping by the names of the representation; properties are called as the key
    /// transformation says.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, _ names: [SourcePath], policy: IssuePolicy = .standard,
        conversion: ValueConversion = .standard, keyTransformation: KeyTransformation = .identity
    ) {
        self.init(
            table: subject.properties, policy: policy, conversion: conversion,
            keyTransformation: keyTransformation)
        add(names)
    }
}

// MARK: - Reading

extension ObjectMapping {
    /// Properties fed by plain values.
    public var attributes: [AttributeMapping] {
        propertyMappings.compactMap {
            if case .attribute(let attribute) = $0 { attribute } else { nil }
        }
    }

    /// Properties fed by related objects.
    public var relationships: [RelationshipMapping] {
        propertyMappings.compactMap {
            if case .relationship(let relationship) = $0 { relationship } else { nil }
        }
    }

    /// The line that was added last for a source, or nil.
    public func propertyMapping(from source: SourcePath) -> PropertyMapping? {
        propertyMappings.last { $0.source == source }
    }

    /// The line for a property, or nil.
    public func propertyMapping(to destination: String) -> PropertyMapping? {
        propertyMappings.last { $0.destination == destination }
    }
}

extension ObjectMapping: Equatable {
    /// Mappings are equal if they are for the same type or entity and feed the same properties in
    /// the same way, in whatever order.
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
    /// Whether two tables are of the same type or entity.
    func isSame(as other: PropertyTable) -> Bool {
        name == other.name && swiftType == other.swiftType
    }

    /// Whether what another table describes may stand where this is asked for.
    func holds(_ other: PropertyTable) -> Bool {
        if isSame(as: other) { return true }
        guard let base = subject, let subject = other.subject else { return false }
        func isKind<Base: Mapped>(_ base: Base.Type) -> Bool { subject is Base.Type }
        return isKind(base)
    }

    /// The type that is described; nil for an entity.
    var swiftType: ObjectIdentifier? {
        decodedType.map { ObjectIdentifier($0) } ?? subject.map { ObjectIdentifier($0) }
    }
}
