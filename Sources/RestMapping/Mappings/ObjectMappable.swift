// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A mapped type that declares its own mappings, by names, as RestKit's models did.
///
/// The mapping of responses and that of requests are derived from what is declared; both are values
/// that can be changed before they are used.
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
    /// The properties by the elements of the representation they are mapped from.
    static var elementToPropertyMappings: [SourcePath: String] { get }

    /// The properties that hold related objects by the elements they are mapped from.
    ///
    /// A path collects: `tasks.task` is every `task` under `tasks`.
    static var elementToRelationshipMappings: [SourcePath: String] { get }

    /// Names of the properties with related objects that are sent.
    static var relationshipsToSerialize: [String] { get }

    /// Makes an instance to be filled; nil lets its draft make one.
    static func object() -> Self?

    /// The values that are sent, as the members of an object.
    ///
    /// - Throws: ``MappingError`` when a value has no representation.
    func propertiesForSerialization() throws(MappingError) -> Document

    /// The related objects that are sent, as the members of an object.
    ///
    /// - Throws: ``MappingError`` when a value has no representation.
    func relationshipsForSerialization() throws(MappingError) -> Document

    /// Changes the parameters of a request that carries the object, when its URL is made and before
    /// it is sent.
    ///
    /// - Parameter parameters: What will be sent.
    func willSend(_ parameters: inout Document)
}

extension ObjectMappable {
    /// No instance is made beforehand.
    public static func object() -> Self? { nil }

    /// Nothing is changed.
    public func willSend(_ parameters: inout Document) {}

    /// The values of all declared properties.
    public func propertiesForSerialization() throws(MappingError) -> Document {
        var mapping = RequestMapping(table: Self.properties)
        for (element, name) in Self.ordered(Self.elementToPropertyMappings) {
            mapping.add(RequestAttribute(name, to: element))
        }
        return try ParameterPlan(mapping).document(of: self)
    }

    /// The related objects of the properties to be serialized.
    public func relationshipsForSerialization() throws(MappingError) -> Document {
        var mapping = RequestMapping(table: Self.properties)
        for (element, name) in Self.serializedRelationships {
            mapping.add(RequestRelationship(name, to: element))
        }
        return try ParameterPlan(mapping).document(of: self)
    }

    /// What a request that carries the object sends: values and related objects, as
    /// ``willSend(_:)`` leaves them.
    ///
    /// - Throws: ``MappingError`` when a value has no representation.
    public func parameters() throws(MappingError) -> Document {
        var parameters = try propertiesForSerialization().merging(
            try relationshipsForSerialization())
        willSend(&parameters)
        return parameters
    }

    /// The mapping of responses that the declarations make.
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

    /// Maps a list of representations, or a single one, as the declarations say, into instances
    /// that ``object()`` makes where it makes any.
    ///
    /// - Throws: ``MappingError`` when the declarations are wrong or an object cannot be built.
    public static func objects(
        from node: Node, report: inout MappingReport
    ) throws(MappingError) -> [Self] {
        let plan = try MappingCompiler().compile(objectMapping)
        guard object() != nil else {
            return try plan.objects(Self.self, from: node, report: &report)
        }
        var objects: [Self] = []
        for element in node.kind == .array ? Array(node.elements) : [node] where !element.isNull {
            guard let fresh = object() else { continue }
            objects.append(try plan.object(updating: fresh, from: element, report: &report))
        }
        return objects
    }

    /// The mapping of requests that the declarations make.
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

    /// The lines in the order of the table, so that it is the same every time.
    private static func ordered(_ names: [SourcePath: String]) -> [(SourcePath, String)] {
        let table = properties
        return names.map { ($0.key, $0.value) }.sorted { left, right in
            let places = (table.index(of: left.1) ?? .max, table.index(of: right.1) ?? .max)
            return places.0 == places.1
                ? left.0.description < right.0.description : places.0 < places.1
        }
    }
}
