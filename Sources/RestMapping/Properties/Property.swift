// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A property of a type, with an index in the type's table.
public struct Property: Sendable {
    /// The name of the property in Swift, or of the entity's attribute.
    public let name: String
    /// The path from which the default mapping reads the property.
    public let source: SourcePath
    /// A Boolean value that indicates whether an object cannot be built without the property.
    public let isRequired: Bool
    /// The relation to mapped objects; nil for a plain value.
    public let relation: Relation?
    /// The property's type; nil if it is known only at run time.
    public let valueType: Any.Type?
    /// The policy for a value that does not fit; nil for the mapping's policy.
    public let policy: IssuePolicy?
    /// The key path; nil for an entity that exists only at run time.
    let keyPath: (any AnyKeyPath & Sendable)?
    /// The transform that replaces the conversion of the property's type, unless a mapping declares
    /// another.
    let transform: (any PropertyTransform)?

    /// Creates a property of an entity, which may exist only at run time.
    public init(
        name: String, source: SourcePath? = nil, isRequired: Bool = false,
        relation: Relation? = nil, valueType: Any.Type? = nil,
        keyPath: (any AnyKeyPath & Sendable)? = nil
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: relation, valueType: valueType,
            policy: nil, keyPath: keyPath, transform: nil)
    }

    init(
        _ name: String, source: SourcePath?, isRequired: Bool, relation: Relation?,
        valueType: Any.Type?, policy: IssuePolicy?, keyPath: (any AnyKeyPath & Sendable)?,
        transform: (any PropertyTransform)?
    ) {
        self.name = name
        self.source = source ?? SourcePath([.key(name)])
        self.isRequired = isRequired
        self.relation = relation
        self.valueType = valueType
        self.policy = policy
        self.keyPath = keyPath
        self.transform = transform
    }

    /// The conversion by which request mappings write what the property's transform reads; nil for that
    /// of the type.
    var requestConversion: RequestConversion? {
        transform?.requestConversion(for: valueType)
    }

    /// A Boolean value that indicates whether the values are mapped objects rather than results of
    /// a transform.
    package var holdsMappedObjects: Bool { relation != nil && transform == nil }
}

extension Property {
    /// Returns the key path of a stored property of a structure as a Sendable one.
    ///
    /// The code that `@Mapped` generates for a structure calls it. The key path of a property that is
    /// isolated is not Sendable, as in a module whose default isolation is the main actor, although
    /// the property can be read anywhere.
    ///
    /// - Parameter keyPath: The literal key path of a stored property. A key path with subscripts captures
    ///   their arguments, which this function does not check.
    /// - Returns: The key path.
    @inlinable
    @unsafe
    public static func path<Root, Value>(
        toStored keyPath: KeyPath<Root, Value>
    ) -> any KeyPath<Root, Value> & Sendable {
        // Invariant: a key path is immutable, and that of a stored property captures no values. The cast
        // changes no bits, as `Sendable` has no witnesses.
        unsafe unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
    }
}
