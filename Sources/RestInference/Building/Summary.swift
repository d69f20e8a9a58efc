// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// A summary of an inferred definition in five lines.
struct Summary {
    let lines: [String]

    init(_ definition: Definition, _ model: EntityModel, _ findings: [PagingObserver.Finding]) {
        let groups = model.groups.filter { definition.entity(named: $0.name) != nil }
        let entities = groups.map { group in
            let identity =
                group.identity.isEmpty ? "no identity" : group.identity.joined(separator: " and ")
            return "\(group.name) (\(group.objects.count), \(identity))"
        }
        let relations = definition.entities.flatMap { entity in
            entity.relations.map {
                "\(entity.name).\($0.name) → \($0.isToMany ? "many " : "")\($0.entity)"
            }
        }
        let records = definition.resources.map { resource in
            let path = resource.records.path?.description ?? ""
            return "\(resource.name) at \(path.isEmpty ? "the root" : path)"
        }
        var types: [AttributeDefinition.ValueType: Int] = [:]
        for attribute in definition.entities.flatMap(\.attributes) {
            types[attribute.type, default: 0] += 1
        }
        let columns = types.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
            .map { "\($0.value) \($0.key.rawValue)" }
        var pages: [String] = []
        for finding in findings where !pages.contains(finding.text) { pages.append(finding.text) }
        lines = [
            Self.line("Entities", entities), Self.line("Relations", relations),
            Self.line("Records", records), Self.line("Pages", pages), Self.line("Columns", columns),
        ]
    }

    /// Returns a line with the first elements of a list.
    private static func line(_ title: String, _ elements: [String]) -> String {
        guard !elements.isEmpty else { return "\(title): none" }
        var line = "\(title): "
        for (index, element) in elements.enumerated() {
            if index > 0, line.count + element.count > 150 {
                return line + ", and \(elements.count - index) more"
            }
            line += index > 0 ? ", " + element : element
        }
        return line
    }
}
