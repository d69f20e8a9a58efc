// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A line of a mapping declared by key paths.
public struct MappingElement<Subject: MappingSubject>: Sendable {
    enum Content: Sendable {
        case attribute(AttributeMapping)
        case relationship(RelationshipMapping)
    }

    let content: Content
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
///   - source: Dotted path seen from the object; nil for the property's own name.
///   - property: Names the property.
/// - Returns: A line of the mapping.
public func attribute<Subject: MappingSubject, Value>(
    _ source: DocumentPath, to property: KeyPath<Subject, Value>
) -> MappingElement<Subject> {
    MappingElement(content: .attribute(AttributeMapping(source, to: Subject.name(of: property))))
}

/// Feeds a property from a place of the representation, through a transform.
public func attribute<Subject: MappingSubject, Value>(
    _ source: DocumentPath, to property: KeyPath<Subject, Value>,
    using transform: ValueTransform<Value>
) -> MappingElement<Subject> {
    MappingElement(
        content: .attribute(
            AttributeMapping(source, to: Subject.name(of: property), using: transform)))
}

/// Feeds a property from a place of the representation, through a transformer.
public func attribute<Subject: MappingSubject, Value>(
    _ source: DocumentPath, to property: KeyPath<Subject, Value>,
    using transformer: some ValueTransforming
) -> MappingElement<Subject> {
    MappingElement(
        content: .attribute(
            AttributeMapping(source, to: Subject.name(of: property), using: transformer)))
}

/// Feeds a property that holds mapped objects.
///
/// - Parameters:
///   - source: Dotted path seen from the object.
///   - property: Names the property.
///   - mapping: How the related objects are mapped; nil for their default mapping.
/// - Returns: A line of the mapping.
public func relationship<Subject: MappingSubject, Value>(
    _ source: DocumentPath, to property: KeyPath<Subject, Value>, mapping: ObjectMapping? = nil
) -> MappingElement<Subject> {
    MappingElement(
        content: .relationship(
            RelationshipMapping(source, to: Subject.name(of: property), mapping: mapping)))
}

extension MappingSubject {
    /// The name of a property; for one that is not in the table its key path's text, which the
    /// compiler of the plan then reports as unknown.
    static func name(of keyPath: AnyKeyPath) -> String {
        let table = properties
        return table.index(of: keyPath).map { table.properties[$0].name } ?? "\(keyPath)"
    }
}
