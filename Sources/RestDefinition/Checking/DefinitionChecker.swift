// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A check of a definition as a whole: names, settings without effect and settings that exclude each other.
struct DefinitionChecker {
    let definition: Definition
    private let locations: [DocumentPath: SourceLocation]
    private(set) var diagnostics: [DefinitionDiagnostic] = []
    /// The paths of records by entity, for names in messages.
    let entityNames: [String]
    let resourceNames: [String]

    init(_ definition: Definition, _ locations: [DocumentPath: SourceLocation]) {
        self.definition = definition
        self.locations = locations
        entityNames = definition.entities.map(\.name)
        resourceNames = definition.resources.map(\.name)
    }

    /// Returns all diagnostics.
    mutating func check() -> [DefinitionDiagnostic] {
        if definition.version != Definition.formatVersion {
            report(
                .unsupportedVersion, ["version"],
                "version \(definition.version) is not supported",
                "write `version: \(Definition.formatVersion)`")
        }
        checkAPI()
        checkNames(definition.resources.map(\.name), in: "resources")
        checkNames(definition.entities.map(\.name), in: "entities")
        for resource in definition.resources { check(resource) }
        checkParentCycles()
        for entity in definition.entities { check(entity) }
        checkUnusedEntities()
        return diagnostics
    }

    /// Records a diagnostic in the setting at a path.
    mutating func report(
        _ code: DefinitionDiagnostic.Code, _ keys: [String], _ problem: String, _ advice: String
    ) {
        let path = DocumentPath(keys.map { .key($0) })
        diagnostics.append(
            DefinitionDiagnostic(
                code, at: locations.innermost(around: path), path: path, problem: problem,
                advice: advice))
    }

    /// Records that a setting has no effect.
    mutating func reportNoEffect(_ keys: [String], _ reason: String, _ advice: String = "remove it")
    {
        report(.noEffect, keys, "`\(keys.last ?? "")` has no effect \(reason)", advice)
    }

    /// Records that a name does not refer to anything.
    mutating func reportUndefined(
        _ name: String, _ what: String, _ keys: [String], _ names: [String]
    ) {
        let suggestions = Spelling.suggestions(for: name, among: names)
        report(
            .undefinedName, keys, "\(what) `\(name)` is not defined",
            suggestions.isEmpty
                ? names.isEmpty
                    ? "define it" : "write \(Spelling.alternatives(names)), or define it"
                : "write \(Spelling.alternatives(suggestions))")
    }

    private mutating func checkNames(_ names: [String], in section: String) {
        var known: [String: String] = [:]
        for name in names {
            let isReserved =
                name.lowercased().hasPrefix("restkit_") || name.lowercased().hasPrefix("sqlite_")
            if isReserved || name == "cursor" && section == "resources" {
                report(
                    .invalidValue, [section, name], "the name `\(name)` is reserved",
                    "write another name")
            }
            if let other = known.updateValue(name, forKey: name.lowercased()) {
                report(
                    .duplicateName, [section, name],
                    other == name
                        ? "`\(name)` is defined twice"
                        : "`\(other)` and `\(name)` differ in case only",
                    "rename one of them")
            }
        }
    }

    /// Reports entities that no record can have.
    private mutating func checkUnusedEntities() {
        var used: Set<String> = []
        for resource in definition.resources {
            used.formUnion(resource.entity.names)
            for included in resource.records.included { used.formUnion(included.entity.names) }
        }
        // A relation counts only if rows of its own entity can exist.
        var waiting = definition.entities.filter { used.contains($0.name) }
        while let entity = waiting.popLast() {
            for relation in entity.relations where used.insert(relation.entity).inserted {
                if let destination = definition.entity(named: relation.entity) {
                    waiting.append(destination)
                }
            }
        }
        for name in entityNames where !used.contains(name) {
            reportNoEffect(
                ["entities", name], "because no resource and no relation has its rows",
                "write `entity: \(name)` in a resource, or remove the entity")
        }
    }
}
