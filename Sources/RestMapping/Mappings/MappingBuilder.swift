// SPDX-License-Identifier: Apache-2.0

/// An element of a mapping that is declared by key paths.
public struct MappingElement<Subject: MappingSubject>: Sendable {
    let change: @Sendable (inout ObjectMapping) -> Void
}

/// A result builder that collects the elements of a mapping.
@resultBuilder
public enum MappingBuilder<Subject: MappingSubject> {
    /// Returns one element.
    public static func buildExpression(_ element: MappingElement<Subject>) -> [MappingElement<
        Subject
    >] { [element] }

    /// Returns all elements, in order.
    public static func buildBlock(_ parts: [MappingElement<Subject>]...) -> [MappingElement<
        Subject
    >] { parts.flatMap(\.self) }

    /// Returns the elements of an `if` without `else`.
    public static func buildOptional(_ part: [MappingElement<Subject>]?) -> [MappingElement<
        Subject
    >] { part ?? [] }

    /// Returns the elements of an `if`.
    public static func buildEither(first part: [MappingElement<Subject>]) -> [MappingElement<
        Subject
    >] { part }

    /// Returns the elements of an `else`.
    public static func buildEither(second part: [MappingElement<Subject>]) -> [MappingElement<
        Subject
    >] { part }

    /// Returns the elements of a loop.
    public static func buildArray(_ parts: [[MappingElement<Subject>]]) -> [MappingElement<Subject>]
    { parts.flatMap(\.self) }
}

/// Maps a place of the representation to a property.
///
/// - Parameters:
///   - source: The path relative to the object, see ``SourcePath``.
///   - property: The property; a key path through an object that it holds, such as
///     `\.address?.city`, is declared by text instead.
///   - policy: The policy for a value that does not fit; nil for the mapping's policy.
/// - Returns: An element of the mapping.
public func attribute<Subject: MappingSubject, Value>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>, policy: IssuePolicy? = nil
) -> MappingElement<Subject> {
    MappingElement(AttributeMapping(source, to: Subject.name(of: property), policy: policy))
}

/// Maps a place of the representation to a property, through a transform.
public func attribute<Subject: MappingSubject, Value>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>,
    using transform: ValueTransform<Value>, policy: IssuePolicy? = nil
) -> MappingElement<Subject> {
    MappingElement(
        AttributeMapping(
            source, to: Subject.name(of: property), using: transform, policy: policy))
}

/// Maps a place of the representation to a property, with a default for a missing value.
public func attribute<Subject: MappingSubject, Value: Sendable>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>, default defaultValue: Value,
    using transform: ValueTransform<Value>? = nil, policy: IssuePolicy? = nil
) -> MappingElement<Subject> {
    MappingElement(
        AttributeMapping(
            source, to: Subject.name(of: property), default: defaultValue, using: transform,
            policy: policy))
}

/// Maps a place of the representation to a property that is named by text, which may be dotted:
/// `address.city`.
public func attribute<Subject: MappingSubject>(
    _ source: SourcePath, to property: String, policy: IssuePolicy? = nil
) -> MappingElement<Subject> {
    MappingElement(AttributeMapping(source, to: property, policy: policy))
}

/// Maps a place of the representation to a property that holds mapped objects.
///
/// - Parameters:
///   - source: The path relative to the object, see ``SourcePath``.
///   - property: The property.
///   - mapping: The mapping of the related objects; nil for their default mapping.
///   - assignment: The policy for the objects that the property holds already.
/// - Returns: An element of the mapping.
public func relationship<Subject: MappingSubject, Value>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>, mapping: Mapping? = nil,
    assignment: AssignmentPolicy = .set
) -> MappingElement<Subject> {
    let relationship = RelationshipMapping(
        source, to: Subject.name(of: property), mapping: mapping, assignment: assignment)
    return MappingElement { $0.add(relationship) }
}

/// Maps a place of the representation to a property that holds mapped objects, by a mapping of any
/// kind.
public func relationship<Subject: MappingSubject, Value>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>, mapping: some MappingConvertible,
    assignment: AssignmentPolicy = .set
) -> MappingElement<Subject> {
    // Wrapped in an optional, as `Mapping` conforms too and would select this function again.
    relationship(source, to: property, mapping: Mapping?(mapping.mapping), assignment: assignment)
}

/// Maps the key of the representation to a property, see ``ObjectMapping/nestingAttribute``.
public func keyOfRepresentation<Subject: MappingSubject, Value>(
    to property: KeyPath<Subject, Value>
) -> MappingElement<Subject> {
    let name = Subject.name(of: property)
    return MappingElement { $0.nestingAttribute = name }
}

/// Validates the values of a property, see
/// ``ObjectMapping/validate(_:_:)-(KeyPath<Subject,Value>,_)``.
public func validate<Subject: MappingSubject, Value>(
    _ property: KeyPath<Subject, Value>,
    _ check: @escaping @Sendable (Value) throws -> Validation<Value>
) -> MappingElement<Subject> {
    let name = Subject.name(of: property)
    return MappingElement { $0.validate(name, check) }
}

extension MappingElement {
    init(_ attribute: AttributeMapping) {
        self.init { $0.add(attribute) }
    }
}

extension MappingSubject {
    /// Returns the name of a property; for a property that is not in the table the text of its key
    /// path, which the compiler of the plan then reports as unknown.
    ///
    /// The text of the key path of a computed property is an address, in place of which the types of
    /// the key path are named.
    static func name(of keyPath: AnyKeyPath) -> String {
        let table = properties
        if let index = table.index(of: keyPath) { return table.properties[index].name }
        let text = "\(keyPath)"
        guard text.contains("0x") || !text.hasPrefix("\\") else { return text }
        let type = type(of: keyPath)
        return "\\\(type.rootType).<property of type \(type.valueType)>"
    }
}
