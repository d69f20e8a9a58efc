// SPDX-License-Identifier: Apache-2.0

/// A line of a request mapping declared by key paths.
public struct RequestMappingElement<Subject: MappingSubject>: Sendable {
    let content: RequestPropertyMapping

    func add(to mapping: inout RequestMapping) {
        switch content {
        case .attribute(let attribute): mapping.add(attribute)
        case .relationship(let relationship): mapping.add(relationship)
        }
    }
}

/// Collects the lines of a request mapping.
@resultBuilder
public enum RequestMappingBuilder<Subject: MappingSubject> {
    /// The lines collected.
    public typealias Lines = [RequestMappingElement<Subject>]

    /// One line.
    public static func buildExpression(_ element: RequestMappingElement<Subject>) -> Lines {
        [element]
    }

    /// All lines, in order.
    public static func buildBlock(_ parts: Lines...) -> Lines { parts.flatMap(\.self) }

    /// The lines of an `if` without `else`.
    public static func buildOptional(_ part: Lines?) -> Lines { part ?? [] }

    /// The lines of an `if`.
    public static func buildEither(first part: Lines) -> Lines { part }

    /// The lines of an `else`.
    public static func buildEither(second part: Lines) -> Lines { part }

    /// The lines of a loop.
    public static func buildArray(_ parts: [Lines]) -> Lines { parts.flatMap(\.self) }
}

/// Writes a property to a place of the representation.
///
/// - Parameters:
///   - property: Names the property.
///   - destination: Dotted path seen from the object.
/// - Returns: A line of the mapping.
public func attribute<Subject: MappingSubject, Value>(
    _ property: KeyPath<Subject, Value>, to destination: SourcePath
) -> RequestMappingElement<Subject> {
    .attribute(RequestAttribute(Subject.name(of: property), to: destination))
}

/// Writes what a dotted name leads to, such as `author.name`.
public func attribute<Subject: MappingSubject>(
    _ name: String, to destination: SourcePath
) -> RequestMappingElement<Subject> {
    .attribute(RequestAttribute(name, to: destination))
}

/// Writes a property through a transform.
public func attribute<Subject: MappingSubject, Value, Input>(
    _ property: KeyPath<Subject, Value>, to destination: SourcePath,
    using transform: ParameterTransform<Input>
) -> RequestMappingElement<Subject> {
    .attribute(RequestAttribute(Subject.name(of: property), to: destination, using: transform))
}

/// Writes a date in a format of its own.
public func attribute<Subject: MappingSubject, Value>(
    _ property: KeyPath<Subject, Value>, to destination: SourcePath, using format: DateFormat
) -> RequestMappingElement<Subject> {
    .attribute(RequestAttribute(Subject.name(of: property), to: destination, using: format))
}

/// Writes related objects.
///
/// - Parameters:
///   - property: Names the property.
///   - destination: Dotted path seen from the object.
///   - mapping: How the related objects are written; nil for their default mapping.
/// - Returns: A line of the mapping.
public func relationship<Subject: MappingSubject, Value>(
    _ property: KeyPath<Subject, Value>, to destination: SourcePath,
    mapping: ParameterMapping? = nil
) -> RequestMappingElement<Subject> {
    .relationship(
        RequestRelationship(Subject.name(of: property), to: destination, mapping: mapping))
}

/// Writes related objects by one mapping.
public func relationship<Subject: MappingSubject, Value>(
    _ property: KeyPath<Subject, Value>, to destination: SourcePath, mapping: RequestMapping
) -> RequestMappingElement<Subject> {
    .relationship(
        RequestRelationship(Subject.name(of: property), to: destination, mapping: mapping))
}

/// Writes related objects that decide about their mapping.
public func relationship<Subject: MappingSubject, Value>(
    _ property: KeyPath<Subject, Value>, to destination: SourcePath,
    mapping: DynamicRequestMapping
) -> RequestMappingElement<Subject> {
    .relationship(
        RequestRelationship(Subject.name(of: property), to: destination, mapping: mapping))
}

extension RequestMappingElement {
    fileprivate static func attribute(_ attribute: RequestAttribute) -> RequestMappingElement {
        RequestMappingElement(content: .attribute(attribute))
    }

    fileprivate static func relationship(
        _ relationship: RequestRelationship
    ) -> RequestMappingElement {
        RequestMappingElement(content: .relationship(relationship))
    }
}
