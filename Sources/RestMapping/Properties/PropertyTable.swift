// SPDX-License-Identifier: Apache-2.0

/// What a property holds when it holds other mapped objects.
public struct Relation: Sendable {
    /// Whether the property holds a collection.
    public let isToMany: Bool
    private let provider: @Sendable () -> PropertyTable

    /// Makes a relation; the table is asked for only when a mapping is compiled, so that types may
    /// refer to each other.
    public init(isToMany: Bool, _ table: @escaping @Sendable () -> PropertyTable) {
        self.isToMany = isToMany
        provider = table
    }

    /// The related type's properties.
    public var table: PropertyTable { provider() }

    /// The same relation held in a collection.
    public var toMany: Relation { Relation(isToMany: true, provider) }
}

/// The properties of a type, by index.
public struct PropertyTable: Sendable {
    /// Name of the type or entity.
    public let name: String
    /// The properties; the index is what a ``MappingDestination`` is given.
    public let properties: [Property]
    /// The Swift type; nil for an entity and for a type that decodes itself.
    public let subject: (any Mapped.Type)?
    /// The Swift type that decodes itself; nil for all others.
    let decodedType: (any (Decodable & SendableMetatype).Type)?

    /// Describes a Swift type.
    public init<Subject: Mapped>(_ subject: Subject.Type, _ properties: [Property]) {
        name = String(describing: subject)
        self.properties = properties
        self.subject = subject
        decodedType = nil
    }

    /// Describes an entity.
    public init(entity name: String, _ properties: [Property]) {
        self.name = name
        self.properties = properties
        subject = nil
        decodedType = nil
    }

    /// Describes a type that decodes itself, so that no mapping names its properties.
    init<Value: Decodable & SendableMetatype>(decoding type: Value.Type) {
        name = String(describing: type)
        properties = []
        subject = nil
        decodedType = type
    }

    /// The index of a named property, or nil.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    public func index(of name: String) -> Int? {
        properties.firstIndex { $0.name == name }
    }

    /// The index of the property a key path names, or nil.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    public func index(of keyPath: AnyKeyPath) -> Int? {
        properties.firstIndex { property in
            guard let known = property.keyPath else { return false }
            return known as AnyKeyPath == keyPath
        }
    }
}
