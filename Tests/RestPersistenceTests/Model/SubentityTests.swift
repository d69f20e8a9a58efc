// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// The expansion of `@Entity` for a class hierarchy, written by hand.
class Creature: ManagedObject {
    var name: String {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var owner: Keeper? {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }

    class var entity: EntityDescription {
        EntityDescription(Creature.self, properties(of: Creature.self))
    }

    class func properties<Object: Creature & ManagedEntity>(
        of type: Object.Type
    ) -> [EntityProperty<Object>] {
        [
            .property("name", \Object.name, isIdentity: true),
            .property("owner", \Object.owner),
        ]
    }
}

extension Creature: ManagedEntity {}

class Hound: Creature {
    var tricks: Int {
        get { managedValue(2) }
        set { setManagedValue(2, newValue) }
    }

    override class var entity: EntityDescription {
        EntityDescription(
            Hound.self, inheriting: Creature.self,
            properties(of: Hound.self) + [.property("tricks", \Hound.tricks)])
    }
}

final class Keeper: ManagedObject, ManagedEntity {
    var animals: Set<Creature> {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var title: String? {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }

    static let entity = EntityDescription(
        Keeper.self,
        [
            .property("animals", \Keeper.animals, inverse: "owner"),
            .property("title", \Keeper.title),
        ])
}

@Suite struct SubentityTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func open() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: files.file, entities: Creature.self, Hound.self, Keeper.self)
    }

    @Test func storesHierarchyInOneTable() async throws {
        let store = try await open()
        try await store.perform { context in
            let keeper = try context.insert(Keeper.self)
            let cat = try context.insert(Creature.self)
            cat.name = "Asia"
            let dog = try context.insert(Hound.self)
            dog.name = "Rex"
            dog.tricks = 3
            keeper.animals = [cat, dog]
            try context.save()
        }
        #expect(
            try files.rows(
                "SELECT name, tricks, restkit_entity, owner NOT NULL FROM Creature ORDER BY name")
                == [["Asia", "-", "Creature", "1"], ["Rex", "3", "Hound", "1"]])
        #expect(
            try files.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'Hound'")
                .isEmpty)
    }

    @Test func fetchesSubentitiesWithTheirClasses() async throws {
        let store = try await open()
        try await store.perform { context in
            defer { context.rollback() }
            for name in ["Asia", "Roy"] { try context.insert(Creature.self).name = name }
            let dog = try context.insert(Hound.self)
            dog.name = "Rex"
            dog.tricks = 1
            try context.save()
        }
        try await store.perform { context in
            defer { context.rollback() }
            let animals = try context.fetch(Creature.self, orderBy: \Creature.name)
            #expect(animals.map(\.name) == ["Asia", "Rex", "Roy"])
            #expect(animals.map { $0 is Hound } == [false, true, false])
            #expect(animals[1].objectID.entityName == "Hound")
            let hounds = try context.fetch(Hound.self, where: { $0.name == "Rex" && $0.tricks > 0 })
            #expect(hounds.map(\.name) == ["Rex"])
            #expect(try context.fetch(Hound.self, where: { $0.name == "Asia" }).isEmpty)
            #expect(try context.object(Hound.self, with: hounds[0].objectID) === hounds[0])
            let keeper = try context.insert(Keeper.self)
            hounds[0].owner = keeper
            #expect(keeper.animals == [hounds[0]])
        }
    }

    @Test func requiresValuesOfSubentityOnlyThere() async throws {
        let store = try await open()
        try await store.perform { context in
            defer { context.rollback() }
            try context.insert(Hound.self).name = "Rex"
            let error = #expect(throws: PersistenceError.self) { try context.save() }
            #expect(error?.code == .invalidObject)
            #expect(error?.details.first?.contains("tricks") == true)
        }
        #expect(throws: (any Error).self) {
            try files.execute(
                "INSERT INTO Creature (restkit_key, name, restkit_entity) VALUES (1, 'a', 'Hound')")
        }
        try files.execute(
            "INSERT INTO Creature (restkit_key, name, restkit_entity) VALUES (1, 'a', 'Creature')")
    }

    @Test func importFindsObjectsOfSubentities() async throws {
        let store = try await open()
        let saved = try await store.perform { context in
            let dog = try context.insert(Hound.self)
            dog.name = "Rex"
            dog.tricks = 1
            try context.save()
            return dog.objectID
        }
        let plan = try EntityMappingPlan(EntityMapping(Creature.self), in: store.model)
        let document = try Document(parsing: #"[{"name": "Rex"}, {"name": "Asia"}]"#)
        let names = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            #expect(result.objectIDs[0] == saved)
            return try result.objectIDs.map { try context.object(with: $0).objectID.entityName }
        }
        #expect(names == ["Hound", "Creature"])
    }

    @Test func importsPropertiesOfSuperentity() async throws {
        let store = try await open()
        let plan = try EntityMappingPlan(EntityMapping(Hound.self), in: store.model)
        let document = try Document(
            parsing: #"{"name": "Rex", "tricks": 2, "owner": {"title": "Miss"}}"#)
        try await store.perform { context in
            defer { context.rollback() }
            let result = try context.importObjects(from: document.root, by: plan)
            let dog = try context.object(Hound.self, with: result.objectIDs[0])
            #expect(dog.name == "Rex")
            #expect(dog.tricks == 2)
            #expect(dog.owner?.animals == [dog])
        }
    }

    @Test func reportsMistakesInHierarchies() {
        let name = AttributeDescription("name", .text, isIdentity: true)
        let error = #expect(throws: PersistenceError.self) {
            try ManagedObjectModel([
                EntityDescription("Root", attributes: [name]),
                EntityDescription("Again", inheriting: "Root", attributes: [name]),
                EntityDescription("Lost", inheriting: "Nowhere", attributes: []),
                EntityDescription("Loop", inheriting: "Loop", attributes: []),
                EntityDescription(
                    "Left", inheriting: "Root", attributes: [AttributeDescription("size", .text)]),
                EntityDescription(
                    "Right", inheriting: "Root",
                    attributes: [AttributeDescription("size", .integer)]),
            ])
        }
        #expect(
            error?.details == [
                "entity Lost inherits from Nowhere, which is not in the model",
                "entity Loop inherits from itself",
                "property Again.name is inherited from Root",
                "Again.name cannot identify objects, because a super-entity declares the identity",
                "Again.name has the column of another entity that inherits from Root; rename one "
                    + "of them, or declare the property in the super-entity",
                "Right.size has the column of another entity that inherits from Root; rename one "
                    + "of them, or declare the property in the super-entity",
            ])
    }
}
