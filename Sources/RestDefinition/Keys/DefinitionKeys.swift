// SPDX-License-Identifier: Apache-2.0

/// The table of the keys of definitions, from which files are read and written and JSON Schema is generated.
enum DefinitionKeys {
    /// The whole file.
    static let definition = ValueCoder<Definition>.object(
        "the definition", Definition(api: APIDefinition(base: "")),
        [
            .required(
                "version", \.version, .integer(from: 1),
                "The version of the format of the file: 1."),
            .required("api", \.api, api, "The API: what all resources share."),
            .required(
                "resources", \.resources, resources, "The lists and objects to read, by name."),
            .required("entities", \.entities, entities, "The tables of the database, by name."),
            .optional(
                "schema", \.schema, schema, default: SchemaPolicy(),
                "The treatment of values that the file does not describe."),
        ])

    /// The section `api`.
    static let api = ValueCoder<APIDefinition>.object(
        "api", APIDefinition(base: ""),
        [
            .required(
                "base", \.base, .text, "The base URL, to which the paths of resources are relative."
            ),
            .optional(
                "headers", \.headers, headers, default: [], "The header fields of every request."),
            .optional(
                "parameters", \.parameters, parameters, default: [],
                "The parameters of every request, before those of the resource."),
            .optional("format", \.format, format, default: .json, "The format of responses."),
            .optional(
                "auth", \.authentication, authentication, default: .none,
                "The credentials of every request."),
            .optional(
                "budget", \.budget, budget, default: BudgetDefinition(),
                "The limits of the number and the rate of requests."),
            .optional(
                "responses", \.responses, responses, default: [],
                "Rules for responses; the first one that applies decides."),
            .optional(
                "pagination", \.pagination, pagination,
                "The pagination of resources that declare none."),
        ])

    private static let resources = ValueCoder<[Named<ResourceDefinition>]>.names(
        resource, "the name of a resource", pattern: DefinitionName.pattern,
        isName: DefinitionName.isValid
    ).named(
        name: { $0.name },
        { resource, name in
            var resource = resource
            resource.name = name
            return resource
        }, { $0 })

    private static let entities = ValueCoder<[Named<EntityDefinition>]>.names(
        entity, "the name of an entity", pattern: DefinitionName.pattern,
        isName: DefinitionName.isValid
    ).named(
        name: { $0.name },
        { entity, name in
            var entity = entity
            entity.name = name
            return entity
        }, { $0 })

    /// The treatment of values that are not described: one mode, or one for each kind.
    static let schema = ValueCoder<SchemaPolicy>.either([
        ValueCoder<SchemaPolicy.Mode>.choice.map(
            read: { mode, _, _ in SchemaPolicy(mode) },
            write: { policy in
                let isUniform =
                    policy.unknown == policy.missing && policy.missing == policy.retyped
                return isUniform ? policy.unknown : nil
            }),
        .object(
            "schema", SchemaPolicy(),
            [
                .optional(
                    "unknown", \.unknown, .choice, default: .evolve,
                    "The treatment of keys and record types that are not described."),
                .optional(
                    "missing", \.missing, .choice, default: .evolve,
                    "The treatment of records without a required value."),
                .optional(
                    "retyped", \.retyped, .choice, default: .evolve,
                    "The treatment of values that do not fit the type of their column."),
            ]),
    ])
}
