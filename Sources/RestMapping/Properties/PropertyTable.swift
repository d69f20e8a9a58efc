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
    /// The property's type; nil if it is known at run time only.
    public let valueType: Any.Type?
    let keyPath: (any AnyKeyPath & Sendable)?
    /// Replaces the conversion of the property's type where a mapping declares no other.
    let transform: (any ErasedTransform)?

    /// Describes a property of a Swift type.
    ///
    /// - Parameters:
    ///   - name: The property's name.
    ///   - keyPath: Names the property in declarations and reads it by name; never used to write it.
    ///   - type: The property's type.
    ///   - source: Where the default mapping looks for it; the name itself if nil.
    ///   - isRequired: Whether the type has neither a default nor nil for it.
    ///   - transform: Replaces the conversion of the type where a mapping declares no other.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable, _ type: Value.Type,
        source: DocumentPath? = nil, isRequired: Bool = false,
        transform: ValueTransform<Value>? = nil
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: Value.relation,
            valueType: type, keyPath: keyPath, transform: transform)
    }

    /// Describes an optional property with a transform to what it holds; null becomes nil.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value?> & Sendable, _ type: Value?.Type,
        source: DocumentPath? = nil, isRequired: Bool = false, transform: ValueTransform<Value>
    ) {
        let lifted = ValueTransform<Value?>(name: transform.name) { source throws(MappingFailure) in
            source.node.isNull ? nil : try transform.apply(source)
        }
        self.init(
            name, source: source, isRequired: isRequired, relation: Value.relation,
            valueType: type, keyPath: keyPath, transform: lifted)
    }

    /// Describes a property of an entity, which may exist at run time only.
    public init(
        name: String, source: DocumentPath? = nil, isRequired: Bool = false,
        relation: Relation? = nil, valueType: Any.Type? = nil,
        keyPath: (any AnyKeyPath & Sendable)? = nil
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: relation, valueType: valueType,
            keyPath: keyPath, transform: nil)
    }

    private init(
        _ name: String, source: DocumentPath?, isRequired: Bool, relation: Relation?,
        valueType: Any.Type?, keyPath: (any AnyKeyPath & Sendable)?,
        transform: (any ErasedTransform)?
    ) {
        self.name = name
        self.source = source ?? DocumentPath([.key(name)])
        self.isRequired = isRequired
        self.relation = relation
        self.valueType = valueType
        self.keyPath = keyPath
        self.transform = transform
    }

    /// Whether the values are objects to be mapped, and not made by a transform.
    var holdsMappedObjects: Bool { relation != nil && transform == nil }
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
