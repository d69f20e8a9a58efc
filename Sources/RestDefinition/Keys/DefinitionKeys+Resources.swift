// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension DefinitionKeys {
    /// A resource.
    static let resource = ValueCoder<ResourceDefinition>.object(
        "resource",
        ResourceDefinition(name: "", path: Template(text: ""), entity: .one("")),
        [
            .required(
                "path", \.path, .template,
                "The path, relative to the base URL, with placeholders such as {parent.id}."),
            .optional("method", \.method, .choice, default: .get, "The method of the requests."),
            .optional("for_each", \.parents, .oneOrMany(parent), default: [], "The parents."),
            .optional(
                "parameters", \.parameters, parameters, default: [], "The parameters of the query."),
            .optional("headers", \.headers, headers, default: [], "The header fields."),
            .optional("body", \.body, body, "The body of the requests."),
            .optional("pagination", \.pagination, pagination, "The way to the next page."),
            .optional("format", \.format, format, "The format of responses."),
            .optional(
                "records", \.records, records, default: RecordsDefinition(),
                "The location and the selection of the records in a response."),
            .optional("cursor", \.cursor, cursor, "The rule for reading only changed records."),
            .optional(
                "deletion", \.deletion, deletion, default: .none, "The rule for removing rows."),
            .optional(
                "responses", \.responses, responses, default: [],
                "Rules for responses, before those of the API."),
            .required("entity", \.entity, entitySelection, "The entity of the records."),
        ])

    /// The entity of records: a name, or names by the value of a member.
    static let entitySelection = ValueCoder<EntitySelection>.either([
        ValueCoder<String>.text.map(
            read: { name, _, _ in EntitySelection.one(name) },
            write: { if case .one(let name) = $0 { name } else { nil } }),
        ValueCoder<TypedSelection>.object(
            "entity", TypedSelection(by: .root, []),
            [
                .required("by", \.path, .path, "The path of the value that selects the entity."),
                .required("of", \.cases, selectionCases, "The entities by that value."),
            ]
        ).map(
            read: { selection, _, _ in .byValue(selection) },
            write: { if case .byValue(let selection) = $0 { selection } else { nil } }),
    ])

    private static let selectionCases = ValueCoder<[Named<String>]>.names(
        .text, "a value", pattern: nil
    ).named(
        name: { $0.value }, { entity, value in TypedSelection.Case(value, entity) }, { $0.entity })

    /// The location and the selection of records.
    static let records = ValueCoder<RecordsDefinition>.either([
        ValueCoder<DocumentPath>.path.map(
            read: { path, _, _ in RecordsDefinition(path: path) },
            write: { records in
                records == RecordsDefinition(path: records.path) ? records.path : nil
            }),
        .object(
            "records", RecordsDefinition(),
            [
                .optional(
                    "path", \.path, .path, "The path of the records; $ is the whole document."),
                .optional(
                    "keyed", \.keyed, keyed, default: KeyedRecords.none,
                    "Whether the values of an object are the records; a text is the name that their key gets."
                ),
                .optional(
                    "wrapper", \.wrapper, .text, "The key of the record in an object around it."),
                .optional(
                    "merge", \.merge, .oneOrMany(.text), default: [],
                    "Keys of objects whose members are members of the record."),
                .optional(
                    "expand", \.expansion, expansion,
                    "An array in the record, each element of which becomes a record."),
                .optional(
                    "where", \.filter, .oneOrMany(condition), default: [],
                    "Conditions for records, all of which must hold."),
                .optional(
                    "included", \.included, .oneOrMany(included), default: [],
                    "Records of other entities in the response."),
            ]),
    ])

    private static let keyed = ValueCoder<KeyedRecords>(
        .either([.boolean, .text(pattern: nil)]), [.scalar],
        expectation: "`true`, `false` or a name",
        read: { source, _ in
            switch source.content {
            case .scalar(.boolean(true)): KeyedRecords.unnamed
            case .scalar(.boolean(false)): KeyedRecords.none
            default: source.scalarText.map { .named($0) }
            }
        },
        write: { keyed in
            switch keyed {
            case .none: SourceValue(.scalar(.boolean(false)))
            case .unnamed: SourceValue(.scalar(.boolean(true)))
            case .named(let name): .text(name)
            }
        })

    private static let expansion = ValueCoder<RecordsDefinition.Expansion>.either([
        ValueCoder<DocumentPath>.path.map(
            read: { path, _, _ in RecordsDefinition.Expansion(at: path) },
            write: { $0.inclusions.isEmpty ? $0.path : nil }),
        .object(
            "expand", RecordsDefinition.Expansion(at: .root),
            [
                .required("path", \.path, .path, "The path of the array in the record."),
                .optional(
                    "include", \.inclusions, inclusions, default: [],
                    "Values of the record that each element gets: key in the element, path in the record."
                ),
            ]),
    ])

    /// Values of an outer record by the keys that they get in the inner one.
    static let inclusions = ValueCoder<[Named<DocumentPath>]>.names(
        .path, "a key of the record", pattern: nil
    ).named(name: { $0.key }, { path, key in FieldInclusion(key, from: path) }, { $0.path })

    private static let included = ValueCoder<RecordsDefinition.Included>.object(
        "included", RecordsDefinition.Included(at: .root, entity: .one("")),
        [
            .required(
                "path", \.path, .path, "The path of the records from the root of the document."),
            .required("entity", \.entity, entitySelection, "The entity of the records."),
        ])

    /// The keys of a rule for removing rows.
    struct DeletionKeys: Sendable {
        var tombstone: Condition?
        var list: String?
        var identity: DocumentPath?
    }

    private enum DeletionName: String, CaseIterable {
        case none
        case walk
    }

    /// The rule for removing rows.
    static let deletion = ValueCoder<DeletionDefinition>.either([
        ValueCoder<DeletionName>.choice.map(
            read: { name, _, _ in name == .walk ? DeletionDefinition.walk : DeletionDefinition.none
            },
            write: { $0 == .walk ? .walk : $0 == .none ? DeletionName.none : nil }),
        ValueCoder<DeletionKeys>.object(
            "deletion", DeletionKeys(),
            [
                .optional(
                    "tombstone", \.tombstone, tombstone,
                    "A path that exists in deleted records, or a condition that they satisfy."),
                .optional("list", \.list, .text, "The resource that lists deleted records."),
                .optional(
                    "identity", \.identity, .path,
                    "The path of the identity in the records of `list`."),
            ], alternatives: ["tombstone", "list"],
            dependencies: [.init("identity", needs: "list")]
        ).map(
            read: { keys, _, _ in
                if let condition = keys.tombstone { return .tombstone(condition) }
                guard let list = keys.list else { return nil }
                return .list(resource: list, identity: keys.identity ?? "id")
            },
            write: { deletion in
                switch deletion {
                case .none, .walk: nil
                case .tombstone(let condition): DeletionKeys(tombstone: condition)
                case .list(let resource, let identity):
                    DeletionKeys(list: resource, identity: identity)
                }
            }),
    ])

    private static let tombstone = ValueCoder<Condition>.either([
        ValueCoder<DocumentPath>.path.map(
            read: { path, _, _ in Condition(at: path, .exists) },
            write: { $0.comparison == .exists ? $0.path : nil }),
        condition,
    ])
}

/// The form of records that are the values of an object.
enum KeyedRecords: Sendable, Equatable {
    case none
    case unnamed
    case named(String)
}

extension RecordsDefinition {
    fileprivate var keyed: KeyedRecords {
        get { isKeyed ? keyName.map { .named($0) } ?? .unnamed : .none }
        set {
            isKeyed = newValue != .none
            if case .named(let name) = newValue { keyName = name } else { keyName = nil }
        }
    }
}
