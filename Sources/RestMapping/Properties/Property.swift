// SPDX-License-Identifier: Apache-2.0

public import RestDocument

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
    /// What happens to a value that does not fit; nil for what the mapping says.
    public let policy: IssuePolicy?
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
    ///   - policy: What happens to a value that does not fit, unless a mapping says it for the
    ///     attribute.
    ///   - transform: Replaces the conversion of the type where a mapping declares no other.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable, _ type: Value.Type,
        source: DocumentPath? = nil, isRequired: Bool = false, policy: IssuePolicy? = nil,
        transform: ValueTransform<Value>? = nil
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: Value.relation,
            valueType: type, policy: policy, keyPath: keyPath, transform: transform)
    }

    /// Describes an optional property with a transform to what it holds; null becomes nil.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value?> & Sendable, _ type: Value?.Type,
        source: DocumentPath? = nil, isRequired: Bool = false, policy: IssuePolicy? = nil,
        transform: ValueTransform<Value>
    ) {
        let lifted = ValueTransform<Value?>(name: transform.name) { source throws(MappingFailure) in
            source.node.isNull ? nil : try transform.apply(source)
        }
        self.init(
            name, source: source, isRequired: isRequired, relation: Value.relation,
            valueType: type, policy: policy, keyPath: keyPath, transform: lifted)
    }

    /// Describes a property whose values a transformer converts; it is asked for the property's type,
    /// without the optional if it is one.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable, _ type: Value.Type,
        source: DocumentPath? = nil, isRequired: Bool = false, policy: IssuePolicy? = nil,
        transform: some ValueTransforming
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: Value.relation,
            valueType: type, policy: policy, keyPath: keyPath,
            transform: TransformerHook(transformer: transform))
    }

    /// Describes a property of an entity, which may exist at run time only.
    public init(
        name: String, source: DocumentPath? = nil, isRequired: Bool = false,
        relation: Relation? = nil, valueType: Any.Type? = nil,
        keyPath: (any AnyKeyPath & Sendable)? = nil
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: relation, valueType: valueType,
            policy: nil, keyPath: keyPath, transform: nil)
    }

    private init(
        _ name: String, source: DocumentPath?, isRequired: Bool, relation: Relation?,
        valueType: Any.Type?, policy: IssuePolicy?, keyPath: (any AnyKeyPath & Sendable)?,
        transform: (any ErasedTransform)?
    ) {
        self.name = name
        self.source = source ?? DocumentPath([.key(name)])
        self.isRequired = isRequired
        self.relation = relation
        self.valueType = valueType
        self.policy = policy
        self.keyPath = keyPath
        self.transform = transform
    }

    /// Whether the values are objects to be mapped, and not made by a transform.
    var holdsMappedObjects: Bool { relation != nil && transform == nil }
}
