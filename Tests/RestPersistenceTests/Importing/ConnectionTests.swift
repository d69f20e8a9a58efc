// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Relationships that are connected by the values of attributes, or along paths.
@Suite struct ConnectionTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Imports a human with a connection, after a closure has inserted other objects.
    ///
    /// - Returns: The names of the destinations.
    private func connect(
        _ connection: Connection, entity: String = "Human", from text: String,
        isSaved: Bool = false,
        prepare: @Sendable (ManagedObjectContext) throws -> Void
    ) async throws -> [String?] {
        let store = try await files.openHumans()
        let mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: entity)))
        return try await store.perform { context in
            try prepare(context)
            if isSaved { try context.save() }
            let objects = try context.objects(
                from: text, by: mapping, identification: [entity: ["railsID"]],
                rules: [entity: EntityRules(connections: [connection])])
            let titles = try objects[0].titles(connection.relationship)
            try context.save()
            context.refreshAllObjects()
            #expect(try objects[0].titles(connection.relationship) == titles)
            return titles
        }
    }

    @Test(
        .parity("P101", "P102", "P103"),
        arguments: [
            (Connection("cats", by: [:]), "connection of Human.cats has no attributes"),
            (Connection("cats", by: ["invalidID": "age"]), "Human.invalidID is not an attribute"),
            (Connection("cats", by: ["age": "invalid"]), "Cat.invalid is not an attribute"),
            (Connection("dogs", by: ["age": "age"]), "Human.dogs is not a relationship"),
            (Connection("cats", along: "house"), "path house of Human does not lead to Cat"),
            (Connection("cats", along: "house.cats"), "House.cats is not a relationship"),
        ] as [(Connection, String)])
    func refusesUnknownProperties(connection: Connection, message: String) throws {
        let model = try ManagedObjectModel(HumanEntities.all)
        let mapping = EntityMapping(
            ObjectMapping(table: try #require(model.properties(of: "Human"))),
            rules: ["Human": EntityRules(connections: [connection])])
        let error = #expect(throws: PersistenceError.self) {
            try EntityMappingPlan(mapping, in: model)
        }
        #expect(error?.code == .invalidMapping)
        #expect(error?.details == [message])
    }

    @Test(.parity("P109", "P125", "P127"), arguments: [false, true])
    func connectsToOneRelationship(isSaved: Bool) async throws {
        let names = try await connect(
            Connection("favoriteCat", by: ["favoriteCatID": "railsID"]),
            from: #"{"railsID": 1, "name": "Blake", "favoriteCatID": 31337}"#, isSaved: isSaved
        ) { context in
            try context.insert("Cat", ["railsID": 31337, "name": "Asia"])
            try context.insert("Cat", ["railsID": 31338, "name": "Roy"])
        }
        #expect(names == ["Asia"])
    }

    @Test(.parity("P110", "P111"), arguments: [("female", ["Asia", "Lola"]), ("invalid", [])])
    func connectsToManyRelationship(sex: String, expected: [String]) async throws {
        let names = try await connect(
            Connection("cats", by: ["sex": "sex"]), from: #"{"railsID": 1, "sex": "\#(sex)"}"#,
            isSaved: true
        ) { context in
            let human = try context.insert("Human", ["railsID": 1])
            let cats = try [("Asia", "female"), ("Lola", "female"), ("Roy", "male")].map {
                try context.insert("Cat", ["name": $0.0, "sex": $0.1])
            }
            try human.setRelated("cats", cats)
        }
        #expect(names.compactMap(\.self).sorted() == expected)
    }

    @Test(.parity("P119", "P120", "K035")) func predicatesRestrictBothEnds() async throws {
        var male = Connection("cats", by: ["sex": "sex"])
        male.sourcePredicate = .attribute("sex", .equal, "male")
        let cats: @Sendable (ManagedObjectContext) throws -> Void = { context in
            let human = try context.insert("Human", ["railsID": 1])
            let cats = try [2011, 2012].map {
                try context.insert(
                    "Cat", ["name": String($0), "sex": "female", "birthYear": $0])
            }
            try human.setRelated("cats", cats)
        }
        let text = #"{"railsID": 1, "sex": "female"}"#
        #expect(try await connect(male, from: text, prepare: cats).isEmpty)
        var young = Connection("cats", by: ["sex": "sex"])
        young.destinationPredicate = .attribute("birthYear", .equal, 2011)
        let other = try ConnectionTests()
        #expect(try await other.connect(young, from: text, prepare: cats) == ["2011"])
    }

    @Test(
        .parity("P121", "P122", "P123"),
        arguments: [
            (["sex": "sex"], #"{"railsID": 1}"#, ["Roy"]),
            (["sex": "sex", "name": "name"], #"{"railsID": 1}"#, ["Roy"]),
            (["sex": "sex", "name": "name"], #"{"railsID": 1, "sex": "female"}"#, [nil]),
        ] as [(KeyValuePairs<String, String>, String, [String?])])
    func nullMatchesOnlyBesideValue(
        pairs: KeyValuePairs<String, String>, text: String, expected: [String?]
    ) async throws {
        let names = try await connect(Connection("cats", by: pairs), from: text) { context in
            let human = try context.insert("Human", ["railsID": 1])
            let roy = try context.insert("Cat", ["name": "Roy"])
            try human.setRelated("cats", [roy])
            try context.insert("Cat", ["name": "Asia", "sex": "female"])
            try context.insert("Cat", ["name": String?.none, "sex": "female"])
        }
        #expect(names == expected)
    }

    @Test(.parity("P128", "P129", "K034"), arguments: [false, true])
    func matchesAnyElementOfList(isSaved: Bool) async throws {
        let names = try await connect(
            Connection("cats", by: ["catIDs": "railsID"]),
            from: #"{"railsID": 1, "catIDs": [31337, 31338]}"#, isSaved: isSaved
        ) { context in
            for (id, name) in [(31337, "Asia"), (31338, "Reginald"), (31339, "Roy")] {
                try context.insert("Cat", ["railsID": id, "name": name])
            }
        }
        #expect(Set(names) == ["Asia", "Reginald"])
    }

    @Test(.parity("P126", "P130"), arguments: [false, true])
    func connectsInverseDirection(isSaved: Bool) async throws {
        let names = try await connect(
            Connection("favoriteOfHumans", by: ["railsID": "favoriteCatID"]), entity: "Cat",
            from: #"{"railsID": 31340, "name": "Asia"}"#, isSaved: isSaved
        ) { context in
            for name in ["Blake", "Jeff"] {
                try context.insert("Human", ["name": name, "favoriteCatID": 31340])
            }
        }
        #expect(Set(names) == ["Blake", "Jeff"])
        let other = try ConnectionTests()
        let human = try await other.connect(
            Connection("human", by: ["humanId": "railsID"]), entity: "Cat",
            from: #"{"railsID": 2, "humanId": 31337}"#, isSaved: isSaved
        ) { context in
            try context.insert("Human", ["name": "Blake", "railsID": 31337])
        }
        #expect(human == ["Blake"])
    }

    @Test(.parity("P117", "P118", "K033"), arguments: [true, false])
    func includesSubentities(includes: Bool) async throws {
        var connection = Connection("friends", by: ["friendIDs": "railsID"])
        connection.includesSubentities = includes
        let names = try await connect(
            connection, entity: "Child", from: #"{"railsID": 1, "friendIDs": [12345]}"#
        ) { context in
            try context.insert("Human", ["railsID": 12345, "name": "plain"])
            try context.insert("Child", ["railsID": 12345, "name": "child"])
        }
        #expect(Set(names) == (includes ? ["plain", "child"] : ["plain"]))
    }

    @Test(.parity("P112")) func followsPathOfToOneRelationships() async throws {
        let names = try await connect(
            Connection("landlord", along: "residence.owner"), from: #"{"railsID": 1}"#
        ) { context in
            let tenant = try context.insert("Human", ["railsID": 1, "name": "tenant"])
            let owner = try context.insert("Human", ["name": "owner"])
            let house = try context.insert("House", ["city": "Oslo"])
            try house.setRelated("owner", [owner])
            try tenant.setRelated("residence", [house])
        }
        #expect(names == ["owner"])
    }

    @Test(
        .parity("P114", "P115", "P116"), arguments: ["friends", "friendsInTheOrderWeMet"], [2, 0])
    func flattensPathThroughToManyRelationships(
        relationship: String, houseCount: Int
    ) async throws {
        let names = try await connect(
            Connection(relationship, along: "housesResidedAt.pastResidents"),
            from: #"{"railsID": 1}"#
        ) { context in
            let human = try context.insert("Human", ["railsID": 1, "name": "self"])
            let houses = try (0..<houseCount).map { house in
                let owners = try (0..<2).map {
                    try context.insert("Human", ["name": "\(house)\($0)"])
                }
                let house = try context.insert("House", ["city": "Oslo"])
                try house.setRelated("pastResidents", owners)
                return house
            }
            try human.setRelated("housesResidedAt", houses)
        }
        #expect(
            names.filter { $0 != "self" } == (houseCount == 0 ? [] : ["00", "01", "10", "11"]))
    }

    @Test(.parity("P131", "P134"), arguments: [false, true])
    func connectsObjectsOfSameDocument(childrenFirst: Bool) async throws {
        let store = try await files.openHumans()
        var child = try store.mapping("Child")
        child.add(["fatherID": "fatherID", "name": "name"])
        var parent = try store.mapping("Parent")
        parent.add(["parentID": "parentID", "name": "name"])
        let people = DynamicMapping([
            MappingMatcher(mapping: child) { $0["fatherID"] != nil },
            MappingMatcher(mapping: parent) { $0["parentID"] != nil },
        ])
        let children = #"{"fatherID": 1, "name": "Maya"}, {"fatherID": 2, "name": "Roy"}"#
        let parents = #"{"parentID": 1, "name": "Win"}"#
        let text = childrenFirst ? "[\(children), \(parents)]" : "[\(parents), \(children)]"
        let rules = [
            "Child": EntityRules(
                connections: [Connection("father", by: ["fatherID": "parentID"])])
        ]
        try await store.perform { context in
            defer { context.rollback() }
            try context.objects(
                from: text, by: people, identification: ["Parent": ["parentID"]], rules: rules)
            let parent = try #require(try context.fetch(FetchRequest("Parent")).first)
            #expect(try parent.titles("fatheredChildren") == ["Maya"])
            #expect(try parent.related("fatheredChildren")[0].related("father") == [parent])
            let orphan = try context.fetch(
                FetchRequest("Child", where: .attribute("name", .equal, "Roy")))
            #expect(try orphan[0].related("father").isEmpty)
        }
    }
}
