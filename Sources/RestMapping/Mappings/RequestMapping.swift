// SPDX-License-Identifier: Apache-2.0

/// Declares how an object becomes a representation: the parameters of a request.
///
/// A mapping is a value apart from the type it describes, compiled once into a ``ParameterPlan``.
///
///     var mapping = RequestMapping(for: Article.self) {
///         attribute(\.title, to: "headline")
///         attribute("author.name", to: "credits.author")
///         relationship(\.comments, to: "comments")
///     }
///
/// Destinations are written as ``SourcePath`` reads them: those that begin alike share the objects
/// between, and `{name}` is the text of the property `name` as one key, whatever is in it.
///
/// Relationships that are nil are left out; an object in which nothing is written is `{}`.
public struct RequestMapping: Sendable {
    /// How a decimal number is written.
    public enum DecimalStyle: Sendable, Hashable {
        /// Text with all digits, as RestKit does: `"18274191731731.4557723623"`.
        case text
        /// A number with all digits.
        case number
    }

    /// The properties of the type or entity the mapping is for.
    public let table: PropertyTable
    /// The lines, in the order they were added, which is that of what is written.
    public private(set) var propertyMappings: [RequestPropertyMapping] = []
    /// Whether an attribute that is nil is left out instead of being written as null.
    public var omitsNil = false
    /// How dates are written, unless an attribute says otherwise.
    public var dates = DateFormat.iso8601
    /// How decimal numbers are written.
    public var decimals = DecimalStyle.text

    /// Declares a mapping without content, to be added to.
    public init(table: PropertyTable) {
        self.table = table
    }

    /// Declares the default mapping: every property at the place where the default mapping of
    /// responses looks for it.
    public init<Subject: MappingSubject>(for subject: Subject.Type) {
        self.init(defaultFor: subject.properties)
    }

    /// Declares the default mapping of a table.
    public init(defaultFor table: PropertyTable) {
        self.init(table: table)
        for property in table.properties { add(property.name, to: SourcePath(property.source)) }
    }

    /// Declares a mapping by key paths.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type,
        @RequestMappingBuilder<Subject> _ content: () -> [RequestMappingElement<Subject>]
    ) {
        self.init(table: subject.properties)
        for element in content() { element.add(to: &self) }
    }

    /// Declares a mapping by names, from property to destination.
    ///
    /// A property that holds mapped objects becomes a relationship with their default mapping.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, _ names: KeyValuePairs<String, SourcePath>
    ) {
        self.init(table: subject.properties)
        for (name, destination) in names { add(name, to: destination) }
    }

    /// Declares a mapping of properties whose key is their own name.
    public init<Subject: MappingSubject>(for subject: Subject.Type, _ names: [String]) {
        self.init(table: subject.properties)
        for name in names { add(name, to: SourcePath([.key(name)])) }
    }

    /// Adds a property by name, as a relationship if it holds mapped objects.
    public mutating func add(_ name: String, to destination: SourcePath) {
        if let index = table.index(of: name), table.properties[index].relation != nil {
            add(RequestRelationship(name, to: destination))
        } else {
            add(RequestAttribute(name, to: destination))
        }
    }

    /// Adds an attribute.
    public mutating func add(_ attribute: RequestAttribute) {
        propertyMappings.append(.attribute(attribute))
    }

    /// Adds a relationship.
    public mutating func add(_ relationship: RequestRelationship) {
        propertyMappings.append(.relationship(relationship))
    }

    /// Places fed by plain values.
    public var attributes: [RequestAttribute] {
        propertyMappings.compactMap {
            if case .attribute(let attribute) = $0 { attribute } else { nil }
        }
    }

    /// Places fed by related objects.
    public var relationships: [RequestRelationship] {
        propertyMappings.compactMap {
            if case .relationship(let relationship) = $0 { relationship } else { nil }
        }
    }
}

/// How objects become representations: always the same way, or as the object decides.
public indirect enum ParameterMapping: Sendable {
    /// One mapping for all objects.
    case request(RequestMapping)
    /// The mapping is chosen for each object.
    case dynamic(DynamicRequestMapping)
    /// A type that encodes itself; for relationships, as a whole object of it needs no mapping but
    /// a `DocumentEncoder`.
    case codable(CodableMapping)

    /// The properties of the type or entity the objects are of.
    public var table: PropertyTable {
        switch self {
        case .request(let mapping): mapping.table
        case .dynamic(let mapping): mapping.table
        case .codable(let mapping): mapping.table
        }
    }
}
