// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestDocument
import RestMapping
import RestPersistence
import Testing

/// Entities with generated members.
private enum Entities {
    @Entity final class Airport: ManagedObject {
        @Identity var code: String
        var name: String
        @MappedKey("opened_at") var openedAt: Date?
        var passengers: Int = 0
        var isHub = false
        @Inverse(\Terminal.airport) var terminals: Set<Terminal>
        var kind: Kind?
    }

    @Entity(name: "Gate") final class Terminal: ManagedObject {
        @Identity var number: Int
        var airport: Airport?
        @Inverse("neighbours") var neighbours: Set<Terminal> = []
        @MappedIgnored var isSelected = false
    }

    @Entity(keys: .snakeCase) final class Runway: ManagedObject {
        var lengthInMetres: Int
        @MappedKey("IATA") var airportCode: String
        var surface: String?
    }
}

/// Entities with handwritten members that equal the generated ones.
enum HandwrittenEntities {
    final class Airport: ManagedObject {
        var code: String {
            get { managedValue(0) }
            set { setManagedValue(0, newValue) }
        }
        var name: String {
            get { managedValue(1) }
            set { setManagedValue(1, newValue) }
        }
        var openedAt: Date? {
            get { managedValue(2) }
            set { setManagedValue(2, newValue) }
        }
        var passengers: Int {
            get { managedValue(3) }
            set { setManagedValue(3, newValue) }
        }
        var isHub: Bool {
            get { managedValue(4) }
            set { setManagedValue(4, newValue) }
        }
        var terminals: Set<Terminal> {
            get { managedValue(5) }
            set { setManagedValue(5, newValue) }
        }
        var kind: Kind? {
            get { managedValue(6) }
            set { setManagedValue(6, newValue) }
        }
    }

    final class Terminal: ManagedObject {
        var number: Int {
            get { managedValue(0) }
            set { setManagedValue(0, newValue) }
        }
        var airport: Airport? {
            get { managedValue(1) }
            set { setManagedValue(1, newValue) }
        }
        var neighbours: Set<Terminal> {
            get { managedValue(2) }
            set { setManagedValue(2, newValue) }
        }
        var isSelected = false
    }
}

extension HandwrittenEntities.Airport: ManagedEntity {
    static let entity = EntityDescription(
        HandwrittenEntities.Airport.self,
        [
            .property("code", \HandwrittenEntities.Airport.code, isIdentity: true),
            .property("name", \HandwrittenEntities.Airport.name),
            .property("openedAt", \HandwrittenEntities.Airport.openedAt, sourceKey: "opened_at"),
            .property("passengers", \HandwrittenEntities.Airport.passengers, default: 0),
            .property("isHub", \HandwrittenEntities.Airport.isHub, default: false),
            .property(
                "terminals", \HandwrittenEntities.Airport.terminals,
                inverse: "airport"),
            .property("kind", \HandwrittenEntities.Airport.kind),
        ])
}

extension HandwrittenEntities.Terminal: ManagedEntity {
    static let entity = EntityDescription(
        HandwrittenEntities.Terminal.self, name: "Gate",
        [
            .property("number", \HandwrittenEntities.Terminal.number, isIdentity: true),
            .property("airport", \HandwrittenEntities.Terminal.airport),
            .property(
                "neighbours", \HandwrittenEntities.Terminal.neighbours,
                inverse: "neighbours"),
        ])
}

enum Kind: String, AttributeValue {
    case civil
    case military
}

@Suite struct EntityEquivalenceTests {
    @Test func appliesKeyStyle() {
        #expect(
            Entities.Runway.properties.properties.map(\.source.description)
                == ["length_in_metres", "IATA", "surface"])
    }

    @Test func generatesEqualDescriptions() {
        #expect(rows(of: Entities.Airport.entity) == rows(of: HandwrittenEntities.Airport.entity))
        #expect(rows(of: Entities.Terminal.entity) == rows(of: HandwrittenEntities.Terminal.entity))
    }

    @Test func generatesEqualModels() throws {
        let generated = try ManagedObjectModel([Entities.Airport.self, Entities.Terminal.self])
        let written = try ManagedObjectModel([
            HandwrittenEntities.Airport.self, HandwrittenEntities.Terminal.self,
        ])
        #expect(generated.fingerprint == written.fingerprint)
        #expect(generated.fingerprint.contains("Gate"))
    }

    @Test func generatesAccessorsOfEachProperty() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "EntityEquivalenceTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try await ManagedObjectStore(
            at: directory.appending(path: "objects.sqlite"), entities: Entities.Airport.self,
            Entities.Terminal.self)
        let date = Date(timeIntervalSince1970: 907_804_800)
        try await store.perform { context in
            let airport = try context.insert(Entities.Airport.self)
            #expect(airport.passengers == 0)
            #expect(!airport.isHub)
            #expect(airport.openedAt == nil)
            airport.code = "OSL"
            airport.name = "Gardermoen"
            airport.openedAt = date
            airport.passengers = 3
            airport.isHub = true
            airport.kind = .civil
            #expect(try airport.text(at: "code") == "OSL")
            #expect(try airport.text(at: "kind") == "civil")
            let terminals = try (1...2).map { number in
                let terminal = try context.insert(Entities.Terminal.self)
                terminal.number = number
                return terminal
            }
            terminals[0].airport = airport
            #expect(airport.terminals == [terminals[0]])
            airport.terminals = Set(terminals)
            #expect(terminals[1].airport === airport)
            terminals[0].neighbours = [terminals[1]]
            #expect(terminals[1].neighbours == [terminals[0]])
            terminals[0].isSelected = true
            try context.save()
        }
        try await store.perform { context in
            let airports = try context.fetch(
                Entities.Airport.self, where: { $0.terminals.count > 1 }, orderBy: \.name)
            let airport = try #require(airports.first)
            #expect(airport.code == "OSL")
            #expect(airport.name == "Gardermoen")
            #expect(airport.openedAt == date)
            #expect(airport.passengers == 3)
            #expect(airport.isHub)
            #expect(airport.kind == .civil)
            let terminals = airport.terminals.sorted { $0.number < $1.number }
            #expect(terminals.map(\.number) == [1, 2])
            #expect(terminals[0].neighbours == [terminals[1]])
            #expect(!terminals[0].isSelected)
        }
    }

    /// Returns the accessible properties of a description as text.
    private func rows(of entity: EntityDescription) -> [String] {
        [entity.name] + entity.attributes.map { "\($0)" }
            + entity.relationships.map {
                "\($0.name) \($0.isToMany) \($0.isOptional) \($0.sourceKey ?? "-") "
                    + $0.destinationName
            }
    }
}
#endif
