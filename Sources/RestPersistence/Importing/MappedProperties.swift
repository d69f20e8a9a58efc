// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// The properties that a mapping maps, by entity.
struct MappedProperties {
    /// The names of the relationships.
    private var names: [String: Set<String>] = [:]
    /// The names of the attributes.
    private var attributes: [String: Set<String>] = [:]

    init(_ mapping: Mapping, in model: ManagedObjectModel) {
        var pending = Self.objectMappings(of: mapping)
        while let mapping = pending.popLast() {
            attributes[mapping.table.name, default: []].formUnion(
                mapping.attributes.map(\.destination))
            for relationship in mapping.relationships {
                names[mapping.table.name, default: []].insert(relationship.destination)
                if let related = relationship.mapping {
                    pending += Self.objectMappings(of: related)
                } else {
                    addDefaults(of: relationship.destination, of: mapping.table.name, in: model)
                }
            }
        }
    }

    /// Returns a Boolean value that indicates whether a relationship is mapped for an entity, or for
    /// one that it inherits from or that inherits from it.
    func contains(
        _ relationship: String, of layout: EntityLayout, in model: ManagedObjectModel
    ) -> Bool {
        Self.contains(relationship, of: layout, among: names, in: model)
    }

    /// Returns a Boolean value that indicates whether an attribute is mapped for an entity, or for one that
    /// it inherits from or that inherits from it.
    func contains(
        attribute: String, of layout: EntityLayout, in model: ManagedObjectModel
    ) -> Bool {
        Self.contains(attribute, of: layout, among: attributes, in: model)
    }

    private static func contains(
        _ property: String, of layout: EntityLayout, among names: [String: Set<String>],
        in model: ManagedObjectModel
    ) -> Bool {
        names.contains { name, properties in
            guard properties.contains(property), let index = model.index(of: name) else {
                return false
            }
            return layout.includes(index) || model.layouts[index].includes(layout.index)
        }
    }

    /// Returns the names of entities, and of those that mapped relationships lead to from them.
    func entities(
        reachableFrom entities: Set<String>, in model: ManagedObjectModel
    ) -> Set<String> {
        var reached: Set<String> = []
        var pending = Array(entities)
        while let name = pending.popLast() {
            guard let index = model.index(of: name), reached.insert(name).inserted else { continue }
            let layout = model.layouts[index]
            for relationship in layout.relationships
            where contains(relationship.name, of: layout, in: model) {
                let destination = model.layouts[relationship.destination]
                pending += destination.subentities.map { model.layouts[$0].name }
            }
        }
        return reached
    }

    private static func objectMappings(of mapping: Mapping) -> [ObjectMapping] {
        switch mapping {
        case .object(let mapping): [mapping]
        case .dynamic(let mapping): mapping.possibleMappings
        case .codable: []
        }
    }

    /// Adds the destination of a relationship without a mapping, whose default mapping maps all
    /// properties.
    private mutating func addDefaults(
        of relationship: String, of entity: String, in model: ManagedObjectModel
    ) {
        guard let index = model.index(of: entity),
            let found = model.layouts[index].relationships.first(where: { $0.name == relationship })
        else { return }
        var pending = [found.destination]
        while let index = pending.popLast() {
            let layout = model.layouts[index]
            attributes[layout.name, default: []].formUnion(
                layout.attributeColumns.map { layout.columns[$0].name })
            let all = Set(layout.relationships.map(\.name))
            guard names[layout.name] != all, !all.isEmpty else { continue }
            names[layout.name] = all
            pending += layout.relationships.map(\.destination)
        }
    }
}
