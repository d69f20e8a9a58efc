// SPDX-License-Identifier: Apache-2.0

extension StoredModel {
    /// Creates the model that a file describes, without defaults, validation and delete rules.
    ///
    /// - Throws: ``PersistenceError`` with code `corrupt` if the description is not that of a model.
    func model() throws(PersistenceError) -> ManagedObjectModel {
        var descriptions: [EntityDescription] = []
        for entity in entities {
            var attributes: [AttributeDescription] = []
            for attribute in entity.attributes {
                guard let kind = AttributeType.Kind(rawValue: attribute.type) else {
                    throw Self.unusable(
                        "attribute \(entity.name).\(attribute.name) has the unknown type "
                            + attribute.type)
                }
                attributes.append(
                    AttributeDescription(
                        attribute.name, AttributeType(kind: kind),
                        isOptional: attribute.isOptional, isIdentity: attribute.isIdentity,
                        isIndexed: attribute.isIndexed,
                        isSearchable: attribute.isSearchable))
            }
            let relationships = entity.relationships.map { relationship in
                RelationshipDescription(
                    relationship.name, isToMany: relationship.isToMany,
                    destination: .name(relationship.destination),
                    inverse: relationship.inverse, sourceKey: nil,
                    isOptional: relationship.isOptional, isOrdered: relationship.isOrdered)
            }
            descriptions.append(
                EntityDescription(
                    entity.name, inheriting: entity.superentity, attributes: attributes,
                    relationships: relationships))
        }
        let model: ManagedObjectModel
        do {
            model = try ManagedObjectModel(descriptions)
        } catch {
            throw Self.unusable(error.details.joined(separator: "; "))
        }
        let differences = SchemaDescription.differences(
            file: facts, model: StoredModel(model).facts)
        guard differences.isEmpty else {
            throw Self.unusable(differences.joined(separator: "; "))
        }
        return model
    }

    private static func unusable(_ reason: String) -> PersistenceError {
        PersistenceError(
            .corrupt, details: ["the model in restkit_store cannot be used: \(reason)"])
    }
}
