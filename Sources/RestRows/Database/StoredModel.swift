// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The description of a model in a database file, as JSON in the column `model` of `restkit_store`.
///
/// It contains what determines the tables and the meaning of their values. Defaults, validation and
/// delete rules are left out, as they can change without the file.
struct StoredModel: Codable, Sendable {
    struct Entity: Codable, Sendable {
        var name: String
        var superentity: String?
        /// The properties that the entity declares, without inherited ones.
        var attributes: [Attribute]
        var relationships: [Relationship]
    }

    struct Attribute: Codable, Sendable {
        var name: String
        var type: String
        var isOptional: Bool
        var isIdentity: Bool
        var isIndexed: Bool
        var isSearchable: Bool
    }

    struct Relationship: Codable, Sendable {
        var name: String
        var destination: String
        var inverse: String?
        var isToMany: Bool
        var isOrdered: Bool
        var isOptional: Bool
        /// The column or join table that stores the relationship, such as `Terminal.airport` or
        /// `Terminal_airlines`.
        var storage: String
    }

    var entities: [Entity]

    /// Creates a description, sorted by name, so that the order of declarations does not matter.
    init(_ model: ManagedObjectModel) {
        entities = model.layouts.map { Self.entity($0, in: model) }.sorted { $0.name < $1.name }
    }

    private static func entity(_ layout: EntityLayout, in model: ManagedObjectModel) -> Entity {
        Entity(
            name: layout.name, superentity: layout.superentity.map { model.layouts[$0].name },
            attributes: layout.description.attributes.map { attribute in
                Attribute(
                    name: attribute.name, type: attribute.type.description,
                    isOptional: attribute.isOptional, isIdentity: attribute.isIdentity,
                    isIndexed: attribute.isIndexed,
                    isSearchable: attribute.isSearchable)
            }.sorted { $0.name < $1.name },
            relationships: layout.relationships.suffix(layout.description.relationships.count)
                .map { relationship($0, of: layout, in: model) }.sorted { $0.name < $1.name })
    }

    private static func relationship(
        _ relationship: RelationshipLayout, of layout: EntityLayout, in model: ManagedObjectModel
    ) -> Relationship {
        let destination = model.layouts[relationship.destination]
        let storage =
            switch relationship.storage {
            case .column(let column): "\(layout.table.name).\(layout.columns[column].name)"
            case .inverseColumn(let column, _):
                "\(destination.table.name).\(destination.columns[column].name)"
            case .link(let index, _): model.links[index].table
            }
        return Relationship(
            name: relationship.name, destination: destination.name,
            inverse: relationship.inverse.map { destination.relationships[$0].name },
            isToMany: relationship.isToMany, isOrdered: relationship.isOrdered,
            isOptional: relationship.isOptional, storage: storage)
    }

    // MARK: JSON

    /// Creates a description from the JSON in a file.
    init(json: String) throws(PersistenceError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
        } catch {
            throw PersistenceError(
                .corrupt, details: ["the model in restkit_store cannot be read"], underlying: error)
        }
    }

    /// The description as JSON, one property a line.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    // MARK: Differences

    /// A description of each entity and property by name.
    var facts: SchemaDescription {
        var facts = SchemaDescription()
        for entity in entities {
            let owner = "entity \(entity.name)"
            facts.add(
                owner, entity.superentity.map { "derived from \($0)" } ?? "without super-entity")
            for attribute in entity.attributes {
                facts.add(
                    "attribute \(entity.name).\(attribute.name)", of: owner,
                    attribute.description)
            }
            for relationship in entity.relationships {
                facts.add(
                    "relationship \(entity.name).\(relationship.name)", of: owner,
                    relationship.description)
            }
        }
        return facts
    }
}

extension StoredModel.Attribute {
    fileprivate var description: String {
        (isOptional ? "optional " : "") + type + (isIdentity ? ", identity" : "")
            + (isIndexed ? ", indexed" : "") + (isSearchable ? ", searchable" : "")
    }
}

extension StoredModel.Relationship {
    fileprivate var description: String {
        (isOptional || isToMany ? "" : "required ") + (isOrdered ? "ordered " : "")
            + (isToMany ? "to-many " : "to-one ")
            + destination + (inverse.map { ", inverse \($0)" } ?? "") + ", stored in \(storage)"
    }
}
