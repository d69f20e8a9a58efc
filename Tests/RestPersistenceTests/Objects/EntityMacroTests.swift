// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestMapping
import RestPersistence
import Testing

@Suite struct EntityMacroTests {
    private let file = Result { try TemporaryStore() }

    private func openStore() async throws -> ManagedObjectStore {
        try await file.get().openAnimals()
    }

    // MARK: Descriptions

    @Test func describesMarkersOfProperties() throws {
        let name = try #require(Animal.entity.attributes.first { $0.name == "name" })
        #expect(name.isIndexed)
        #expect(name.maximumLength == 25)
        let breed = try #require(Dog.entity.attributes.first)
        #expect(breed.name == "breed")
        #expect(!breed.isIndexed)
        #expect(breed.maximumLength == nil)
        let toys = try #require(Dog.entity.relationships.first)
        #expect(toys.deleteRule == .cascade)
        #expect(toys.isOrdered)
        let friends = try #require(Cat.entity.relationships.first)
        #expect(friends.isToMany)
        #expect(!friends.isOrdered)
        #expect(friends.deleteRule == .nullify)
    }

    @Test func namesSuperentityOfSubclass() {
        #expect(Animal.entity.superentityName == nil)
        #expect(Dog.entity.superentityName == "Animal")
        #expect(Puppy.entity.superentityName == "Dog")
        #expect(Puppy.entity.name == "Puppy")
    }

    @Test func countsInheritedProperties() {
        #expect(Animal.entity.propertyCount == 5)
        #expect(Dog.entity.propertyCount == 8)
        #expect(Puppy.entity.propertyCount == 9)
        #expect(Cat.entity.propertyCount == 7)
    }

    @Test func mapsInheritedPropertiesFirst() {
        #expect(
            Puppy.properties.properties.map(\.name)
                == [
                    "id", "name", "diet", "bornAt", "owner", "breed", "tricks", "toys", "weeks",
                ])
    }

    @Test func entityDependsOnDynamicType() {
        let types: [Animal.Type] = [Animal.self, Dog.self, Puppy.self, Cat.self]
        #expect(types.map { $0.entity.name } == ["Animal", "Dog", "Puppy", "Cat"])
    }

    // MARK: Accessors

    @Test func storesOwnAndInheritedProperties() async throws {
        let store = try await openStore()
        let born = Date(timeIntervalSince1970: 86_400)
        try await store.perform { context in
            let owner = try Owner.insert(into: context, id: 1)
            let puppy = try context.insert(Puppy.self)
            puppy.id = 3
            puppy.name = "Rex"
            puppy.diet = .meat
            puppy.bornAt = born
            puppy.owner = owner
            puppy.breed = "Terrier"
            puppy.tricks = ["sit"]
            puppy.weeks = 12
            try context.save()
        }
        try await store.perform { context in
            let puppy = try #require(try context.fetch(Puppy.self).first)
            #expect(puppy.id == 3)
            #expect(puppy.name == "Rex")
            #expect(puppy.diet == .meat)
            #expect(puppy.bornAt == born)
            #expect(puppy.owner?.id == 1)
            #expect(puppy.breed == "Terrier")
            #expect(puppy.tricks == ["sit"])
            #expect(puppy.weeks == 12)
        }
    }

    @Test func keepsOrderOfArray() async throws {
        let store = try await openStore()
        try await store.perform { context in
            let dog = try Dog.insert(into: context, breed: "Poodle")
            dog.id = 1
            dog.name = "Fifi"
            dog.toys = try [5, 2, 9].map { try Toy.insert(into: context, id: $0) }
            try context.save()
        }
        try await store.perform { context in
            let dog = try #require(try context.fetch(Dog.self).first)
            #expect(dog.toys.map(\.id) == [5, 2, 9])
            dog.toys.swapAt(0, 2)
            try context.save()
        }
        let ids = try await store.perform { try $0.fetch(Dog.self).first?.toys.map(\.id) }
        #expect(ids == [9, 2, 5])
    }

    @Test func fetchesByInheritedProperty() async throws {
        let store = try await openStore()
        try await store.perform { context in
            for (id, name) in [(1, "Rex"), (2, "Fifi")] {
                let dog = try Dog.insert(into: context, breed: "Poodle")
                dog.id = id
                dog.name = name
            }
            try context.save()
            let names = try context.fetch(Dog.self, where: { $0.id > 0 }, orderBy: \.name)
                .map(\.name)
            #expect(names == ["Fifi", "Rex"])
        }
    }

    @Test func fetchesSubentitiesAsTheirClass() async throws {
        let store = try await openStore()
        try await store.perform { context in
            _ = try Animal.insert(into: context, id: 1, name: "Nemo")
            _ = try Cat.insert(into: context, id: 2, name: "Tom")
            let puppy = try Puppy.insert(into: context, breed: "Poodle")
            puppy.id = 3
            puppy.name = "Rex"
            try context.save()
        }
        let types = try await store.perform { context in
            try context.fetch(Animal.self, orderBy: \.id).map { "\(type(of: $0))" }
        }
        #expect(types == ["Animal", "Cat", "Puppy"])
    }

    @Test func refusesComputedPropertyInPredicate() async throws {
        let store = try await openStore()
        try await store.perform { context in
            let error = try #require(throws: PersistenceError.self) {
                _ = try context.fetch(Animal.self, where: { $0.title == "Rex (1)" })
            }
            #expect(error.code == .unknownProperty)
            #expect("\(error)".contains("a computed property of type String"))
            #expect("\(error)".contains("bornAt, diet, id, name, owner"))
            let order = try #require(throws: PersistenceError.self) {
                _ = try context.fetch(Animal.self, orderBy: \.title)
            }
            #expect("\(order)" == "\(error)")
        }
    }

    // MARK: Insertion

    @Test func insertsCompleteObject() async throws {
        let store = try await openStore()
        try await store.perform { context in
            let owner = try Owner.insert(into: context, id: 1)
            let born = Date(timeIntervalSince1970: 0)
            let animal = try Animal.insert(
                into: context, id: 7, name: "Nemo", diet: .plants, bornAt: born, owner: owner)
            #expect(animal.id == 7)
            #expect(animal.name == "Nemo")
            #expect(animal.diet == .plants)
            #expect(animal.bornAt == born)
            #expect(animal.owner === owner)
            #expect(owner.animals == [animal])
            let toy = try Toy.insert(into: context, id: 1)
            #expect(toy.diets == [])
            #expect(toy.dog == nil)
            try context.save()
        }
    }

    @Test func usesDefaultValueOfOmittedParameter() async throws {
        let store = try await openStore()
        try await store.perform { context in
            let dog = try Dog.insert(into: context, breed: "Poodle")
            #expect(dog.tricks == [])
            let trained = try Dog.insert(into: context, breed: "Poodle", tricks: ["sit"])
            #expect(trained.tricks == ["sit"])
            context.rollback()
        }
    }

    @Test func inheritedInsertionReturnsSubclass() async throws {
        let store = try await openStore()
        try await store.perform { context in
            let cat = try Cat.insert(into: context, id: 1, name: "Tom")
            #expect(type(of: cat) == Cat.self)
            #expect(cat.lives == 9)
            let puppy = try Puppy.insert(into: context, breed: "Poodle")
            #expect(puppy.weeks == 8)
            #expect(puppy.objectID.entityName == "Puppy")
            context.rollback()
        }
    }
}
#endif
