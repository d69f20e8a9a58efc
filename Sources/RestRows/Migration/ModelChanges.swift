// SPDX-License-Identifier: Apache-2.0

/// The differences between two models, one line each.
struct ModelChanges {
    private(set) var lines: [String] = []
    private let models: ModelCorrespondence

    init(_ models: ModelCorrespondence) {
        self.models = models
        for layout in models.new.layouts {
            if let source = models.source(of: layout) {
                compare(layout, source)
            } else {
                lines.append("add entity \(layout.name)")
            }
        }
        for layout in models.old.layouts where models.destinations[layout.index] == nil {
            lines.append("remove entity \(layout.name)")
        }
        // An inherited property moves with its super-entity.
        if lines.isEmpty {
            lines = SchemaDescription.differences(
                file: StoredModel(models.old).facts, model: StoredModel(models.new).facts)
        }
    }

    private mutating func compare(_ layout: EntityLayout, _ source: EntityLayout) {
        if layout.name != source.name {
            lines.append("rename entity \(source.name) to \(layout.name)")
        }
        compareSuperentities(layout, source)
        var continued: Set<String> = []
        for attribute in layout.description.attributes {
            let known = models.source(of: attribute, layout, in: source)
            if let known { continued.insert(known.name) }
            compare(
                "attribute", attribute.name, of: layout,
                known.map { ($0.name, Self.description($0)) }, Self.description(attribute))
        }
        for relationship in layout.description.relationships {
            let known = models.source(of: relationship, layout, in: source)
            if let known { continued.insert(known.name) }
            guard case .relationship(let index)? = layout.propertyIndices[relationship.name] else {
                continue
            }
            compare(
                "relationship", relationship.name, of: layout,
                known.map { ($0.name, Self.description($0, in: models.old)) },
                Self.description(layout.relationships[index], in: models.new))
        }
        let inherited = Set(
            layout.lineage(in: models.new).dropLast().flatMap(\.description.propertyNames))
        for name in source.description.propertyNames
        where !continued.contains(name) && !inherited.contains(name) {
            let isAttribute = source.description.attributes.contains { $0.name == name }
            lines.append(
                "remove \(isAttribute ? "attribute" : "relationship") \(source.name).\(name)")
        }
    }

    private mutating func compareSuperentities(_ layout: EntityLayout, _ source: EntityLayout) {
        let old = source.superentity.flatMap { models.destinations[$0] }
        if old == layout.superentity, (source.superentity == nil) == (layout.superentity == nil) {
            return
        }
        lines.append(
            layout.superentity.map {
                "derive entity \(layout.name) from \(models.new.layouts[$0].name)"
            } ?? "separate entity \(layout.name) from its super-entity")
    }

    private mutating func compare(
        _ kind: String, _ name: String, of layout: EntityLayout,
        _ old: (name: String, description: String)?, _ new: String
    ) {
        let path = "\(layout.name).\(name)"
        guard let old else {
            lines.append("add \(kind) \(path), \(new)")
            return
        }
        if old.name != name {
            lines.append("rename \(kind) \(layout.name).\(old.name) to \(name)")
        }
        if old.description != new {
            lines.append("change \(kind) \(path) from \(old.description) to \(new)")
        }
    }

    private static func description(_ attribute: AttributeDescription) -> String {
        (attribute.isOptional ? "optional " : "") + attribute.type.description
            + (attribute.isIdentity ? ", identity" : "") + (attribute.isIndexed ? ", indexed" : "")
            + (attribute.isSearchable ? ", searchable" : "")
    }

    private static func description(
        _ relationship: RelationshipLayout, in model: ManagedObjectModel
    ) -> String {
        let destination = model.layouts[relationship.destination]
        let inverse = relationship.inverse.map { destination.relationships[$0].name }
        let isRequired = !relationship.isOptional && !relationship.isToMany
        return (isRequired ? "required " : "") + (relationship.isOrdered ? "ordered " : "")
            + (relationship.isToMany ? "to-many " : "to-one ") + destination.name
            + (inverse.map { ", inverse \($0)" } ?? "")
    }
}
