// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// Declares how a representation becomes an object.
///
/// A mapping is a value apart from the type it describes; a type may have any number of them. It is
/// declared by the property names a person knows and compiled once into a ``MappingPlan``.
///
///     let mapping = ObjectMapping(for: Article.self) {
///         attribute("headline", to: \.title)
///         relationship("written_by", to: \.author)
///     }
public struct ObjectMapping: Sendable {
    /// The properties of the type or entity the mapping is for.
    public let table: PropertyTable
    /// Properties fed by plain values.
    public private(set) var attributes: [AttributeMapping] = []
    /// Properties fed by related objects.
    public private(set) var relationships: [RelationshipMapping] = []
    /// What happens to values and objects that do not fit.
    public var policy: IssuePolicy
    /// How values are converted to the types of the properties.
    public var conversion = ValueConversion.standard

    /// Declares a mapping without content, to be added to.
    public init(table: PropertyTable, policy: IssuePolicy = .standard) {
        self.table = table
        self.policy = policy
    }

    /// Declares the default mapping: every property from the place its declaration names.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, policy: IssuePolicy = .standard
    ) {
        self.init(defaultFor: subject.properties, policy: policy)
    }

    /// Declares the default mapping of a table: every property from the place it names.
    public init(defaultFor table: PropertyTable, policy: IssuePolicy = .standard) {
        self.init(table: table, policy: policy)
        for property in table.properties { add(property.name, from: property.source) }
    }

    /// Declares a mapping by key paths.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, policy: IssuePolicy = .standard,
        @MappingBuilder<Subject> _ content: () -> [MappingElement<Subject>]
    ) {
        self.init(table: subject.properties, policy: policy)
        for element in content() {
            switch element.content {
            case .attribute(let attribute): attributes.append(attribute)
            case .relationship(let relationship): relationships.append(relationship)
            }
        }
    }

    /// Declares a mapping by names, from source path to property.
    ///
    /// A property that holds mapped objects becomes a relationship with their default mapping.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, _ names: KeyValuePairs<DocumentPath, String>,
        policy: IssuePolicy = .standard
    ) {
        self.init(table: subject.properties, policy: policy)
        for (source, name) in names { add(name, from: source) }
    }

    /// Declares a mapping of properties whose source key is their own name.
    public init<Subject: MappingSubject>(
        for subject: Subject.Type, _ names: [String], policy: IssuePolicy = .standard
    ) {
        self.init(table: subject.properties, policy: policy)
        for name in names { add(name, from: DocumentPath([.key(name)])) }
    }

    /// Adds a property by name, as a relationship if it holds mapped objects.
    public mutating func add(_ name: String, from source: DocumentPath) {
        if let index = table.index(of: name), table.properties[index].holdsMappedObjects {
            relationships.append(RelationshipMapping(source, to: name))
        } else {
            attributes.append(AttributeMapping(source, to: name))
        }
    }

    /// Adds an attribute.
    public mutating func add(_ attribute: AttributeMapping) { attributes.append(attribute) }

    /// Adds a relationship.
    public mutating func add(_ relationship: RelationshipMapping) {
        relationships.append(relationship)
    }
}
