// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import Testing

/// The entities without classes that the specification's tests of persistence are about.
enum HumanEntities {
    static let all = [
        human, parent, child, strictHuman, catHoarder, cat, hoardedCat, house, resident,
        EntityDescription(
            "Storm", attributes: [text("name")],
            relationships: [.toMany("clouds", "Cloud", inverse: "storm")]),
        EntityDescription(
            "Cloud", attributes: [text("name")], relationships: [.toOne("storm", "Storm")]),
    ]

    static let human = EntityDescription(
        "Human",
        attributes: [
            number("age", default: 0), date("birthday"), json("catIDs"), date("createdAt"),
            number("favoriteCatID", default: 0), json("favoriteColors"),
            number("houseID", default: 0),
            AttributeDescription("isHappy", .boolean, isOptional: true),
            AttributeDescription("likesDogs", .boolean, default: .integer(1)),
            AttributeDescription("name", .text, isOptional: true, maximumLength: 25),
            text("nickName"), number("railsID"), text("sex"), date("updatedAt"),
        ],
        relationships: [
            .toMany("cats", "Cat", inverse: "human"),
            .toMany(
                "catsInOrderByAge", "Cat", inverse: "inverseOfOrderByAge", isOrdered: true),
            .toOne("favoriteCat", "Cat", inverse: "favoriteOfHumans"),
            .toMany("friends", "Human", inverse: "friends"),
            .toMany(
                "friendsInTheOrderWeMet", "Human", inverse: "friendsInTheOrderWeMet",
                isOrdered: true),
            .toOne("house", "House", inverse: "owner"),
            .toMany("housesResidedAt", "House", inverse: "pastResidents", isOrdered: true),
            .toOne("landlord", "Human", inverse: "tenants"),
            .toMany("tenants", "Human", inverse: "landlord"),
            .toOne("residence", "House", inverse: "occupants"),
            .toMany("roommates", "Resident", inverse: "roomatesOf"),
        ])

    static let parent = EntityDescription(
        "Parent", inheriting: "Human", attributes: [number("parentID", default: 0)],
        relationships: [
            .toMany("children", "Child", inverse: "parents"),
            .toMany("fatheredChildren", "Child", inverse: "father"),
            .toMany("motheredChildren", "Child", inverse: "mother"),
        ])

    static let child = EntityDescription(
        "Child", inheriting: "Human",
        attributes: [
            number("childID", default: 0), number("fatherID", default: 0),
            number("motherID", default: 0), json("friendIDs"),
        ],
        relationships: [
            .toOne("father", "Parent", inverse: "fatheredChildren"),
            .toOne("mother", "Parent", inverse: "motheredChildren"),
            .toMany("parents", "Parent", inverse: "children"),
        ])

    static let strictHuman = EntityDescription(
        "StrictHuman", inheriting: "Human", attributes: [],
        relationships: [.toOne("requiredCat", "Cat", inverse: "strictHuman", isOptional: false)])

    static let catHoarder = EntityDescription(
        "CatHoarder", inheriting: "Human", attributes: [],
        relationships: [.toMany("hoardedCats", "HoardedCat", inverse: "catHoarder")])

    static let cat = EntityDescription(
        "Cat",
        attributes: [
            number("age", default: 0), number("birthYear", default: 0),
            number("humanId", default: 0), number("railsID"), text("color"),
            text("nickName"), text("sex"),
            AttributeDescription(
                "name", .text, isOptional: true, default: .text("Kitty Cat!")),
            date("createdAt"), date("updatedAt"),
        ],
        relationships: [
            .toOne("human", "Human", inverse: "cats"),
            .toMany("favoriteOfHumans", "Human", inverse: "favoriteCat"),
            .toOne("inverseOfOrderByAge", "Human", inverse: "catsInOrderByAge"),
            .toOne("strictHuman", "StrictHuman", inverse: "requiredCat"),
        ])

    static let hoardedCat = EntityDescription(
        "HoardedCat", inheriting: "Cat", attributes: [],
        relationships: [
            .toOne("catHoarder", "CatHoarder", inverse: "hoardedCats", isOptional: false)
        ])

    static let house = EntityDescription(
        "House", attributes: [text("city"), number("railsID", default: 0)],
        relationships: [
            .toOne("owner", "Human", inverse: "house"),
            .toMany("occupants", "Human", inverse: "residence"),
            .toMany("residents", "Resident", inverse: "house"),
            .toMany("pastResidents", "Human", inverse: "housesResidedAt"),
        ])

    static let resident = EntityDescription(
        "Resident", attributes: [number("railsID", default: 0)],
        relationships: [
            .toOne("house", "House", inverse: "residents"),
            .toOne("roomatesOf", "Human", inverse: "roommates"),
        ])

    private static func number(
        _ name: String, default value: Int64? = nil
    ) -> AttributeDescription {
        AttributeDescription(
            name, .integer, isOptional: true, default: value.map { .integer($0) } ?? .null)
    }

    private static func text(_ name: String) -> AttributeDescription {
        AttributeDescription(name, .text, isOptional: true)
    }

    private static func date(_ name: String) -> AttributeDescription {
        AttributeDescription(name, .date, isOptional: true)
    }

    private static func json(_ name: String) -> AttributeDescription {
        AttributeDescription(name, .json, isOptional: true)
    }
}

extension TemporaryStore {
    /// Opens a store of humans, cats and houses.
    func openHumans() async throws -> ManagedObjectStore { try await open(HumanEntities.all) }
}

extension ManagedObjectStore {
    /// Returns an empty mapping of an entity.
    func mapping(_ entity: String) throws -> ObjectMapping {
        ObjectMapping(table: try #require(model.properties(of: entity)))
    }
}

extension ManagedObjectContext {
    /// Inserts an object with attributes.
    @discardableResult
    func insert(
        _ entity: String, _ values: KeyValuePairs<String, any AttributeValue>
    ) throws -> ManagedObject {
        let object = try insert(entity: entity)
        for (name, value) in values { try object.set(value, name) }
        return object
    }

    /// Imports a document and returns its objects.
    @discardableResult
    func objects(
        from text: String, by mapping: some MappingConvertible,
        identification: [String: [String]] = [:], rules: [String: EntityRules] = [:]
    ) throws -> [ManagedObject] {
        var rules = rules
        for (entity, names) in identification {
            rules[entity, default: EntityRules()].identification = names
        }
        let plan = try EntityMappingPlan(EntityMapping(mapping, rules: rules), in: model)
        let result = try importObjects(from: try Document(parsing: text).root, by: plan)
        return try result.objectIDs.map { try object(with: $0) }
    }
}

extension ManagedObject {
    fileprivate func set(_ value: some AttributeValue, _ name: String) throws {
        try setValue(value, name)
    }

    /// The name of the object; all entities of humans have one.
    var givenName: String? {
        get throws { try value("name", as: String?.self) }
    }

    /// Returns the names of the destinations of a relationship.
    func titles(_ relationship: String) throws -> [String?] {
        try related(relationship).map { try $0.givenName }
    }
}
