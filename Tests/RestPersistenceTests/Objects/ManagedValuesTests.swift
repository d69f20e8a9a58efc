// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import Observation
import RestMapping
import RestPersistence
import Synchronization
import Testing

@Suite struct ManagedValuesTests {
    private let file = Result { try TemporaryStore() }

    private func openStore() async throws -> ManagedObjectStore {
        try await file.get().openAnimals()
    }

    @Test func leavesContextWithAttributesAndIDs() async throws {
        let store = try await openStore()
        let (values, ownerID) = try await store.perform { context in
            defer { context.rollback() }
            let owner = try Owner.insert(into: context, id: 4)
            let animal = try Animal.insert(
                into: context, id: 7, name: "Nemo", diet: .meat, owner: owner)
            return (try Animal.Values(animal), owner.objectID)
        }
        #expect(values.id == 7)
        #expect(values.name == "Nemo")
        #expect(values.diet == .meat)
        #expect(values.bornAt == nil)
        #expect(values.owner == ownerID)
        #expect(values.objectID.entityName == "Animal")
    }

    @Test func readsAttributeOfUnknownElementType() async throws {
        let store = try await openStore()
        let values = try await store.perform { context in
            defer { context.rollback() }
            return try Toy.Values(Toy.insert(into: context, id: 1, diets: [.plants, .meat]))
        }
        #expect(values.diets == [.plants, .meat])
        #expect(values.dog == nil)
    }

    @Test func includesInheritedProperties() async throws {
        let store = try await openStore()
        let values = try await store.perform { context in
            defer { context.rollback() }
            let puppy = try Puppy.insert(into: context, breed: "Poodle", tricks: ["sit"])
            puppy.id = 2
            puppy.name = "Rex"
            puppy.diet = .plants
            puppy.owner = try Owner.insert(into: context, id: 4)
            return try Puppy.Values(puppy)
        }
        #expect(values.weeks == 8)
        #expect(values.breed == "Poodle")
        #expect(values.tricks == ["sit"])
        #expect(values.name == "Rex")
        #expect(values.diet == .plants)
        #expect(values.owner?.entityName == "Owner")
        #expect(values.id == 2)
    }

    @Test func equalityFollowsColumns() async throws {
        let store = try await openStore()
        try await store.perform { context in
            let animal = try Animal.insert(into: context, id: 1, name: "é")
            let before = try Animal.Values(animal)
            #expect(try before == Animal.Values(animal))
            #expect(try before.hashValue == Animal.Values(animal).hashValue)
            // Equal texts of Swift with other bytes are other values of SQLite.
            animal.name = "e\u{301}"
            #expect(try before != Animal.Values(animal))
            #expect(try before.name == Animal.Values(animal).name)
            let other = try Animal.insert(into: context, id: 1, name: "é")
            #expect(try before != Animal.Values(other))
            context.rollback()
        }
    }

    @Test func identifiesByPropertyOrObjectID() async throws {
        let store = try await openStore()
        try await store.perform { context in
            func id<Value: Identifiable>(of value: Value) -> Value.ID { value.id }
            let animal = try Animal.insert(into: context, id: 5, name: "Rex")
            #expect(try id(of: Animal.Values(animal)) == 5)
            let cat = try Cat.insert(into: context, id: 6, name: "Tom")
            #expect(try id(of: Cat.Values(cat)) == 6)
            let terminal = try #require(Toy.Values(Toy.insert(into: context, id: 1)) as Toy.Values?)
            #expect(terminal.objectID.entityName == "Toy")
            context.rollback()
        }
    }

    @MainActor @Test func creatingValuesIsObserved() async throws {
        let store = try await openStore()
        let animal = try Animal.insert(into: store.mainContext, id: 1, name: "Nemo")
        let changes = Mutex(0)
        withObservationTracking {
            _ = try? Animal.Values(animal)
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        animal.name = "Rex"
        #expect(changes.withLock(\.self) == 1)
    }

    @Test func encodesPropertiesByName() async throws {
        let store = try await openStore()
        let (line, uri) = try await store.perform { context in
            defer { context.rollback() }
            let puppy = try Puppy.insert(into: context, breed: "Poodle", tricks: ["sit"])
            puppy.id = 2
            puppy.name = "Rex"
            puppy.diet = .plants
            puppy.owner = try Owner.insert(into: context, id: 4)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let data = try encoder.encode(Puppy.Values(puppy))
            return (String(decoding: data, as: UTF8.self), puppy.owner?.objectID.uri)
        }
        #expect(
            line == """
                {"breed":"Poodle","diet":"plants","id":2,"name":"Rex",\
                "owner":"\(try #require(uri).absoluteString)","tricks":["sit"],"weeks":8}
                """)
    }

    @Test func encodesEveryTypeOfAttribute() async throws {
        let store = try await ManagedObjectStore(at: file.get().file, entities: Crate.self)
        let lines = try await store.perform { context in
            defer { context.rollback() }
            let crate = try Crate.insert(into: context, serial: .max, weight: 12.5)
            let empty = try Crate.Values(crate)
            crate.shippedAt = Date(timeIntervalSince1970: 0)
            crate.day = CalendarDate("2024-05-01")
            crate.key = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
            crate.link = URL(string: "https://example.com/a")
            crate.content = Data([1, 2])
            crate.isOpen = true
            crate.volume = 0.5
            crate.labels = ["b": [1, 2], "a": []]
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            return try [empty, Crate.Values(crate)].map {
                String(decoding: try encoder.encode($0), as: UTF8.self)
            }
        }
        #expect(
            lines == [
                #"{"isOpen":false,"labels":{},"serial":18446744073709551615,"weight":12.5}"#,
                #"{"content":"AQI=","day":"2024-05-01","isOpen":true,"#
                    + #""key":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","labels":{"a":[],"b":[1,2]},"#
                    + #""link":"https://example.com/a","serial":18446744073709551615,"#
                    + #""shippedAt":"1970-01-01T00:00:00Z","volume":0.5,"weight":12.5}"#,
            ])
    }

    @Test func findsOneToOneRelationshipOfEitherSide() async throws {
        let store = try await ManagedObjectStore(
            at: file.get().file, entities: Husband.self, Wife.self)
        try await store.perform { context in
            let wife = try Wife.insert(into: context)
            let husband = try Husband.insert(into: context, wife: wife)
            #expect(try Husband.Values(husband).wife == wife.objectID)
            #expect(try Wife.Values(wife).husband == husband.objectID)
            try context.save()
        }
        try await store.perform { context in
            let wife = try #require(try context.fetch(Wife.self).first)
            #expect(try Wife.Values(wife).husband?.entityName == "Husband")
            #expect(try Wife.Values(wife).id == wife.objectID)
        }
    }
}

@Entity private final class Crate: ManagedObject {
    var serial: UInt64
    var weight: Decimal
    var shippedAt: Date?
    var day: CalendarDate?
    var key: UUID?
    var link: URL?
    var content: Data?
    var isOpen: Bool = false
    var volume: Double?
    var labels: [String: [Int]] = [:]
    /// Private properties are no part of the values.
    private var secret: String = "hidden"
}

@Entity private final class Husband: ManagedObject {
    @Inverse(\Wife.husband) var wife: Wife?
}

@Entity private final class Wife: ManagedObject {
    var husband: Husband?
}
#endif
