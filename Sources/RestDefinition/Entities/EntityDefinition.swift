// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A definition of an entity, which is a table of the database.
public struct EntityDefinition: Sendable, Equatable {
    /// The name of the entity and of its table.
    public var name: String
    /// The names of the attributes or to-one relations that together identify a row; empty for rows that
    /// belong to another row.
    public var identity: [String]
    /// The declared attributes.
    public var attributes: [AttributeDefinition]
    /// A Boolean value that indicates whether attributes beside the declared ones are found in the records.
    public var infersAttributes: Bool
    /// The declared relations.
    public var relations: [RelationDefinition]
    /// The names of the attributes whose words are in the full-text index.
    public var search: [String]
    /// The names of the entity in earlier versions of the definition, the latest first.
    public var formerNames: [String]
    /// The paths in records that are not stored.
    public var ignored: [DocumentPath]
    /// The treatment of values that the entity does not describe; `nil` for that of the definition.
    public var schema: SchemaPolicy?

    /// Creates a definition of an entity.
    public init(
        name: String, identity: [String] = [], attributes: [AttributeDefinition] = [],
        infersAttributes: Bool = true, relations: [RelationDefinition] = [],
        search: [String] = [], formerNames: [String] = [], ignored: [DocumentPath] = [],
        schema: SchemaPolicy? = nil
    ) {
        self.name = name
        self.identity = identity
        self.attributes = attributes
        self.infersAttributes = infersAttributes
        self.relations = relations
        self.search = search
        self.formerNames = formerNames
        self.ignored = ignored
        self.schema = schema
    }

    /// Returns the attribute with a name.
    public func attribute(named name: String) -> AttributeDefinition? {
        attributes.first { $0.name == name }
    }

    /// Returns the relation with a name.
    public func relation(named name: String) -> RelationDefinition? {
        relations.first { $0.name == name }
    }
}
