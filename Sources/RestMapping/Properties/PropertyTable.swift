// SPDX-License-Identifier: Apache-2.0

public import RestDocument

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

/// One property of a type, known by its index in the table.
public struct Property: Sendable {
    /// The property's name in Swift, or of the entity's attribute.
    public let name: String
    /// Where the default mapping looks for it, a dotted path.
    public let source: DocumentPath
    /// Whether an object cannot be built without it.
    public let isRequired: Bool
    /// Set when the property holds mapped objects.
    public let relation: Relation?
    let keyPath: (any AnyKeyPath & Sendable)?

    /// Describes a property of a Swift type.
    ///
    /// - Parameters:
    ///   - name: The property's name.
    ///   - keyPath: Names the property in declarations; never used to write it.
    ///   - type: The property's type.
    ///   - source: Where the default mapping looks for it; the name itself if nil.
    ///   - isRequired: Whether the type has neither a default nor nil for it.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable, _ type: Value.Type,
        source: DocumentPath? = nil, isRequired: Bool = false
    ) {
        self.init(
            name: name, source: source, isRequired: isRequired, relation: Value.relation,
            keyPath: keyPath)
    }

    /// Describes a property of an entity, which may exist at run time only.
    public init(
        name: String, source: DocumentPath? = nil, isRequired: Bool = false,
        relation: Relation? = nil,
        keyPath: (any AnyKeyPath & Sendable)? = nil
    ) {
        self.name = name
        self.source = source ?? DocumentPath([.key(name)])
        self.isRequired = isRequired
        self.relation = relation
        self.keyPath = keyPath
    }
}

/// The properties of a type, by index.
public struct PropertyTable: Sendable {
    /// Name of the type or entity.
    public let name: String
    /// The properties; the index is what a ``MappingDestination`` is given.
    public let properties: [Property]
    /// The Swift type, nil for an entity.
    public let subject: (any Mapped.Type)?

    /// Describes a Swift type.
    public init<Subject: Mapped>(_ subject: Subject.Type, _ properties: [Property]) {
        name = String(describing: subject)
        self.properties = properties
        self.subject = subject
    }

    /// Describes an entity.
    public init(entity name: String, _ properties: [Property]) {
        self.name = name
        self.properties = properties
        subject = nil
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
