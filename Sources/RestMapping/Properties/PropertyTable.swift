// SPDX-License-Identifier: Apache-2.0

/// The relation of a property to the mapped objects that it holds.
public struct Relation: Sendable {
    /// A Boolean value that indicates whether the property holds a collection.
    public let isToMany: Bool
    /// A Boolean value that indicates whether the property is the inverse of a property of the
    /// related objects, which default request mappings write instead of it.
    public let isInverse: Bool
    private let provider: @Sendable () -> PropertyTable

    /// Creates a relation.
    ///
    /// The table is evaluated when a mapping is compiled, so that types may refer to each other.
    public init(
        isToMany: Bool, isInverse: Bool = false, _ table: @escaping @Sendable () -> PropertyTable
    ) {
        self.isToMany = isToMany
        self.isInverse = isInverse
        provider = table
    }

    /// The properties of the related type.
    public var table: PropertyTable { provider() }

    /// This relation for a collection.
    public var toMany: Relation { Relation(isToMany: true, isInverse: isInverse, provider) }
}

/// The properties of a type, by index.
public struct PropertyTable: Sendable {
    /// The name of the type or entity.
    public let name: String
    /// The properties; a ``MappingDestination`` receives their indices.
    public let properties: [Property]
    /// The Swift type; nil for an entity and for a type that decodes itself.
    public let subject: (any Mapped.Type)?
    /// The indices of the identification attributes of an entity; empty for a Swift type.
    public let identity: [Int]
    /// The Swift type that decodes itself; nil for all others.
    let decodedType: (any (Decodable & SendableMetatype).Type)?

    /// Creates the table of a Swift type.
    public init<Subject: Mapped>(_ subject: Subject.Type, _ properties: [Property]) {
        name = String(describing: subject)
        self.properties = properties
        self.subject = subject
        identity = []
        decodedType = nil
    }

    /// Creates the table of an entity.
    ///
    /// - Parameters:
    ///   - name: The name of the entity.
    ///   - properties: The properties.
    ///   - identity: The indices of the identification attributes.
    public init(entity name: String, _ properties: [Property], identity: [Int] = []) {
        self.name = name
        self.properties = properties
        self.identity = identity
        subject = nil
        decodedType = nil
    }

    /// Creates the table of a type that decodes itself, whose properties no mapping refers to.
    init<Value: Decodable & SendableMetatype>(decoding type: Value.Type) {
        name = String(describing: type)
        properties = []
        subject = nil
        identity = []
        decodedType = type
    }

    /// A Boolean value that indicates whether the table is that of an entity.
    var isEntity: Bool { subject == nil && decodedType == nil }

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
            property.keyPath == keyPath
        }
    }
}
