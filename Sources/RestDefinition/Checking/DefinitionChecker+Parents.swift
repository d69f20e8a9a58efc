// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension DefinitionChecker {
    /// Reports parents that are not defined or not used, and placeholders without a parent.
    mutating func checkParents(_ resource: ResourceDefinition, _ keys: [String]) {
        let names = resource.parents.map(\.name)
        let path = keys + ["for_each"]
        var known: Set<String> = []
        for parent in resource.parents {
            if !known.insert(parent.name).inserted {
                report(
                    .duplicateName, path, "two parents have the name `\(parent.name)`",
                    "write another name with `as`")
            }
            if parent.name == "cursor" {
                report(
                    .invalidValue, path, "the name `cursor` is reserved",
                    "write another name with `as`")
            }
            checkSource(parent, of: resource, path)
            let isUsed = resource.templates.contains { $0.parents.contains(parent.name) }
            if !isUsed {
                reportNoEffect(
                    path, "because no placeholder uses `\(parent.name)`",
                    "write `{\(parent.name).id}` in the path or in a parameter, or remove the parent"
                )
            }
        }
        for template in resource.templates {
            for case .parent(let name, let field) in template.parts {
                guard let parent = resource.parents.first(where: { $0.name == name }) else {
                    reportPlaceholder(name, names, keys)
                    continue
                }
                check(field, of: parent, keys)
            }
        }
    }

    private mutating func reportPlaceholder(_ name: String, _ names: [String], _ keys: [String]) {
        if names.isEmpty, resourceNames.contains(name) {
            report(
                .undefinedName, keys, "the placeholder `{\(name).…}` has no parent",
                "write `for_each: \(name)`")
        } else {
            reportUndefined(name, "the parent", keys, names.isEmpty ? resourceNames : names)
        }
    }

    private mutating func checkSource(
        _ parent: ParentDefinition, of resource: ResourceDefinition, _ keys: [String]
    ) {
        switch parent.source {
        case .resource(let name):
            if name == resource.name {
                report(
                    .conflict, keys, "the resource is its own parent", "write another resource")
            } else if !resourceNames.contains(name) {
                reportUndefined(name, "the resource", keys, resourceNames)
            }
        case .values, .query:
            if parent.onlyChanged {
                reportNoEffect(
                    keys + ["only_changed"], "because only the records of a resource change")
            }
            if case .values = parent.source, !parent.filter.isEmpty {
                reportNoEffect(keys + ["where"], "for values", "remove the values instead")
            }
        }
    }

    /// Reports a path that the records of a parent cannot have.
    private mutating func check(
        _ path: DocumentPath, of parent: ParentDefinition, _ keys: [String]
    ) {
        switch parent.source {
        case .values:
            if path != "value" {
                report(
                    .undefinedName, keys, "values have no `\(path)`",
                    "write `{\(parent.name).value}`")
            }
        case .resource(let name):
            guard let entityNames = definition.resource(named: name)?.entity.names,
                case .key(let first) = path.components.first
            else { return }
            let entities = entityNames.compactMap(definition.entity(named:))
            guard !entities.isEmpty, !entities.contains(where: \.infersAttributes) else { return }
            let known = entities.flatMap { entity in
                entity.attributes.map(\.rootKey) + entity.relations.map(\.rootKey)
                    + entity.ignored.compactMap(\.rootKey)
            }
            if !known.contains(first) {
                reportUndefined(first, "the value of `\(parent.name)`", keys, known)
            }
        case .query: break
        }
    }

    /// Reports resources that are their own parents over others.
    mutating func checkParentCycles() {
        for resource in definition.resources {
            var visited: Set<String> = []
            var waiting = resource.parentResources
            while let name = waiting.popLast(), name != resource.name {
                if visited.insert(name).inserted {
                    waiting += definition.resource(named: name)?.parentResources ?? []
                }
                if waiting.contains(resource.name), name != resource.name {
                    report(
                        .conflict, ["resources", resource.name, "for_each"],
                        "the resource is its own parent by way of `\(name)`",
                        "remove one of the parents")
                    return
                }
            }
        }
    }
}

extension ResourceDefinition {
    fileprivate var parentResources: [String] {
        parents.compactMap { if case .resource(let name) = $0.source { name } else { nil } }
    }
}

extension DocumentPath {
    /// The first key; `nil` for the root and for a position.
    var rootKey: String? {
        if case .key(let key) = components.first { key } else { nil }
    }
}

extension AttributeDefinition {
    /// The first key of the attribute's path in records.
    var rootKey: String { path?.rootKey ?? name }
}

extension RelationDefinition {
    /// The first key of the relation's path in records.
    var rootKey: String { path?.rootKey ?? name }
}
