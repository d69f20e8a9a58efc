// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension DefinitionChecker {
    mutating func check(_ entity: EntityDefinition) {
        let keys = ["entities", entity.name]
        checkProperties(of: entity, keys)
        for name in entity.identity where !hasAttribute(name, entity) {
            if let relation = entity.relation(named: name) {
                if relation.isToMany || relation.form == .inverse {
                    report(
                        .invalidValue, keys + ["identity"], "`\(name)` refers to many rows",
                        "write attributes or to-one relations")
                }
            } else {
                reportUndefined(
                    name, "the attribute", keys + ["identity"],
                    entity.attributes.map(\.name) + entity.relations.map(\.name))
            }
        }
        if Set(entity.identity).count < entity.identity.count {
            report(
                .duplicateName, keys + ["identity"], "an attribute appears twice",
                "remove one of them")
        }
        for name in entity.search where !hasAttribute(name, entity) {
            reportUndefined(name, "the attribute", keys + ["search"], entity.attributes.map(\.name))
        }
        for path in entity.ignored {
            if let attribute = entity.attributes.first(where: { ($0.path ?? .key($0.name)) == path }
            ) {
                report(
                    .conflict, keys + ["ignore"],
                    "`\(path)` is ignored, but it is the attribute `\(attribute.name)`",
                    "remove one of them")
            }
            if !entity.infersAttributes, path.components.count == 1,
                (entity.schema ?? definition.schema).unknown == .evolve,
                entity.relations.contains(where: { ($0.path ?? .key($0.name)) == path })
            {
                report(
                    .conflict, keys + ["ignore"], "`\(path)` is ignored, but it is a relation",
                    "remove one of them")
            }
        }
        for relation in entity.relations { check(relation, of: entity, keys) }
    }

    /// Reports names that SQLite cannot distinguish, and paths that are used twice.
    private mutating func checkProperties(of entity: EntityDefinition, _ keys: [String]) {
        var known: [String: String] = [:]
        let names =
            entity.attributes.map { ($0.name, "attributes") }
            + entity.relations.map { ($0.name, "relations") }
        for (name, section) in names {
            let folded = name.lowercased()
            if let other = known.updateValue(name, forKey: folded) {
                report(
                    .duplicateName, keys + [section, name],
                    other == name
                        ? "`\(name)` is defined twice"
                        : "`\(other)` and `\(name)` differ in case only",
                    "rename one of them and write its key as `path`")
            }
            let isReserved = folded.hasPrefix("restkit_") || folded.hasPrefix("sqlite_")
            let isValid =
                !name.isEmpty && name.utf8.count <= 63
                && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x22 }
            if isReserved || !isValid {
                report(
                    .invalidValue, keys + [section, name],
                    isReserved
                        ? "the name `\(name)` is reserved" : "the name is not the name of a column",
                    "write another name of 1 to 63 bytes, and the key as `path`")
            }
        }
    }

    private mutating func check(
        _ relation: RelationDefinition, of entity: EntityDefinition, _ keys: [String]
    ) {
        let path = keys + ["relations", relation.name]
        guard let destination = definition.entity(named: relation.entity) else {
            return reportUndefined(relation.entity, "the entity", path, entityNames)
        }
        if let attribute = relation.attribute, !hasAttribute(attribute, destination) {
            reportUndefined(
                attribute, "the attribute", path + ["attribute"], destination.attributes.map(\.name)
            )
        }
        if relation.attribute != nil, relation.form == .object || relation.form == .inverse {
            reportNoEffect(
                path + ["attribute"], "with `form: \(relation.form.rawValue)`",
                "remove it, or write `form: identity`")
        }
        if relation.isOrdered, !relation.isToMany {
            reportNoEffect(path + ["ordered"], "for one destination", "write `to_many: true`")
        }
        let isReference = relation.form == .identity || relation.form == .lastPathComponent
        if relation.missing != .pending, !isReference {
            reportNoEffect(
                path + ["missing"],
                "because `form: \(relation.form.rawValue)` contains no reference")
        }
        if isReference, relation.attribute == nil, destination.identity.count > 1 {
            report(
                .conflict, path, "`\(destination.name)` has an identity of several attributes",
                "write the attribute that references contain as `attribute`")
        }
        if destination.identity.isEmpty, isReference, relation.attribute == nil,
            !destination.infersAttributes
        {
            report(
                .conflict, path, "`\(destination.name)` has no identity",
                "write `identity` in `\(destination.name)`")
        }
        checkInverse(relation, of: entity, destination, path)
    }

    private mutating func checkInverse(
        _ relation: RelationDefinition, of entity: EntityDefinition,
        _ destination: EntityDefinition,
        _ keys: [String]
    ) {
        guard let name = relation.inverse else {
            if relation.form == .inverse {
                report(
                    .missingKey, keys, "`form: inverse` needs the name of the other relation",
                    "write `inverse: NAME`, a relation of `\(destination.name)`")
            }
            return
        }
        guard let inverse = destination.relation(named: name) else {
            // The relation of an object list that has no other side is made with its inverse.
            if relation.form == .inverse {
                reportUndefined(
                    name, "the relation", keys + ["inverse"], destination.relations.map(\.name))
            } else if hasDeclaredAttribute(name, destination) {
                report(
                    .conflict, keys + ["inverse"],
                    "`\(name)` is an attribute of `\(destination.name)`", "write another name")
            }
            return
        }
        if inverse.entity != entity.name {
            report(
                .conflict, keys + ["inverse"],
                "`\(destination.name).\(name)` refers to `\(inverse.entity)`, not to `\(entity.name)`",
                "write a relation to `\(entity.name)`")
        } else if let back = inverse.inverse, back != relation.name {
            report(
                .conflict, keys + ["inverse"],
                "the inverse of `\(destination.name).\(name)` is `\(back)`, not `\(relation.name)`",
                "write the same pair in both")
        } else if inverse.form == .inverse, relation.form == .inverse {
            report(
                .conflict, keys, "neither side of the relation is in the records",
                "write the form of references in one of them")
        }
    }

    private func hasAttribute(_ name: String, _ entity: EntityDefinition) -> Bool {
        entity.infersAttributes || hasDeclaredAttribute(name, entity)
            || (entity.schema ?? definition.schema).unknown == .evolve && entity.attributes.isEmpty
    }

    private func hasDeclaredAttribute(_ name: String, _ entity: EntityDefinition) -> Bool {
        entity.attributes.contains { $0.name == name }
    }
}

extension DocumentPath {
    /// Returns the path of a key.
    fileprivate static func key(_ key: String) -> DocumentPath { DocumentPath([.key(key)]) }
}
