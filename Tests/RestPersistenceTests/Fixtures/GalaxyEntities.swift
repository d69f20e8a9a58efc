// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport

// The entities of the Star Wars data, whose representations refer to each other by identity.

@Entity final class Planet: ManagedObject {
    @Identity @MappedKey("pk") var id: Int
    @MappedKey("fields.name") var name: String?
    var residents: Set<Person>
}

@Entity final class Person: ManagedObject {
    @Identity @MappedKey("pk") var id: Int
    @MappedKey("fields.name") var name: String?
    @Reference @Inverse(\Planet.residents) @MappedKey("fields.homeworld") var homeworld: Planet?
    var films: Set<Film>
}

@Entity final class Film: ManagedObject {
    @Identity @MappedKey("pk") var id: Int
    @MappedKey("fields.title") var title: String?
    @Reference(by: \Person.id) @Inverse(\Person.films) @MappedKey("fields.characters")
    var characters: Set<Person>
    @Connected("fields.planets") var planets: [Planet]
    @Connected("fields.starships") var starships: Set<Starship>
    @Connected("fields.vehicles") var vehicles: Set<Vehicle>
}

@Entity final class Species: ManagedObject {
    @Identity @MappedKey("pk") var id: Int
    @MappedKey("fields.name") var name: String?
    @Connected("fields.homeworld") var homeworld: Planet?
    @Connected("fields.people") var people: Set<Person>
}

@Entity final class Transport: ManagedObject {
    @Identity @MappedKey("pk") var id: Int
    @MappedKey("fields.name") var name: String?
}

@Entity final class Starship: ManagedObject {
    @Identity @MappedKey("pk") var id: Int
    @Connected("pk") var transport: Transport?
    @Connected("fields.pilots") var pilots: Set<Person>
}

@Entity final class Vehicle: ManagedObject {
    @Identity @MappedKey("pk") var id: Int
    @Connected("pk") var transport: Transport?
    @Connected("fields.pilots") var pilots: Set<Person>
}

/// The files of the Star Wars data, and what a store has after loading them.
enum Galaxy {
    static let entities: [EntityDescription] = [
        Planet.entity, Person.entity, Film.entity, Species.entity, Transport.entity,
        Starship.entity, Vehicle.entity,
    ]

    /// The names of the files with the classes of their objects.
    static let files: [(name: String, type: any ManagedEntity.Type)] = [
        ("planets", Planet.self), ("people", Person.self), ("films", Film.self),
        ("species", Species.self), ("transport", Transport.self), ("starships", Starship.self),
        ("vehicles", Vehicle.self),
    ]

    static func document(_ file: String) throws -> Document {
        try Document(parsing: SharedFiles.data("corpus/swapi/\(file).json"))
    }

    /// Imports a document and saves its objects.
    static func load(
        _ document: Document, _ type: any ManagedEntity.Type, into store: ManagedObjectStore
    ) async throws -> ImportResult {
        let plan = try EntityMappingPlan(
            EntityMapping(ObjectMapping(defaultFor: type.properties)), in: store.model)
        return try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
    }
}
#endif
