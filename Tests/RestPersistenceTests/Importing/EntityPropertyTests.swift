// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// The properties of entities as mappings see them: their types, defaults and order.
@Suite struct EntityPropertyTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    // MARK: Types

    @Test(.parity("P055", "P058")) func findsTypeOfAttributeByName() throws {
        let model = try ManagedObjectModel(HumanEntities.all)
        for entity in ["Cat", "House", "HoardedCat"] {
            let attribute = try #require(model.attribute("railsID", of: entity))
            #expect(attribute.name == "railsID")
            #expect(attribute.type == .integer)
            #expect(attribute.valueType == Int?.self)
        }
        #expect(model.attribute("invalid", of: "Cat") == nil)
        #expect(model.attribute("human", of: "Cat") == nil)
        #expect(model.attribute("railsID", of: "Dog") == nil)
    }

    @Test(.parity("P087")) func codedAttributeHasDeclaredType() throws {
        let model = try ManagedObjectModel([PetKeeper.self, HousePet.self])
        let colors = try #require(model.attribute("favoriteColors", of: "PetKeeper"))
        #expect(colors.type == .json)
        #expect(colors.valueType == [String].self)
        #expect(model.relationship("favoriteColors", of: "PetKeeper") == nil)
        // Without a class the type is any JSON.
        let humans = try ManagedObjectModel(HumanEntities.all)
        let plain = try #require(humans.attribute("favoriteColors", of: "Human"))
        #expect(plain.type == .json)
        #expect(plain.valueType == nil)
    }

    @Test(.parity("K021")) func typesOfPropertiesFollowClassOrEntity() async throws {
        let model = try ManagedObjectModel([PetKeeper.self, HousePet.self])
        #expect(model.attribute("age", of: "PetKeeper")?.valueType == Int.self)
        #expect(model.attribute("isHappy", of: "PetKeeper")?.valueType == Bool.self)
        #expect(model.attribute("isHappy", of: "PetKeeper")?.type == .boolean)
        #expect(model.relationship("pets", of: "PetKeeper")?.isOrdered == false)
        #expect(model.relationship("ranking", of: "PetKeeper")?.isOrdered == true)
        #expect(model.relationship("favorite", of: "PetKeeper")?.isToMany == false)
        let store = try await ManagedObjectStore(at: files.file, model: model)
        let plan = try EntityMappingPlan(EntityMapping(PetKeeper.self), in: model)
        let document = try Document(
            parsing: """
                {"age": 1, "isHappy": true, "pets": [{"name": "a"}], "favorite": {"name": "b"},
                 "ranking": [{"name": "d"}, {"name": "c"}]}
                """)
        try await store.perform { context in
            defer { context.rollback() }
            let result = try context.importObjects(from: document.root, by: plan)
            let keeper = try context.object(PetKeeper.self, with: result.objectIDs[0])
            #expect(try keeper.value(named: "age") as? Int == 1)
            #expect(try keeper.value(named: "isHappy") as? Bool == true)
            #expect(try (keeper.value(named: "pets") as? Set<HousePet>)?.map(\.name) == ["a"])
            #expect(try (keeper.value(named: "ranking") as? [HousePet])?.map(\.name) == ["d", "c"])
            #expect(try (keeper.value(named: "favorite") as? HousePet)?.name == "b")
        }
        // Of an entity without a class, a Boolean value is no number either.
        let humans = try await ManagedObjectStore(
            temporaryFor: ManagedObjectModel(HumanEntities.all))
        try await humans.perform { context in
            defer { context.rollback() }
            let human = try context.insert("Human", ["isHappy": true, "age": 1])
            #expect(try human.value(named: "isHappy") as? Bool == true)
            #expect(try human.value(named: "age") as? Int == 1)
            #expect(try human.value(named: "age") as? Bool == nil)
        }
    }

    @Test(.parity("P049")) func comparesIdentityWithBoundValue() async throws {
        let store = try await files.openHumans()
        try await store.perform { context in
            defer { context.rollback() }
            let request = FetchRequest("Cat", where: .attribute("railsID", .equal, 12345))
            let sql = try context.sqlForCounting(request)
            #expect(sql.hasSuffix(#"t0."railsID" = ?1"#))
            let cat = try context.insert("Cat", ["railsID": 12345])
            try context.insert("Cat", ["railsID": 12346])
            #expect(try context.fetch(request) == [cat])
        }
    }

    // MARK: Missing values

    @Test(.parity("X021")) func missingCodedAttributeStaysNil() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add(["name": "name", "favoriteColors": "favoriteColors"])
        try await store.perform { [human] context in
            let objects = try context.objects(from: #"{"name": "Blake"}"#, by: human)
            #expect(try objects[0].value(named: "favoriteColors") == nil)
            let null = try context.objects(
                from: #"{"name": "Jeff", "favoriteColors": null}"#, by: human)
            #expect(try null[0].value(named: "favoriteColors") == nil)
            try context.save()
        }
        #expect(
            try files.rows("SELECT favoriteColors FROM Human") == [["-"], ["-"]])
    }

    @Test(.parity("X022")) func missingRequiredAttributeTakesDefault() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.assignsDefaultForMissing = true
        human.add(["name": "name", "likesDogs": "likesDogs"])
        try await store.perform { [human] context in
            defer { context.rollback() }
            let known = try context.insert("Human", ["name": "Blake", "likesDogs": false])
            let objects = try context.objects(
                from: #"[{"name": "Blake"}, {"name": "Jeff"}]"#, by: human,
                identification: ["Human": ["name"]])
            #expect(objects[0] == known)
            for object in objects { #expect(try object.value("likesDogs", as: Bool.self)) }
        }
    }

    // MARK: Order

    /// A property of a related object is set last, wherever it is declared.
    @Test func dottedPropertyReachesObjectOfRelationship() async throws {
        let store = try await files.openHumans()
        var cat = try store.mapping("Cat")
        cat.add(["id": "railsID", "name": "name"])
        var human = try store.mapping("Human")
        // Declared in the opposite order of assignment.
        human.add("favoriteCat.color", from: "cat_color")
        human.add(RelationshipMapping("cat", to: "favoriteCat", mapping: cat))
        human.add("name", from: "name")
        let plan = try EntityMappingPlan(
            EntityMapping(human, rules: ["Cat": EntityRules(identification: ["railsID"])]),
            in: store.model)
        let document = try Document(
            parsing: """
                {"cat_color": "red", "cat": {"id": 5, "name": "Asia"}, "name": "Blake"}
                """)
        let sources = try await store.perform { context in
            defer { context.rollback() }
            let recorder = Recorder()
            let asia = try context.insert("Cat", ["railsID": 5, "color": "blue", "name": "x"])
            try context.save()
            let result = try context.importObjects(
                from: document.root, by: plan, in: MappingEnvironment(observer: recorder))
            #expect(result.report.issues.isEmpty)
            let human = try context.object(with: result.objectIDs[0])
            #expect(try human.related("favoriteCat") == [asia])
            #expect(try asia.value("color", as: String?.self) == "red")
            #expect(try asia.givenName == "Asia")
            #expect(try context.count(FetchRequest("Cat")) == 1)
            return recorder.properties
        }
        #expect(sources.contains("cat"))
        #expect(sources.last == "cat_color")
    }

    /// Whatever the order of the keys: related objects read attributes of their owner, dotted
    /// properties replace values of related objects, and connections come last.
    @Test(
        .parity("K031"),
        arguments: [
            ["name", "cat", "cat_color"], ["name", "cat_color", "cat"],
            ["cat", "name", "cat_color"], ["cat", "cat_color", "name"],
            ["cat_color", "name", "cat"], ["cat_color", "cat", "name"],
        ])
    func orderOfKeysIsIrrelevant(keys: [String]) async throws {
        let store = try await files.openHumans()
        var cat = try store.mapping("Cat")
        cat.add(["id": "railsID", "color": "color"])
        cat.add("nickName", from: "@metadata.mapping.parentObject.name")
        var human = try store.mapping("Human")
        human.add("favoriteCat.color", from: "cat_color")
        human.add(RelationshipMapping("cat", to: "favoriteCat", mapping: cat))
        human.add("name", from: "name")
        let plan = try EntityMappingPlan(
            EntityMapping(
                human,
                rules: [
                    "Human": EntityRules(connections: [
                        Connection("residence", by: ["name": "city"])
                    ])
                ]), in: store.model)
        let values = [
            "name": #""Blake""#, "cat": #"{"id": 5, "color": "own"}"#, "cat_color": #""path""#,
        ]
        let members = keys.map { "\"\($0)\": \(values[$0] ?? "")" }
        let document = try Document(parsing: "{\(members.joined(separator: ", "))}")
        let steps = try await store.perform { context in
            defer { context.rollback() }
            let home = try context.insert("House", ["city": "Blake"])
            let recorder = Recorder()
            let result = try context.importObjects(
                from: document.root, by: plan, in: MappingEnvironment(observer: recorder))
            #expect(result.report.issues.isEmpty)
            let human = try context.object(with: result.objectIDs[0])
            let cat = try #require(try human.related("favoriteCat").first)
            #expect(try cat.value("color", as: String?.self) == "path")
            #expect(try cat.value("nickName", as: String?.self) == "Blake")
            #expect(try human.related("residence") == [home])
            return recorder.properties
        }
        #expect(Set(steps.dropLast(2)).isSuperset(of: ["name", "cat"]))
        #expect(steps.suffix(2) == ["cat_color", "connection of residence"])
    }

    @Test func dottedPropertyWithoutRelatedObjectIsAnIssue() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add("name", from: "name")
        human.add("favoriteCat.color", from: "cat_color")
        let plan = try EntityMappingPlan(EntityMapping(human), in: store.model)
        let document = try Document(parsing: #"{"cat_color": "red", "name": "Blake"}"#)
        try await store.perform { context in
            defer { context.rollback() }
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.objectIDs.count == 1)
            #expect(result.report.issues.map(\.code) == [.missingValue])
            #expect(result.report.issues.map(\.property) == ["favoriteCat"])
            #expect(try context.count(FetchRequest("Cat")) == 0)
        }
    }

    /// An observer of the sources of values that are set, and of connections.
    private final class Recorder: ConnectionObserver {
        var properties: [String] = []

        func observe(
            _ connection: Connection, of object: ManagedObject, destinations: [ManagedObject]
        ) {
            properties.append("connection of \(connection.relationship)")
        }

        func observe(_ event: MappingEvent) {
            if case .set = event.kind { properties.append("\(event.source)") }
        }
    }
}

private final class PetKeeper: ManagedObject {
    var age: Int {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var isHappy: Bool {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }
    var favoriteColors: [String] {
        get { managedValue(2) }
        set { setManagedValue(2, newValue) }
    }
    var pets: Set<HousePet> {
        get { managedValue(3) }
        set { setManagedValue(3, newValue) }
    }
    var ranking: [HousePet] {
        get { managedValue(4) }
        set { setManagedValue(4, newValue) }
    }
    var favorite: HousePet? {
        get { managedValue(5) }
        set { setManagedValue(5, newValue) }
    }
}

extension PetKeeper: ManagedEntity {
    static let entity = EntityDescription(
        PetKeeper.self,
        [
            .property("age", \PetKeeper.age), .property("isHappy", \PetKeeper.isHappy),
            .property("favoriteColors", \PetKeeper.favoriteColors, default: []),
            .property("pets", \PetKeeper.pets), .property("ranking", \PetKeeper.ranking),
            .property("favorite", \PetKeeper.favorite),
        ])
}

private final class HousePet: ManagedObject {
    var name: String {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
}

extension HousePet: ManagedEntity {
    static let entity = EntityDescription(HousePet.self, [.property("name", \HousePet.name)])
}
