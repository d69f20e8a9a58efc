// SPDX-License-Identifier: Apache-2.0

/// An element of a request mapping that is declared by key paths.
public struct RequestMappingElement<Subject: MappingSubject>: Sendable {
    let content: RequestPropertyMapping

    func add(to mapping: inout RequestMapping) {
        switch content {
        case .attribute(let attribute): mapping.add(attribute)
        case .relationship(let relationship): mapping.add(relationship)
        }
    }
}

/// A result builder that collects the elements of a request mapping.
@resultBuilder
public enum RequestMappingBuilder<Subject: MappingSubject> {
    /// The elements of the mapping.
    public typealias Elements = [RequestMappingElement<Subject>]

    /// Returns one element.
    public static func buildExpression(_ element: RequestMappingElement<Subject>) -> Elements {
        [element]
    }

    /// Returns all elements, in order.
    public static func buildBlock(_ parts: Elements...) -> Elements { parts.flatMap(\.self) }

    /// Returns the elements of an `if` without `else`.
    public static func buildOptional(_ part: Elements?) -> Elements { part ?? [] }

    /// Returns the elements of an `if`.
    public static func buildEither(first part: Elements) -> Elements { part }

    /// Returns the elements of an `else`.
    public static func buildEither(second part: Elements) -> Elements { part }

    /// Returns the elements of a loop.
    public static func buildArray(_ parts: [Elements]) -> Elements { parts.flatMap(\.self) }
}

/// Maps a property to a path of the representation.
///
/// - Parameters:
///   - property: The property.
///   - destination: The path relative to the object.
/// - Returns: An element of the mapping.
public func attribute<Subject: MappingSubject, Value>(
    _ property: KeyPath<Subject, Value>, to destination: SourcePath
) -> RequestMappingElement<Subject> {
    .attribute(RequestAttribute(Subject.name(of: property), to: destination))
}

/// Maps the property of a dotted name, such as `author.name`, to a path of the representation.
public func attribute<Subject: MappingSubject>(
    _ name: String, to destination: SourcePath
) -> RequestMappingElement<Subject> {
    .attribute(RequestAttribute(name, to: destination))
}

/// Maps a property to a path of the representation, through a transform.
public func attribute<Subject: MappingSubject, Value, Input>(
    _ property: KeyPath<Subject, Value>, to destination: SourcePath,
    using transform: RequestTransform<Input>
) -> RequestMappingElement<Subject> {
    .attribute(RequestAttribute(Subject.name(of: property), to: destination, using: transform))
}

/// Maps a date to a path of the representation, in a format of its own.
public func attribute<Subject: MappingSubject, Value>(
    _ property: KeyPath<Subject, Value>, to destination: SourcePath, using format: DateFormat
) -> RequestMappingElement<Subject> {
    .attribute(RequestAttribute(Subject.name(of: property), to: destination, using: format))
}

/// Maps related objects to a path of the representation.
///
/// - Parameters:
///   - property: The property.
///   - destination: The path relative to the object.
///   - mapping: The mapping of the related objects; nil for their default mapping.
/// - Returns: An element of the mapping.
public func relationship<Subject: MappingSubject, Value>(
    _ property: KeyPath<Subject, Value>, to destination: SourcePath,
    mapping: AnyRequestMapping? = nil
) -> RequestMappingElement<Subject> {
    .relationship(
        RequestRelationship(Subject.name(of: property), to: destination, mapping: mapping))
}

/// Maps related objects to a path of the representation, by one mapping.
public func relationship<Subject: MappingSubject, Value>(
    _ property: KeyPath<Subject, Value>, to destination: SourcePath, mapping: RequestMapping
) -> RequestMappingElement<Subject> {
    .relationship(
        RequestRelationship(Subject.name(of: property), to: destination, mapping: mapping))
}

/// Maps related objects to a path of the representation, by a mapping that is chosen for each of
/// them.
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
