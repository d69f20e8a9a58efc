// SPDX-License-Identifier: Apache-2.0

extension DefinitionKeys {
    /// The keys of an entity.
    struct EntityKeys: Sendable {
        var attributes = AttributeKeys()
        var entity = EntityDefinition(name: "")
    }

    /// The attributes of an entity.
    struct AttributeKeys: Sendable, Equatable {
        var declared: [AttributeDefinition] = []
        var infersOthers = true
    }

    /// An entity: `auto`, or a mapping.
    static let entity = ValueCoder<EntityDefinition>.either(
        [
            ValueCoder<Automatic>.choice.map(
                read: { _, _, _ in EntityDefinition(name: "") },
                write: { entity in
                    entity == EntityDefinition(name: entity.name) ? Automatic.auto : nil
                }),
            entityMapping,
        ], expectation: "`auto`, or a mapping with `identity`, `attributes` and `relations`")

    private enum Automatic: String, CaseIterable {
        case auto
    }

    private static let entityMapping = ValueCoder<EntityKeys>.object(
        "entity", EntityKeys(),
        [
            .optional(
                "identity", \.entity.identity, .oneOrMany(.text), default: [],
                "The attributes or to-one relations that together identify a row."),
            .optional(
                "attributes", \.attributes, attributes, default: AttributeKeys(),
                "The columns by name; auto finds them in the records."),
            .optional(
                "relations", \.entity.relations, relations, default: [],
                "The relations to other entities, by name."),
            .optional(
                "search", \.entity.search, .oneOrMany(.text), default: [],
                "The attributes whose words are in the full-text index."),
            .optional(
                "ignore", \.entity.ignored, .oneOrMany(.path), default: [],
                "The paths in records that are not stored."),
            .optional(
                "former_names", \.entity.formerNames, .oneOrMany(.text), default: [],
                "The names of the entity in earlier versions of this file."),
            .optional(
                "schema", \.entity.schema, schema,
                "The treatment of values that the entity does not describe."),
        ]
    ).map(
        read: { keys, _, _ in
            var entity = keys.entity
            entity.attributes = keys.attributes.declared
            entity.infersAttributes = keys.attributes.infersOthers
            return entity
        },
        write: { entity in
            EntityKeys(
                attributes: AttributeKeys(
                    declared: entity.attributes, infersOthers: entity.infersAttributes),
                entity: entity)
        })

    /// The attributes: `auto`, or a mapping, whose key `*` finds the other attributes.
    private static let attributes = ValueCoder<AttributeKeys>.either(
        [
            ValueCoder<Automatic>.choice.map(
                read: { _, _, _ in AttributeKeys() },
                write: { $0 == AttributeKeys() ? Automatic.auto : nil }),
            ValueCoder<[Named<AttributeDefinition>]>.names(
                attribute, "the name of an attribute", pattern: nil
            ).map(
                read: { named, source, context in
                    var keys = AttributeKeys(infersOthers: false)
                    for element in named {
                        if element.name == "*" {
                            keys.infersOthers = true
                            if element.value != AttributeDefinition("", .auto) {
                                context.report(
                                    .invalidValue, at: source["*"]?.location,
                                    "the other attributes have no declaration",
                                    advice: "write `\"*\": auto`")
                            }
                        } else {
                            var attribute = element.value
                            attribute.name = element.name
                            keys.declared.append(attribute)
                        }
                    }
                    return keys
                },
                write: { keys in
                    keys.declared.map { Named($0.name, $0) }
                        + (keys.infersOthers ? [Named("*", AttributeDefinition("", .auto))] : [])
                }),
        ], expectation: "`auto`, or a mapping from names to types")

    private static let attribute = ValueCoder<AttributeDefinition>.either(
        [
            ValueCoder<AttributeDefinition.ValueType>.choice.map(
                read: { type, _, _ in AttributeDefinition("", type) },
                write: { attribute in
                    attribute == AttributeDefinition(attribute.name, attribute.type)
                        ? attribute.type : nil
                }),
            .object(
                "attribute", AttributeDefinition("", .auto),
                [
                    .optional(
                        "type", \.type, .choice, default: .auto, "The type of the values."),
                    .optional(
                        "path", \.path, .path,
                        "The path in the record; without it, the key that equals the name."),
                    .optional(
                        "form", \.form, .choice, default: .value,
                        "The part of the value that is the attribute."),
                    .optional(
                        "optional", \.isOptional, .boolean, default: true,
                        "Whether the attribute may be null."),
                    .optional(
                        "indexed", \.isIndexed, .boolean, default: false,
                        "Whether the column has an index."),
                    .optional(
                        "former_names", \.formerNames, .oneOrMany(.text), default: [],
                        "The names of the attribute in earlier versions of this file."),
                ]),
        ], expectation: "a type such as `text`, or a mapping")

    /// Relations by name.
    private static let relations = ValueCoder<[Named<RelationDefinition>]>.names(
        relation, "the name of a relation", pattern: nil
    ).named(
        name: { $0.name },
        { relation, name in
            var relation = relation
            relation.name = name
            return relation
        }, { $0 })

    private static let relation = ValueCoder<RelationDefinition>.either(
        [
            ValueCoder<String>.text.map(
                read: { entity, _, _ in RelationDefinition("", to: entity) },
                write: { relation in
                    relation == RelationDefinition(relation.name, to: relation.entity)
                        ? relation.entity : nil
                }),
            .object(
                "relation", RelationDefinition("", to: ""),
                [
                    .required("entity", \.entity, .text, "The destination."),
                    .optional(
                        "to_many", \.isToMany, .boolean, default: false,
                        "Whether the record refers to a list of destinations."),
                    .optional(
                        "path", \.path, .path,
                        "The path in the record; without it, the key that equals the name."),
                    .optional(
                        "form", \.form, .choice, default: .object,
                        "The form of references: an object, an identity such as a number or a URL, or a URL that ends with the identity."
                    ),
                    .optional(
                        "attribute", \.attribute, .text,
                        "The attribute of the destination that references contain; without it, its identity."
                    ),
                    .optional(
                        "inverse", \.inverse, .text, "The inverse relation of the destination."),
                    .optional(
                        "ordered", \.isOrdered, .boolean, default: false,
                        "Whether the order of the destinations is stored."),
                    .optional(
                        "owned", \.isOwned, .boolean, default: false,
                        "Whether the destinations are deleted with the row."),
                    .optional(
                        "missing", \.missing, .choice, default: .pending,
                        "The treatment of references to rows that do not exist."),
                    .optional(
                        "former_names", \.formerNames, .oneOrMany(.text), default: [],
                        "The names of the relation in earlier versions of this file."),
                ]),
        ], expectation: "the name of an entity, or a mapping with `entity`")
}
