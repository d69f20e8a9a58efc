// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@testable import RestPersistence

/// The effect of a relationship's policy on the objects that it had before.
@Suite struct ReplacePolicyTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Imports a human that has cats, or a favorite cat, and returns the names of its cats and of all.
    private func load(
        _ text: String, into relationship: String, _ assignment: AssignmentPolicy,
        assignsNil: Bool = false, count: Int = 1
    ) async throws -> (own: [String?], all: [[String]]) {
        let store = try await files.openHumans()
        var cat = try store.mapping("Cat")
        cat.add("name", from: "name")
        var human = try store.mapping("Human")
        human.assignsNilForMissingRelationships = assignsNil
        human.add("name", from: "name")
        human.add(
            RelationshipMapping(
                SourcePath([.key(relationship)]), to: relationship, mapping: cat,
                assignment: assignment))
        let mapping = human
        let names = try await store.perform { context in
            let blake = try context.insert("Human", ["name": "Blake"])
            let lola = try context.insert("Cat", ["name": "Lola"])
            try blake.setRelated(relationship, [lola])
            try context.save()
            for _ in 0..<count {
                try context.objects(
                    from: text, by: mapping,
                    identification: ["Human": ["name"], "Cat": ["name"]])
                try context.save()
            }
            return try blake.titles(relationship)
        }
        return (names, try files.rows("SELECT name FROM Cat ORDER BY 1"))
    }

    private static let roy = #"{"name": "Blake", "cats": [{"name": "Roy"}]}"#
    private static let favorite = #"{"name": "Blake", "favoriteCat": {"name": "Roy"}}"#

    @Test(.parity("X023", "K030")) func replacesAndDeletesMembersOfList() async throws {
        let cats = try await load(Self.roy, into: "cats", .replace)
        #expect(cats.own == ["Roy"])
        #expect(cats.all == [["Roy"]])
    }

    @Test(.parity("X024")) func replacingTwiceKeepsNewMember() async throws {
        let cats = try await load(Self.roy, into: "cats", .replace, count: 2)
        #expect(cats.own == ["Roy"])
        #expect(cats.all == [["Roy"]])
    }

    @Test(
        .parity("X025", "K030"),
        arguments: [
            (favorite, false, ["Roy"], [["Roy"]]),
            (#"{"name": "Blake", "favoriteCat": null}"#, false, [], []),
            (#"{"name": "Blake"}"#, true, [], []),
            (#"{"name": "Blake"}"#, false, ["Lola"], [["Lola"]]),
        ] as [(String, Bool, [String], [[String]])])
    func replacesAndDeletesDestination(
        text: String, assignsNil: Bool, own: [String], all: [[String]]
    ) async throws {
        let cats = try await load(text, into: "favoriteCat", .replace, assignsNil: assignsNil)
        #expect(cats.own == own)
        #expect(cats.all == all)
    }

    @Test(
        .parity("K030"),
        arguments: [#"{"name": "Blake", "cats": null}"#, #"{"name": "Blake", "cats": []}"#])
    func replacingByNothingDeletesMembers(text: String) async throws {
        let cats = try await load(text, into: "cats", .replace)
        #expect(cats.own == [])
        #expect(cats.all == [])
    }

    /// The element that cannot be mapped may be any of the cats that the list lacks.
    @Test(arguments: ["5", #"{"name": {}}"#])
    func listWithDroppedElementReplacesNothing(element: String) async throws {
        let store = try await files.openHumans()
        var cat = try store.mapping("Cat")
        cat.policy = IssuePolicy(
            invalidValue: .failObject, invalidElement: .drop, invalidObject: .drop)
        cat.add("name", from: "name")
        var human = try store.mapping("Human")
        human.policy = .lenient
        human.add("name", from: "name")
        human.add(
            RelationshipMapping("cats", to: "cats", mapping: cat, assignment: .replace))
        let mapping = human
        let texts = [
            #"{"name": "Blake", "cats": [{"name": "Roy"}, \#(element)]}"#,
            #"{"name": "Blake", "cats": [{"name": "Roy"}]}"#,
        ]
        let own = try await store.perform { context in
            let blake = try context.insert("Human", ["name": "Blake"])
            try blake.setRelated("cats", [context.insert("Cat", ["name": "Lola"])])
            try context.save()
            return try texts.map { text in
                try context.objects(
                    from: text, by: mapping,
                    identification: ["Human": ["name"], "Cat": ["name"]])
                try context.save()
                return try blake.titles("cats").compactMap(\.self).sorted()
            }
        }
        #expect(own == [["Lola", "Roy"], ["Roy"]])
        #expect(try files.rows("SELECT name FROM Cat ORDER BY 1") == [["Roy"]])
    }

    @Test(.parity("K030"), arguments: ["cats", "favoriteCat"])
    func settingOnlyDisconnects(relationship: String) async throws {
        let text = relationship == "cats" ? Self.roy : Self.favorite
        let cats = try await load(text, into: relationship, .set)
        #expect(cats.own == ["Roy"])
        #expect(cats.all == [["Lola"], ["Roy"]])
    }

    @Test(.parity("X026")) func unionWithoutKeyKeepsMembers() async throws {
        let cats = try await load(
            #"{"name": "Blake"}"#, into: "cats", .union, assignsNil: true)
        #expect(cats.own == ["Lola"])
        #expect(cats.all == [["Lola"]])
    }

    /// Returns the number of statements that an import runs which replaces a list.
    private func statements(replacing count: Int) async throws -> Int {
        let files = try TemporaryStore()
        let number = AttributeDescription("number", .integer, isIdentity: true)
        let store = try await files.open([
            EntityDescription(
                "Line", attributes: [number],
                relationships: [.toMany("stops", "Stop", inverse: "line")]),
            EntityDescription(
                "Stop", attributes: [number],
                relationships: [
                    .toOne("line", "Line"), .toOne("sign", "Sign", deleteRule: .cascade),
                    .toMany("boards", "Board", inverse: "stop", deleteRule: .cascade),
                ]),
            EntityDescription("Board", attributes: [], relationships: [.toOne("stop", "Stop")]),
            EntityDescription("Sign", attributes: []),
        ])
        var line = try store.mapping("Line")
        line.add("number", from: "number")
        var stop = try store.mapping("Stop")
        stop.add("number", from: "number")
        line.add(
            RelationshipMapping("stops", to: "stops", mapping: stop, assignment: .replace))
        let plan = try EntityMappingPlan(EntityMapping(line), in: store.model)
        let document = try Document(parsing: #"{"number": 1, "stops": [{"number": 0}]}"#)
        try await store.perform { context in
            let line = try context.insert("Line", ["number": 1])
            for number in 1...count {
                let stop = try context.insert("Stop", ["number": number])
                try stop.setRelated("line", [line])
                try stop.setRelated("sign", [context.insert(entity: "Sign")])
                try stop.setRelated(
                    "boards", [context.insert(entity: "Board"), context.insert(entity: "Board")])
            }
            try context.save()
        }
        let (deleted, statements) = try store.tracing { connection in
            let context = ManagedObjectContext(store.database, role: .snapshot(connection))
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.counts["Stop"]?.deleted == count)
            return context.layered.layers.top.tables.map(\.deletedCount).reduce(0, +)
        }
        #expect(deleted == 4 * count)
        return statements.count
    }

    @Test func replacingListRunsConstantQueries() async throws {
        let few = try await statements(replacing: 2)
        #expect(few > 0)
        #expect(try await statements(replacing: 40) == few)
    }

    #if Macros
    @Test func appliesDeleteRulesOfSubentities() async throws {
        let store = try await files.openAnimals()
        try await store.perform { context in
            let owner = try Owner.insert(into: context, id: 1)
            let dog = try Dog.insert(into: context, breed: "Poodle")
            (dog.id, dog.name, dog.owner) = (2, "Rex", owner)
            dog.toys = [try Toy.insert(into: context, id: 3, diets: [])]
            try context.save()
        }
        var owner = try store.mapping("Owner")
        owner.add("id", from: "id")
        var animal = try store.mapping("Animal")
        animal.add("id", from: "id")
        owner.add(
            RelationshipMapping("animals", to: "animals", mapping: animal, assignment: .replace))
        let plan = try EntityMappingPlan(EntityMapping(owner), in: store.model)
        let document = try Document(parsing: #"{"id": 1, "animals": []}"#)
        try await store.importObjects(from: document.root, by: plan)
        #expect(try files.rows("SELECT id FROM Animal") == [])
        #expect(try files.rows("SELECT id FROM Toy") == [])
    }
    #endif

    /// Two mappings of an entity may assign a relationship by different policies.
    @Test(arguments: [true, false])
    func appliesPolicyOfEachMapping(replacesFirst: Bool) async throws {
        let store = try await files.openHumans()
        var cat = try store.mapping("Cat")
        cat.add("name", from: "name")
        var house = try store.mapping("House")
        house.add("city", from: "city")
        for (name, replaces) in [("owner", replacesFirst), ("pastResidents", !replacesFirst)] {
            var human = try store.mapping("Human")
            human.add("name", from: "name")
            human.add(
                RelationshipMapping(
                    "cats", to: "cats", mapping: cat, assignment: replaces ? .replace : .set))
            house.add(RelationshipMapping(SourcePath([.key(name)]), to: name, mapping: human))
        }
        let mapping = house
        try await store.perform { context in
            for (name, cat) in [("Ann", "Tom"), ("Blake", "Lola")] {
                let human = try context.insert("Human", ["name": name as String?])
                try human.setRelated("cats", [context.insert("Cat", ["name": cat as String?])])
            }
            try context.save()
            try context.objects(
                from: """
                    {"city": "Oslo", "owner": {"name": "Ann", "cats": []},
                     "pastResidents": [{"name": "Blake", "cats": [{"name": "Roy"}]}]}
                    """, by: mapping, identification: ["Human": ["name"], "Cat": ["name"]])
            try context.save()
        }
        let names = try files.rows("SELECT name FROM Cat ORDER BY 1")
        #expect(names == [["Roy"], [replacesFirst ? "Lola" : "Tom"]].sorted { $0[0] < $1[0] })
    }

    @Test(.parity("K030")) func refusesUnionOfToOneRelationship() throws {
        let model = try ManagedObjectModel(HumanEntities.all)
        var human = ObjectMapping(table: try #require(model.properties(of: "Human")))
        human.add(RelationshipMapping("favoriteCat", to: "favoriteCat", assignment: .union))
        let error = #expect(throws: PersistenceError.self) {
            try EntityMappingPlan(EntityMapping(human), in: model)
        }
        #expect(error?.code == .invalidMapping)
        let cause = try #require(error?.underlying as? MappingError)
        #expect(cause.diagnostics.map(\.code) == [.invalidAssignmentPolicy])
        #expect(cause.diagnostics.map(\.name) == ["favoriteCat"])
    }
}
