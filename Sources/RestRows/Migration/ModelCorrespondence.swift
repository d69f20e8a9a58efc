// SPDX-License-Identifier: Apache-2.0

/// The entities and properties of an old model that those of a new one continue.
///
/// An entity or property continues the one with the same name, or else the first of its former names
/// that the old model has and the new one no longer has.
struct ModelCorrespondence {
    let old: ManagedObjectModel
    let new: ManagedObjectModel
    /// The index of the old entity, by new entity.
    private(set) var sources: [Int?]
    /// The index of the new entity, by old entity.
    private(set) var destinations: [Int?]

    init(old: ManagedObjectModel, new: ManagedObjectModel) {
        self.old = old
        self.new = new
        sources = new.layouts.map { old.index(of: $0.name) }
        destinations = old.layouts.map { new.index(of: $0.name) }
        for (index, layout) in new.layouts.enumerated() where sources[index] == nil {
            for name in layout.description.formerNames {
                guard let source = old.index(of: name), destinations[source] == nil else {
                    continue
                }
                sources[index] = source
                destinations[source] = index
                break
            }
        }
    }

    /// Returns the old entity that a new one continues; `nil` for an added entity.
    func source(of layout: EntityLayout) -> EntityLayout? {
        sources[layout.index].map { old.layouts[$0] }
    }

    /// Returns the name of the property of an old entity that a property continues.
    func source(
        of name: String, _ formerNames: [String], _ layout: EntityLayout, in old: EntityLayout
    ) -> String? {
        if old.propertyIndices[name] != nil { return name }
        return formerNames.first {
            old.propertyIndices[$0] != nil && layout.propertyIndices[$0] == nil
        }
    }

    /// Returns the old attribute that an attribute continues.
    func source(
        of attribute: AttributeDescription, _ layout: EntityLayout, in old: EntityLayout
    ) -> AttributeDescription? {
        guard let name = source(of: attribute.name, attribute.formerNames, layout, in: old) else {
            return nil
        }
        return old.attributes(in: self.old).first { $0.name == name }
    }

    /// Returns the old relationship that a relationship continues.
    func source(
        of relationship: RelationshipDescription, _ layout: EntityLayout, in old: EntityLayout
    ) -> RelationshipLayout? {
        let name = source(of: relationship.name, relationship.formerNames, layout, in: old)
        guard let name, case .relationship(let index) = old.propertyIndices[name] else {
            return nil
        }
        return old.relationships[index]
    }
}

extension EntityLayout {
    /// The super-entities, the topmost first, followed by the entity itself.
    func lineage(in model: ManagedObjectModel) -> [EntityLayout] {
        (superentity.map { model.layouts[$0].lineage(in: model) } ?? []) + [self]
    }

    /// Returns the descriptions of all attributes, inherited ones first.
    package func attributes(in model: ManagedObjectModel) -> [AttributeDescription] {
        lineage(in: model).flatMap(\.description.attributes)
    }

    /// Returns the descriptions of all relationships, in the order of ``relationships``.
    func relationshipDescriptions(in model: ManagedObjectModel) -> [RelationshipDescription] {
        lineage(in: model).flatMap(\.description.relationships)
    }

    /// Returns a property as its declaring entity and name, such as `Person.name`.
    func path(of name: String, in model: ManagedObjectModel) -> String {
        let owner = lineage(in: model).first { $0.description.propertyNames.contains(name) }
        return "\(owner?.name ?? self.name).\(name)"
    }

    /// The condition that a row of the table, under an alias, is of this entity and not of a
    /// sub-entity.
    func condition(_ alias: String) -> String? {
        guard table.entityColumn != nil else { return nil }
        return "\(alias).\(Self.entityColumn) = \(SQLIdentifier.literal(name))"
    }
}
