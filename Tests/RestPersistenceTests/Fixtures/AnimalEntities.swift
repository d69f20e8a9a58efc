// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestMapping
import RestPersistence

// A hierarchy of three levels with every kind of property, and the entities that it refers to.

enum Diet: String, AttributeValue {
    case meat
    case plants
}

@Entity class Animal: ManagedObject {
    @Identity var id: Int
    @Indexed @MaximumLength(25) var name: String
    var diet: Diet?
    var bornAt: Date?
    @Inverse(\Owner.animals) var owner: Owner?

    /// A computed property, which is not part of the entity.
    var title: String { "\(name) (\(id))" }
}

@Entity class Dog: Animal {
    var breed: String
    var tricks: [String] = []
    @DeleteRule(.cascade) @Inverse(\Toy.dog) var toys: [Toy]
}

@Entity final class Puppy: Dog {
    var weeks: Int = 8
}

@Entity final class Cat: Animal {
    var lives: Int = 9
    var friends: Set<Animal>
}

@Entity final class Toy: ManagedObject {
    @Identity var id: Int
    var dog: Dog?
    var diets: [Diet]
    var size: OpenEnum<Size>?

    enum Size: String {
        case small
        case large
    }
}

@Entity final class Owner: ManagedObject {
    @Identity var id: Int
    var animals: [Animal]
}

extension TemporaryStore {
    static let animalEntities: [any ManagedEntity.Type] = [
        Animal.self, Dog.self, Puppy.self, Cat.self, Toy.self, Owner.self,
    ]

    func openAnimals() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(at: file, model: ManagedObjectModel(Self.animalEntities))
    }
}
#endif
