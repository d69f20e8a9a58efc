// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension DefinitionChecker {
    mutating func check(_ resource: ResourceDefinition) {
        let keys = ["resources", resource.name]
        checkPath(resource, keys)
        checkHeaders(resource.headers, keys)
        checkParameters(resource.parameters, keys)
        checkBody(resource, keys)
        checkSelection(resource.entity, keys + ["entity"])
        for included in resource.records.included {
            checkSelection(included.entity, keys + ["records", "included"])
        }
        checkParents(resource, keys)
        if let pagination = resource.pagination ?? definition.api.pagination {
            let origin = resource.pagination == nil ? ["api", "pagination"] : keys + ["pagination"]
            check(pagination, of: resource, origin)
        }
        if let cursor = resource.cursor { check(cursor, of: resource, keys + ["cursor"]) }
        if resource.cursor == nil, resource.templates.contains(where: \.usesCursor) {
            report(
                .undefinedName, keys, "a placeholder uses the cursor, but the resource has none",
                "write `cursor: {field: …}`")
        }
        checkDeletion(resource, keys + ["deletion"])
        checkResponses(resource.responses, keys)
        checkRecords(resource.records, keys + ["records"])
    }

    private mutating func checkPath(_ resource: ResourceDefinition, _ keys: [String]) {
        let text = resource.path.description
        if text.contains("?") {
            report(
                .invalidValue, keys + ["path"], "the path contains a query",
                "write it under `parameters`")
        }
        if text.contains("#") {
            report(.invalidValue, keys + ["path"], "the path contains a fragment", "remove it")
        }
        if let range = text.firstRange(of: "://"),
            text[range.upperBound...].prefix(while: { $0 != "/" }).contains("@")
        {
            report(
                .exposedSecret, keys + ["path"], "the URL contains a user or a password",
                "remove it and write `auth`")
        }
    }

    private mutating func checkBody(_ resource: ResourceDefinition, _ keys: [String]) {
        if resource.body != nil, resource.method == .get {
            reportNoEffect(keys + ["body"], "with `method: GET`", "write `method: POST`")
        }
        if case .form(let parameters) = resource.body {
            checkParameters(parameters, keys + ["body"])
        }
    }

    /// Reports entities that are not defined.
    private mutating func checkSelection(_ selection: EntitySelection, _ keys: [String]) {
        for name in selection.names where !entityNames.contains(name) {
            reportUndefined(name, "the entity", keys, entityNames)
        }
        if case .byValue(let selection) = selection, selection.cases.isEmpty {
            report(
                .invalidValue, keys, "no value selects an entity",
                "write values and entities under `of`")
        }
    }

    private mutating func checkDeletion(_ resource: ResourceDefinition, _ keys: [String]) {
        switch resource.deletion {
        case .walk:
            if resource.cursor != nil, resource.cursor?.retention == nil {
                reportNoEffect(
                    keys, "because a run with a cursor does not read the whole list",
                    "write `tombstone` or `list`, or `retention` in the cursor, after which the whole list "
                        + "is read"
                )
            }
        case .list(let name, _):
            if let list = definition.resource(named: name) {
                if name == resource.name {
                    report(
                        .conflict, keys, "the resource lists its own deletions",
                        "write another resource")
                } else if Set(list.entity.names).isDisjoint(with: resource.entity.names) {
                    report(
                        .conflict, keys, "`\(name)` and `\(resource.name)` have different entities",
                        "write the same `entity` in both")
                }
            } else {
                reportUndefined(name, "the resource", keys + ["list"], resourceNames)
            }
        case .tombstone, .none: break
        }
    }

    private mutating func checkRecords(_ records: RecordsDefinition, _ keys: [String]) {
        if records.merge.contains(where: { $0 == records.wrapper }) {
            reportNoEffect(keys + ["merge"], "for the key of `wrapper`")
        }
        for included in records.included where included.path == records.path {
            report(
                .conflict, keys + ["included"], "the included records are the records themselves",
                "write another path")
        }
    }
}

extension ResourceDefinition {
    /// All templates of the resource's requests.
    var templates: [Template] {
        var templates = [path] + parameters.map(\.value) + headers.compactMap(\.template)
        switch body {
        case .json(let value): value.collect(into: &templates)
        case .form(let parameters): templates += parameters.map(\.value)
        case nil: break
        }
        return templates
    }
}

extension Template {
    /// A Boolean value that indicates whether a placeholder refers to the interval of the cursor.
    var usesCursor: Bool { parts.contains(.cursorStart) || parts.contains(.cursorEnd) }
}

extension TemplateValue {
    fileprivate func collect(into templates: inout [Template]) {
        switch self {
        case .text(let template): templates.append(template)
        case .array(let elements): for element in elements { element.collect(into: &templates) }
        case .object(let members): for member in members { member.value.collect(into: &templates) }
        case .null, .boolean, .number: break
        }
    }
}
