// SPDX-License-Identifier: Apache-2.0

/// A declaration of how an object becomes a representation: the parameters of a request.
///
/// A mapping is a value that is separate from the type it describes. It is compiled once into a
/// ``RequestPlan``.
///
///     var mapping = RequestMapping(for: Article.self) {
///         attribute(\.title, to: "headline")
///         attribute("author.name", to: "credits.author")
///         relationship(\.comments, to: "comments")
///     }
///
/// Destinations have the syntax of ``SourcePath``: paths with a common prefix share the objects of
/// the prefix, and `{name}` is the text of the property `name` as one key, whatever characters it
/// contains.
///
/// Relationships that are nil are left out; an object without members is `{}`.
///
/// Related objects without a declared mapping are written as follows. A typed object is written by
/// its default mapping, which an ``ObjectMappable`` type declares. An entity is written by its identification attributes, `{"code": "OSL"}`,
/// which an import finds the object by. An entity without identification attributes is part of the
/// object that refers to it, and is written with all its attributes and relationships, except to the
/// entities that it is part of. To write more of an entity, declare its mapping.
public struct RequestMapping: Sendable {
    /// The form of decimal numbers in the representation.
    public enum DecimalStyle: Sendable, Hashable {
        /// Text with all digits, as in RestKit: `"18274191731731.4557723623"`.
        case text
        /// A number with all digits.
        case number
    }

    /// The properties of the type or entity that the mapping is for.
    public let table: PropertyTable
    /// The property mappings, in the order in which they were added and are written.
    public private(set) var propertyMappings: [RequestPropertyMapping] = []
    /// A Boolean value that indicates whether an attribute that is nil is left out instead of being
    /// written as null.
    public var omitsNil = false
    /// The date format, unless an attribute declares another; nil for that of the plan,
    /// ``RequestPlan/dates``.
    public var dates: DateFormat?
    /// The form of decimal numbers.
    public var decimals = DecimalStyle.text
    /// The property whose text is the key of the representation, as
    /// ``ObjectMapping/nestingAttribute`` reads it: an object with one key, `{"blake": {…}}`.
    ///
    /// Destinations that begin with `{name}` are in the value of the key.
    public var nestingAttribute: String?
    /// A Boolean value that indicates whether a list of objects is written as one object with the
    /// members of all, as ``ObjectMapping/forcesCollection`` reads it.
    public var forcesCollection = false

    /// Creates a mapping without property mappings.
    public init(table: PropertyTable) {
        self.table = table
    }

    /// Creates the default mapping: each property at the path that the default mapping of responses
    /// reads.
    ///
    /// A path that cannot be written to is left out: one with steps other than keys, unless each
    /// property has a position in a list, and beside keys, the whole representation.
    public init<Subject: MappingSubject>(for subject: Subject.Type) {
        self.init(defaultFor: subject.properties)
    }

    /// Creates the default mapping of a table.
    ///
    /// A relationship that is the inverse of another one is left out, as the other one states the
    /// same; see ``Relation/isInverse``.
    public init(defaultFor table: PropertyTable) {
        self.init(table: table)
        for property in Self.writableProperties(of: table)
        where property.relation?.isInverse != true {
            add(property.name, to: property.source)
        }
    }

    /// Returns the properties whose sources can be written to: all that are mapped from keys, or all that
    /// are mapped from one position each, or else the only one, which is mapped from the whole
    /// representation.
    private static func writableProperties(of table: PropertyTable) -> [Property] {
        let properties = table.properties
        if !properties.isEmpty, properties.allSatisfy(\.source.isPosition) { return properties }
        let writable = properties.filter(\.source.isInvertible)
        let hasKeys = writable.contains { !$0.source.components.isEmpty }
        return hasKeys
            ? writable.filter { !$0.source.components.isEmpty } : Array(writable.prefix(1))
    }

    /// A Boolean value that indicates whether every property is written to one position of a list.
    var isPositional: Bool {
        propertyMappings.allSatisfy { mapping in
            switch mapping {
            case .attribute(let attribute): attribute.destination.isPosition
            case .relationship(let relationship): relationship.destination.isPosition
            }
        }
    }

    /// Creates the mapping that a type declares for itself, or else its default mapping.
    init(declaredBy table: PropertyTable) {
        let mappable = table.subject as? any ObjectMappable.Type
        self = mappable?.requestMapping ?? RequestMapping(defaultFor: table)
    }

    /// Creates the mapping of related objects for which no mapping is declared.
    ///
    /// - Parameters:
    ///   - table: The properties of the related objects.
    ///   - enclosing: The names of the entities that the objects are part of.
    init(relatedBy table: PropertyTable, within enclosing: Set<String>) {
        guard table.isEntity else {
            self.init(declaredBy: table)
            return
        }
        self.init(table: table)
        for (index, property) in table.properties.enumerated() {
            let isWritten =
                if !table.identity.isEmpty {
                    table.identity.contains(index)
                } else if let relation = property.relation {
                    !relation.isInverse && !relation.leads(into: enclosing.union([table.name]))
                } else {
                    true
                }
            if isWritten, property.source.keys != nil { add(property.name, to: property.source) }
        }
    }

    /// Creates a mapping that is declared by key paths.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type,
        @RequestMappingBuilder<Subject> _ content: () -> [RequestMappingElement<Subject>]
    ) {
        self.init(table: subject.properties)
        for element in content() { element.add(to: &self) }
    }

    /// Creates a mapping that is declared by names, from property to destination.
    ///
    /// A property that holds mapped objects becomes a relationship with their default mapping.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, _ names: KeyValuePairs<String, SourcePath>
    ) {
        self.init(table: subject.properties)
        for (name, destination) in names { add(name, to: destination) }
    }

    /// Creates a mapping of properties whose keys are their own names.
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

    /// Adds a request attribute.
    public mutating func add(_ attribute: RequestAttribute) {
        propertyMappings.append(.attribute(attribute))
    }

    /// Adds a request relationship.
    public mutating func add(_ relationship: RequestRelationship) {
        propertyMappings.append(.relationship(relationship))
    }

    /// The attributes among the property mappings.
    public var attributes: [RequestAttribute] {
        propertyMappings.compactMap {
            if case .attribute(let attribute) = $0 { attribute } else { nil }
        }
    }

    /// The relationships among the property mappings.
    public var relationships: [RequestRelationship] {
        propertyMappings.compactMap {
            if case .relationship(let relationship) = $0 { relationship } else { nil }
        }
    }
}

extension Relation {
    /// Returns a Boolean value that indicates whether the relation leads to one of some entities
    /// whose objects cannot be written by identity.
    fileprivate func leads(into entities: Set<String>) -> Bool {
        let table = table
        return table.isEntity && table.identity.isEmpty && entities.contains(table.name)
    }
}

/// A mapping of any kind from objects to representations.
public indirect enum AnyRequestMapping: Sendable {
    /// One mapping for all objects.
    case request(RequestMapping)
    /// A mapping that is chosen for each object.
    case dynamic(DynamicRequestMapping)
    /// A type that encodes itself, for relationships. A whole object of such a type needs no
    /// mapping but a `DocumentEncoder`.
    case codable(CodableMapping)

    /// The properties of the type or entity of the objects.
    public var table: PropertyTable {
        switch self {
        case .request(let mapping): mapping.table
        case .dynamic(let mapping): mapping.table
        case .codable(let mapping): mapping.table
        }
    }
}
