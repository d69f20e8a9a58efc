// SPDX-License-Identifier: Apache-2.0

/// A line of a mapping declared by key paths.
public struct MappingElement<Subject: MappingSubject>: Sendable {
    let change: @Sendable (inout ObjectMapping) -> Void
}

/// Collects the lines of a mapping.
@resultBuilder
public enum MappingBuilder<Subject: MappingSubject> {
    /// One line.
    public static func buildExpression(_ element: MappingElement<Subject>) -> [MappingElement<
        Subject
    >] { [element] }

    /// All lines, in order.
    public static func buildBlock(_ parts: [MappingElement<Subject>]...) -> [MappingElement<
        Subject
    >] { parts.flatMap(\.self) }

    /// The lines of an `if` without `else`.
    public static func buildOptional(_ part: [MappingElement<Subject>]?) -> [MappingElement<
        Subject
    >] { part ?? [] }

    /// The lines of an `if`.
    public static func buildEither(first part: [MappingElement<Subject>]) -> [MappingElement<
        Subject
    >] { part }

    /// The lines of an `else`.
    public static func buildEither(second part: [MappingElement<Subject>]) -> [MappingElement<
        Subject
    >] { part }

    /// The lines of a loop.
    public static func buildArray(_ parts: [[MappingElement<Subject>]]) -> [MappingElement<Subject>]
    { parts.flatMap(\.self) }
}

/// Feeds a property from a place of the representation.
///
/// - Parameters:
///   - source: Seen from the object, see ``SourcePath``.
///   - property: Names the property; a key path through an object it holds, such as
///     `\.address?.city`, is named by text instead.
///   - policy: What happens to a value that does not fit; nil for what the mapping says.
/// - Returns: A line of the mapping.
public func attribute<Subject: MappingSubject, Value>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>, policy: IssuePolicy? = nil
) -> MappingElement<Subject> {
    line(AttributeMapping(source, to: Subject.name(of: property), policy: policy))
}

/// Feeds a property from a place of the representation, through a transform.
public func attribute<Subject: MappingSubject, Value>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>,
    using transform: ValueTransform<Value>, policy: IssuePolicy? = nil
) -> MappingElement<Subject> {
    line(
        AttributeMapping(
            source, to: Subject.name(of: property), using: transform, policy: policy))
}

/// Feeds a property from a place of the representation, through a transformer.
public func attribute<Subject: MappingSubject, Value>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>,
    using transformer: some ValueTransforming, policy: IssuePolicy? = nil
) -> MappingElement<Subject> {
    line(
        AttributeMapping(
            source, to: Subject.name(of: property), using: transformer, policy: policy))
}

/// Feeds a property from a place of the representation, with a value of its own for missing ones.
public func attribute<Subject: MappingSubject, Value: Sendable>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>, default defaultValue: Value,
    using transform: ValueTransform<Value>? = nil, policy: IssuePolicy? = nil
) -> MappingElement<Subject> {
    line(
        AttributeMapping(
            source, to: Subject.name(of: property), default: defaultValue, using: transform,
            policy: policy))
}

/// Feeds a property named by text, which may be dotted: `address.city`.
public func attribute<Subject: MappingSubject>(
    _ source: SourcePath, to property: String, policy: IssuePolicy? = nil
) -> MappingElement<Subject> {
    line(AttributeMapping(source, to: property, policy: policy))
}

/// Feeds a property that holds mapped objects.
///
/// - Parameters:
///   - source: Seen from the object, see ``SourcePath``.
///   - property: Names the property.
///   - mapping: How the related objects are mapped; nil for their default mapping.
///   - assignment: What happens to the objects that are there.
/// - Returns: A line of the mapping.
public func relationship<Subject: MappingSubject, Value>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>, mapping: Mapping? = nil,
    assignment: AssignmentPolicy = .set
) -> MappingElement<Subject> {
    let relationship = RelationshipMapping(
        source, to: Subject.name(of: property), mapping: mapping, assignment: assignment)
    return MappingElement { $0.add(relationship) }
}

/// Feeds a property that holds mapped objects by a mapping of one kind.
public func relationship<Subject: MappingSubject, Value>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>, mapping: some DeclaredMapping,
    assignment: AssignmentPolicy = .set
) -> MappingElement<Subject> {
    relationship(source, to: property, mapping: mapping.mapping, assignment: assignment)
}

/// Feeds a property from the key of the representation, see ``ObjectMapping/nestingAttribute``.
public func keyOfRepresentation<Subject: MappingSubject, Value>(
    to property: KeyPath<Subject, Value>
) -> MappingElement<Subject> {
    let name = Subject.name(of: property)
    return MappingElement { $0.nestingAttribute = name }
}

/// Has the values of a property checked, see
/// ``ObjectMapping/validate(_:_:)-(KeyPath<Subject,Value>,_)``.
public func validate<Subject: MappingSubject, Value>(
    _ property: KeyPath<Subject, Value>,
    _ check: @escaping @Sendable (Value) throws -> Validation<Value>
) -> MappingElement<Subject> {
    let name = Subject.name(of: property)
    return MappingElement { $0.validate(name, check) }
}

private func line<Subject: MappingSubject>(
    _ attribute: AttributeMapping
) -> MappingElement<Subject> {
    MappingElement { $0.add(attribute) }
}

extension MappingSubject {
    /// The name of a property; for one that is not in the table its key path's text, which the
    /// compiler of the plan then reports as unknown.
    static func name(of keyPath: AnyKeyPath) -> String {
        let table = properties
        return table.index(of: keyPath).map { table.properties[$0].name } ?? "\(keyPath)"
    }
}
