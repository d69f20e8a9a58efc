// SPDX-License-Identifier: Apache-2.0

/// The relation of a property to the mapped objects that it holds.
public struct Relation: Sendable {
    /// A Boolean value that indicates whether the property holds a collection.
    public let isToMany: Bool
    /// A Boolean value that indicates whether the property is the inverse of a property of the
    /// related objects, which default request mappings write instead of it.
    public let isInverse: Bool
    /// The policy for the objects that the property holds, unless a mapping declares another.
    public let assignment: AssignmentPolicy
    private let provider: @Sendable () -> PropertyTable
    private let referenceProvider: (@Sendable () -> Int?)?

    /// Creates a relation.
    ///
    /// The table and the reference are evaluated when a mapping is compiled, so that types may refer to
    /// each other.
    ///
    /// - Parameters:
    ///   - isToMany: A Boolean value that indicates whether the property holds a collection.
    ///   - isInverse: A Boolean value that indicates whether the property is the inverse of another.
    ///   - assignment: The policy for the objects that the property holds, unless a mapping declares
    ///     another.
    ///   - reference: Returns the index of the property of the related type that a plain value in place
    ///     of an object is the value of, or `nil` if the type has no such property; `nil` if
    ///     representations have no such values. A mapping may declare another. Objects have the default
    ///     mapping of their type.
    ///   - table: The properties of the related type.
    public init(
        isToMany: Bool, isInverse: Bool = false, assignment: AssignmentPolicy = .set,
        reference: (@Sendable () -> Int?)? = nil,
        _ table: @escaping @Sendable () -> PropertyTable
    ) {
        self.isToMany = isToMany
        self.isInverse = isInverse
        self.assignment = assignment
        provider = table
        referenceProvider = reference
    }

    /// A Boolean value that indicates whether representations may have plain values in place of the
    /// related objects.
    var hasReference: Bool { referenceProvider != nil }

    /// The index of the property of the related type that such a value is the value of; `nil` if there
    /// is none.
    var referenceProperty: Int? { referenceProvider?() }

    /// The properties of the related type.
    public var table: PropertyTable { provider() }

    /// This relation for a collection.
    public var toMany: Relation {
        Relation(
            isToMany: true, isInverse: isInverse, assignment: assignment,
            reference: referenceProvider, provider)
    }
}

/// The properties of a type, by index.
///
/// Each mapped type has accessors of its table, so the table is a single reference.
public struct PropertyTable: Sendable {
    private let contents: Contents

    /// The name of the type or entity.
    public var name: String { contents.name }
    /// The properties; a ``MappingDestination`` receives their indices.
    public var properties: [Property] { contents.properties }
    /// The Swift type; nil for an entity and for a type that decodes itself.
    public var subject: (any Mapped.Type)? { contents.subject }
    /// The indices of the identification attributes of an entity; empty for a Swift type.
    public var identity: [Int] { contents.identity }
    /// The names of the entities that an entity inherits from; empty for a Swift type.
    public var superentities: [String] { contents.superentities }
    /// The Swift type that decodes itself; nil for all others.
    var decodedType: (any (Decodable & SendableMetatype).Type)? { contents.decodedType }

    /// Creates the table of a Swift type.
    public init<Subject: Mapped>(_ subject: Subject.Type, _ properties: [Property]) {
        contents = Contents(
            name: String(describing: subject), properties: properties, subject: subject)
    }

    /// Creates the table of an entity.
    ///
    /// - Parameters:
    ///   - name: The name of the entity.
    ///   - superentities: The names of the entities that it inherits from.
    ///   - properties: The properties.
    ///   - identity: The indices of the identification attributes.
    public init(
        entity name: String, inheriting superentities: [String] = [], _ properties: [Property],
        identity: [Int] = []
    ) {
        contents = Contents(
            name: name, properties: properties, identity: identity, superentities: superentities)
    }

    /// Creates the table of a type that decodes itself, whose properties no mapping refers to.
    init<Value: Decodable & SendableMetatype>(decoding type: Value.Type) {
        contents = Contents(name: String(describing: type), properties: [], decodedType: type)
    }

    /// A Boolean value that indicates whether the table is that of an entity.
    package var isEntity: Bool { subject == nil && decodedType == nil }

    /// A Boolean value that indicates whether the objects are errors.
    package var isError: Bool { subject is any Error.Type || decodedType is any Error.Type }

    /// Returns the index of the property with a name, or nil.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    public func index(of name: String) -> Int? {
        properties.firstIndex { $0.name == name }
    }

    /// Returns the index of the property with a key path, or nil.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    public func index(of keyPath: AnyKeyPath) -> Int? {
        properties.firstIndex { property in
            property.keyPath.map { $0 as AnyKeyPath == keyPath } ?? false
        }
    }
}

extension PropertyTable {
    private final class Contents: Sendable {
        let name: String
        let properties: [Property]
        let subject: (any Mapped.Type)?
        let identity: [Int]
        let superentities: [String]
        let decodedType: (any (Decodable & SendableMetatype).Type)?

        init(
            name: String, properties: [Property], subject: (any Mapped.Type)? = nil,
            identity: [Int] = [], superentities: [String] = [],
            decodedType: (any (Decodable & SendableMetatype).Type)? = nil
        ) {
            self.name = name
            self.properties = properties
            self.subject = subject
            self.identity = identity
            self.superentities = superentities
            self.decodedType = decodedType
        }
    }
}
