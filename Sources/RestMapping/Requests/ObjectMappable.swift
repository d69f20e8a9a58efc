// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A mapped type that declares its own mappings by names, as RestKit's models did.
///
/// The mappings of responses and of requests are derived from the declarations. Both are values
/// that can be changed before use. They apply to related objects of the type as well, unless another
/// mapping is declared for these.
///
///     extension Project: ObjectMappable {
///         static let elementToPropertyMappings: [SourcePath: String] = ["project_name": "name"]
///         static let elementToRelationshipMappings: [SourcePath: String] =
///             ["user": "user", "tasks.task": "tasks"]
///         static let relationshipsToSerialize = ["tasks"]
///     }
///
/// Source: RestKit's `RKObjectMappable`.
public protocol ObjectMappable: Mapped {
    /// The properties by the elements of the representation that they are mapped from.
    static var elementToPropertyMappings: [SourcePath: String] { get }

    /// The properties that hold related objects, by the elements that they are mapped from.
    ///
    /// A path collects: `tasks.task` means each `task` in `tasks`.
    static var elementToRelationshipMappings: [SourcePath: String] { get }

    /// The names of the properties whose related objects are sent.
    static var relationshipsToSerialize: [String] { get }

    /// Returns an instance to map into; nil if its draft creates one.
    ///
    /// It is called for each new object of the type, also for a related one. Properties that a
    /// representation does not contain keep the values that they have in the instance.
    static func object() -> Self?

    /// Returns the values that are sent, as the members of an object.
    ///
    /// - Parameter dates: The format of dates in the request.
    /// - Returns: The values as the members of an object.
    /// - Throws: ``MappingError`` when a value has no representation.
    func propertiesForSerialization(dates: DateFormat) throws(MappingError) -> Document

    /// Returns the related objects that are sent, as the members of an object.
    ///
    /// - Parameter dates: The format of dates in the request.
    /// - Returns: The objects as the members of an object.
    /// - Throws: ``MappingError`` when a value has no representation.
    func relationshipsForSerialization(dates: DateFormat) throws(MappingError) -> Document

    /// Changes the parameters of a request that carries the object, before the request's URL is
    /// created and the request is sent.
    ///
    /// - Parameter parameters: The parameters that will be sent.
    func willSend(_ parameters: inout Document)
}

extension ObjectMappable {
    /// Returns nil, so that the draft creates an instance.
    public static func object() -> Self? { nil }

    /// Leaves the parameters unchanged.
    public func willSend(_ parameters: inout Document) {}

    /// Returns the values of all declared properties.
    public func propertiesForSerialization(
        dates: DateFormat
    ) throws(MappingError) -> Document {
        var mapping = RequestMapping(table: Self.properties)
        for (element, name) in Self.ordered(Self.elementToPropertyMappings) {
            mapping.add(RequestAttribute(name, to: element))
        }
        return try document(by: mapping, dates)
    }

    /// Returns the related objects of the properties that are serialized.
    public func relationshipsForSerialization(
        dates: DateFormat
    ) throws(MappingError) -> Document {
        var mapping = RequestMapping(table: Self.properties)
        for (element, name) in Self.serializedRelationships {
            mapping.add(RequestRelationship(name, to: element))
        }
        return try document(by: mapping, dates)
    }

    /// Returns the parameters of a request that carries the object: values and related objects, as
    /// changed by ``willSend(_:)``.
    ///
    /// - Parameter dates: The format of dates.
    /// - Returns: The parameters as an object.
    /// - Throws: ``MappingError`` when a value has no representation.
    public func parameters(dates: DateFormat = .iso8601) throws(MappingError) -> Document {
        var parameters = try serialized(dates: dates)
        willSend(&parameters)
        return parameters
    }

    /// Returns the values and the related objects that are sent.
    package func serialized(dates: DateFormat) throws(MappingError) -> Document {
        try propertiesForSerialization(dates: dates).merging(
            try relationshipsForSerialization(dates: dates))
    }

    private func document(
        by mapping: RequestMapping, _ dates: DateFormat
    ) throws(MappingError) -> Document {
        var plan = try RequestPlan(mapping)
        plan.dates = dates
        return try plan.document(of: self)
    }

    /// The mapping of responses that is derived from the declarations.
    public static var objectMapping: ObjectMapping {
        var mapping = ObjectMapping(table: properties)
        for (element, name) in ordered(elementToPropertyMappings) {
            mapping.add(AttributeMapping(element, to: name))
        }
        for (element, name) in ordered(elementToRelationshipMappings) {
            mapping.add(RelationshipMapping(element, to: name))
        }
        return mapping
    }

    /// The mapping of requests that is derived from the declarations.
    public static var requestMapping: RequestMapping {
        var mapping = RequestMapping(table: properties)
        for (element, name) in ordered(elementToPropertyMappings) {
            mapping.add(RequestAttribute(name, to: element))
        }
        for (element, name) in serializedRelationships {
            mapping.add(RequestRelationship(name, to: element))
        }
        return mapping
    }

    private static var serializedRelationships: [(SourcePath, String)] {
        let names = Set(relationshipsToSerialize)
        return ordered(elementToRelationshipMappings).filter { names.contains($0.1) }
    }

    /// Returns the declarations in the order of the table, so that the order is always the same.
    private static func ordered(_ names: [SourcePath: String]) -> [(SourcePath, String)] {
        let table = properties
        return names.map { ($0.key, $0.value) }.sorted { left, right in
            let indices = (table.index(of: left.1) ?? .max, table.index(of: right.1) ?? .max)
            return indices.0 == indices.1
                ? left.0.description < right.0.description : indices.0 < indices.1
        }
    }
}
