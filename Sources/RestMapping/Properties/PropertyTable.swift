// SPDX-License-Identifier: Apache-2.0

/// The relation of a property to the mapped objects that it holds.
public struct Relation: Sendable {
    /// A Boolean value that indicates whether the property holds a collection.
    public let isToMany: Bool
    private let provider: @Sendable () -> PropertyTable

    /// Creates a relation.
    ///
    /// The table is evaluated when a mapping is compiled, so that types may refer to each other.
    public init(isToMany: Bool, _ table: @escaping @Sendable () -> PropertyTable) {
        self.isToMany = isToMany
        provider = table
    }

    /// The properties of the related type.
    public var table: PropertyTable { provider() }

    /// This relation for a collection.
    public var toMany: Relation { Relation(isToMany: true, provider) }
}

/// The properties of a type, by index.
public struct PropertyTable: Sendable {
    /// The name of the type or entity.
    public let name: String
    /// The properties; a ``MappingDestination`` receives their indices.
    public let properties: [Property]
    /// The Swift type; nil for an entity and for a type that decodes itself.
    public let subject: (any Mapped.Type)?
    /// The Swift type that decodes itself; nil for all others.
    let decodedType: (any (Decodable & SendableMetatype).Type)?

    /// Creates the table of a Swift type.
    public init<Subject: Mapped>(_ subject: Subject.Type, _ properties: [Property]) {
        name = String(describing: subject)
        self.properties = properties
        self.subject = subject
        decodedType = nil
    }

    /// Creates the table of an entity.
    public init(entity name: String, _ properties: [Property]) {
        self.name = name
        self.properties = properties
        subject = nil
        decodedType = nil
    }

    /// Creates the table of a type that decodes itself, whose properties no mapping refers to.
    init<Value: Decodable & SendableMetatype>(decoding type: Value.Type) {
        name = String(describing: type)
        properties = []
        subject = nil
        decodedType = type
    }

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
