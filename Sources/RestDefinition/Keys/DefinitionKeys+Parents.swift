// SPDX-License-Identifier: Apache-2.0

extension DefinitionKeys {
    /// The keys of a parent.
    struct ParentKeys: Sendable {
        var resource: String?
        var values: [ScalarValue]?
        var query: String?
        var name: String?
        var batch: Int?
        var separator = ","
        var onlyChanged = false
        var filter: [Condition] = []
        var inclusions: [FieldInclusion] = []
    }

    /// A parent: the name of a resource, or a mapping.
    static let parent = ValueCoder<ParentDefinition>.either(
        [
            ValueCoder<String>.text.map(
                read: { name, _, _ in ParentDefinition(name: name, source: .resource(name)) },
                write: { parent in
                    parent == ParentDefinition(name: parent.name, source: .resource(parent.name))
                        ? parent.name : nil
                }),
            parentMapping,
        ], expectation: "the name of a resource, or a mapping with `resource`, `values` or `query`")

    private static let parentMapping: ValueCoder<ParentDefinition> = ValueCoder<ParentKeys>.object(
        "parent", ParentKeys(),
        [
            .optional("resource", \.resource, .text, "A resource whose records are the parents."),
            .optional(
                "values", \.values, .list(.scalar, minimum: 1), "Values, in place of records."),
            .optional(
                "query", \.query, .text, "An SQL query of the database, whose rows are the parents."
            ),
            .optional("as", \.name, .text, "The name in placeholders; without it, the resource's."),
            .optional(
                "batch", \.batch, .integer(from: 2), "The maximum number of parents in one request."
            ),
            .optional(
                "separator", \.separator, .text, default: ",",
                "The text between the values of a batch."),
            .optional(
                "only_changed", \.onlyChanged, .boolean, default: false,
                "Whether only parents that changed are visited."),
            .optional(
                "where", \.filter, .oneOrMany(condition), default: [], "Conditions for parents."),
            .optional(
                "include", \.inclusions, inclusions, default: [],
                "Values of the parent that each record gets: key in the record, path in the parent."
            ),
        ], alternatives: ["resource", "values", "query"],
        dependencies: [.init("separator", needs: "batch")]
    ).map(
        read: { keys, source, context in
            let origin: ParentDefinition.Source? =
                if let resource = keys.resource {
                    .resource(resource)
                } else if let values = keys.values {
                    .values(values)
                } else { keys.query.map { .query($0) } }
            guard let origin else { return nil }
            guard let name = keys.name ?? keys.resource else {
                context.report(
                    .missingKey, at: source.location, "the parent has no name for placeholders",
                    advice: "write `as: NAME`")
                return nil
            }
            guard DefinitionName.isValid(name) else {
                context.report(
                    .invalidValue, at: source.location, "`\(name)` is not a name",
                    advice: "write letters, digits and `_`, a letter first")
                return nil
            }
            return ParentDefinition(
                name: name, source: origin,
                batch: keys.batch.map { .init(count: $0, separator: keys.separator) },
                onlyChanged: keys.onlyChanged, filter: keys.filter, inclusions: keys.inclusions)
        },
        write: { parent in
            var keys = ParentKeys(
                name: parent.name, batch: parent.batch?.count,
                separator: parent.batch?.separator ?? ",", onlyChanged: parent.onlyChanged,
                filter: parent.filter, inclusions: parent.inclusions)
            switch parent.source {
            case .resource(let name):
                keys.resource = name
                if name == parent.name { keys.name = nil }
            case .values(let values): keys.values = values
            case .query(let sql): keys.query = sql
            }
            return keys
        })
}
