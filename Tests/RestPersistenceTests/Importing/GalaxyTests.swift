// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// The Star Wars data, whose files refer to each other by identity.
@Suite(.enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct GalaxyTests {
    /// The relationships of all objects, as an oracle reads them from the files.
    private static func expected() throws -> Set<String> {
        var pairs: Set<String> = []
        var known: [String: Set<Int64>] = [:]
        let destinations = [
            "homeworld": "planets", "characters": "people", "planets": "planets",
            "starships": "starships", "vehicles": "vehicles", "people": "people",
            "pilots": "people",
        ]
        for (file, _) in Galaxy.files {
            known[file] = Set(
                try Galaxy.document(file).root.elements.compactMap { $0["pk"]?.int64 })
        }
        for (file, _) in Galaxy.files {
            for object in try Galaxy.document(file).root.elements {
                let pk = try #require(object["pk"]?.int64)
                if ["starships", "vehicles"].contains(file),
                    known["transport"]?.contains(pk) == true
                {
                    pairs.insert("\(file)/\(pk).transport → \(pk)")
                }
                for (key, destination) in destinations {
                    guard let value = object["fields"]?[key], value.kind != .null else { continue }
                    let ids = value.kind == .array ? Array(value.elements) : [value]
                    for id in ids.compactMap(\.int64) where known[destination]?.contains(id) == true
                    {
                        pairs.insert("\(file)/\(pk).\(key) → \(id)")
                    }
                }
            }
        }
        return pairs
    }

    private static func found(_ context: ManagedObjectContext) throws -> Set<String> {
        var pairs: Set<String> = []
        func note(_ owner: String, _ ids: [Int]) {
            for id in ids { pairs.insert("\(owner) → \(id)") }
        }
        for person in try context.fetch(Person.self) {
            note("people/\(person.id).homeworld", [person.homeworld].compactMap { $0?.id })
        }
        for film in try context.fetch(Film.self) {
            note("films/\(film.id).characters", film.characters.map(\.id))
            note("films/\(film.id).planets", film.planets.map(\.id))
            note("films/\(film.id).starships", film.starships.map(\.id))
            note("films/\(film.id).vehicles", film.vehicles.map(\.id))
        }
        for species in try context.fetch(Species.self) {
            note("species/\(species.id).homeworld", [species.homeworld].compactMap { $0?.id })
            note("species/\(species.id).people", species.people.map(\.id))
        }
        for ship in try context.fetch(Starship.self) {
            note("starships/\(ship.id).transport", [ship.transport].compactMap { $0?.id })
            note("starships/\(ship.id).pilots", ship.pilots.map(\.id))
        }
        for vehicle in try context.fetch(Vehicle.self) {
            note("vehicles/\(vehicle.id).transport", [vehicle.transport].compactMap { $0?.id })
            note("vehicles/\(vehicle.id).pilots", vehicle.pilots.map(\.id))
        }
        return pairs
    }

    /// Every file comes first once and last once, and so do the owners of each relationship.
    @Test(arguments: 0..<14)
    func loadsInAnyOrder(order: Int) async throws {
        let files = try TemporaryStore()
        let store = try await files.open(Galaxy.entities)
        let rotated = Galaxy.files.indices.map {
            Galaxy.files[($0 + order) % Galaxy.files.count]
        }
        for (name, type) in order < 7 ? rotated : rotated.reversed() {
            _ = try await Galaxy.load(Galaxy.document(name), type, into: store)
        }
        let expected = try Self.expected()
        #expect(expected.count > 300)
        let (found, planets) = try await store.read { context in
            let film = try context.fetch(Film.self).first { $0.id == 1 }
            return (try Self.found(context), film?.planets.map(\.id))
        }
        #expect(found == expected)
        #expect(planets == [1, 2, 3])
        #expect(try await store.pendingReferences(of: Film.self).isEmpty)
        #expect(try await store.pendingReferences(of: Person.self).isEmpty)
    }

    /// The files come in one context that is saved at the end, in both directions.
    @Test(arguments: [false, true])
    func loadsIntoOneContext(isReversed: Bool) async throws {
        let files = try TemporaryStore()
        let store = try await files.open(Galaxy.entities)
        let order = isReversed ? Galaxy.files.reversed() : Galaxy.files
        let plans = try order.map { file in
            try EntityMappingPlan(
                EntityMapping(ObjectMapping(defaultFor: file.type.properties)), in: store.model)
        }
        let documents = try order.map { try Galaxy.document($0.name) }
        let expected = try Self.expected()
        try await store.perform { context in
            for (document, plan) in zip(documents, plans) {
                _ = try context.importObjects(from: document.root, by: plan)
            }
            #expect(try Self.found(context) == expected)
            try context.save()
        }
        let found = try await store.read { try Self.found($0) }
        #expect(found == expected)
    }

    @Test func writesNothingWhenLoadedAgain() async throws {
        let files = try TemporaryStore()
        let store = try await files.open(Galaxy.entities)
        // Without the people, so that references stay pending.
        let some = Galaxy.files.filter { $0.name != "people" }
        for (name, type) in some {
            _ = try await Galaxy.load(Galaxy.document(name), type, into: store)
        }
        let pending = try await store.pendingReferences(of: Film.self)
        #expect(!pending.isEmpty)
        let observer = try files.observer()
        let version = try observer.dataVersion()
        for (name, type) in some {
            _ = try await Galaxy.load(Galaxy.document(name), type, into: store)
        }
        #expect(try observer.dataVersion() == version)
        #expect(try await store.pendingReferences(of: Film.self) == pending)
    }
}
#endif
