// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestMapping
import Testing

@testable import RestPersistence

enum VesselKind: String, AttributeValue, CaseIterable {
    case ferry
    case tanker
}

enum VesselState: String, AttributeValue {
    case afloat
    case scrapped
}

@Entity final class Vessel: ManagedObject {
    @Identity var number: Int
    var launchedAt: Date
    var soldAt: Date?
    var built: CalendarDate
    var registry: UUID
    var decks: Int8 = 4
    var crew: UInt64
    var tonnage: Decimal
    var kind: VesselKind
    var state: VesselState
    var lastState: VesselState = .afloat
    var tags: [String] = []
    var ports: [String: Int]
}

/// Values that another program has written in a form that the type of the attribute does not have.
@Suite struct UnreadableValueTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static let date = Date(timeIntervalSince1970: 1_714_564_800)

    /// Returns a store with a ship, which another program then changes.
    private func store(_ assignment: String) async throws -> ManagedObjectStore {
        let store = try await ManagedObjectStore(at: files.file, entities: Vessel.self)
        try await store.perform { context in
            _ = try Vessel.insert(
                into: context, number: 1, launchedAt: Self.date,
                built: try #require(CalendarDate("2024-05-01")), registry: UUID(), crew: 1,
                tonnage: 2, kind: .tanker, state: .afloat, ports: ["BGO": 1])
            try context.save()
        }
        try files.execute("UPDATE Vessel SET \(assignment)")
        return store
    }

    struct Unreadable: Sendable, CustomTestStringConvertible {
        let name: String
        let value: String
        let expected: String
        let read: @Sendable (Vessel) -> String
        let readValues: @Sendable (Vessel.Values) -> String

        var testDescription: String { name }
    }

    static let values = [
        Unreadable(name: "launchedAt", value: "'yesterday'", expected: "1970-01-01 00:00:00 +0000")
        {
            "\($0.launchedAt)"
        } readValues: {
            "\($0.launchedAt)"
        },
        Unreadable(name: "soldAt", value: "'2024-13-01T00:00:00Z'", expected: "nil") {
            "\($0.soldAt.debugDescription)"
        } readValues: {
            "\($0.soldAt.debugDescription)"
        },
        Unreadable(name: "built", value: "'1/5/24'", expected: "1970-01-01") {
            "\($0.built)"
        } readValues: {
            "\($0.built)"
        },
        Unreadable(
            name: "registry", value: "'0'", expected: "00000000-0000-0000-0000-000000000000"
        ) {
            "\($0.registry)"
        } readValues: {
            "\($0.registry)"
        },
        Unreadable(name: "decks", value: "300", expected: "4") {
            "\($0.decks)"
        } readValues: {
            "\($0.decks)"
        },
        Unreadable(name: "crew", value: "'-1'", expected: "0") {
            "\($0.crew)"
        } readValues: {
            "\($0.crew)"
        },
        Unreadable(name: "tonnage", value: "'much'", expected: "0") {
            "\($0.tonnage)"
        } readValues: {
            "\($0.tonnage)"
        },
        Unreadable(name: "kind", value: "'sub'", expected: "ferry") {
            "\($0.kind)"
        } readValues: {
            "\($0.kind)"
        },
        Unreadable(name: "lastState", value: "'sunk'", expected: "afloat") {
            "\($0.lastState)"
        } readValues: {
            "\($0.lastState)"
        },
        Unreadable(name: "tags", value: "'[1, '", expected: "[]") {
            "\($0.tags)"
        } readValues: {
            "\($0.tags)"
        },
        Unreadable(name: "ports", value: "'[]'", expected: "[:]") {
            "\($0.ports)"
        } readValues: {
            "\($0.ports)"
        },
    ]

    @Test(arguments: values)
    func readsSubstituteAndReportsItOnce(_ value: Unreadable) async throws {
        let store = try await store("\(value.name) = \(value.value)")
        try await store.perform { context in
            let ship = try #require(try context.fetch(Vessel.self).first)
            #expect(value.read(ship) == value.expected)
            #expect(value.readValues(Vessel.Values(ship)) == value.expected)
            let error = #expect(throws: PersistenceError.self) { try context.fetch(Vessel.self) }
            #expect(error?.code == .unreadableValue)
            #expect((error?.entity, error?.property) == ("Vessel", value.name))
            #expect(error?.details.first?.contains("\(ship.objectID).\(value.name)") == true)
            // Reading it again is not an error again.
            #expect(value.read(ship) == value.expected)
            #expect(try context.fetch(Vessel.self) == [ship])
            #expect(!context.hasChanges)
        }
        let stored = try files.rows("SELECT \(value.name) = \(value.value) FROM Vessel")
        #expect(stored == [["1"]])
    }

    @Test func saveReportsUnreadableValue() async throws {
        let store = try await store("launchedAt = 'yesterday'")
        let context = store.makeContext()
        let ship = try #require(try context.fetch(Vessel.self).first)
        ship.soldAt = ship.launchedAt
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.code == .unreadableValue)
        #expect(error?.localizedDescription.contains("yesterday") == false)
        #expect(try files.rows("SELECT soldAt FROM Vessel") == [["-"]])
        // Setting the attribute repairs the row.
        ship.launchedAt = Self.date
        ship.soldAt = nil
        #expect(try await context.save().updated == 1)
        #expect(
            try files.rows("SELECT launchedAt FROM Vessel") == [["2024-05-01T12:00:00.000000Z"]])
    }

    @Test func transactionReportsUnreadableValueAtItsEnd() async throws {
        let store = try await store("launchedAt = 'yesterday'")
        let error = await #expect(throws: PersistenceError.self) {
            try await store.write { context in
                let ship = try #require(try context.fetch(Vessel.self).first)
                ship.soldAt = ship.launchedAt
            }
        }
        #expect(error?.code == .unreadableValue)
        #expect(try files.rows("SELECT soldAt FROM Vessel") == [["-"]])
    }

    @Test func rollbackReportsAgain() async throws {
        let store = try await store("decks = 300")
        let context = store.makeContext()
        for _ in 0..<2 {
            let ship = try #require(try context.fetch(Vessel.self).first)
            #expect(ship.decks == 4)
            #expect(throws: PersistenceError.self) { try context.count(Vessel.self) }
            context.rollback()
        }
    }

    @Test func valueByNameThrows() async throws {
        let store = try await store("launchedAt = 'yesterday'")
        try await store.perform { context in
            let ship = try #require(try context.fetch(Vessel.self).first)
            let error = #expect(throws: PersistenceError.self) {
                try ship.value("launchedAt", as: Date.self)
            }
            #expect(error?.code == .unreadableValue)
            #expect(
                error?.details == ["the text of \(ship.objectID).launchedAt is no value of Date"])
        }
    }

    /// An attribute that has no value to read ends the program, with the reason.
    @Test func missingSubstituteIsNamed() async throws {
        let store = try await store("state = 'sunk'")
        try store.close()
        let path = files.file.path(percentEncoded: false)
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [path = path as String] in
            let store = try await ManagedObjectStore(
                at: URL(filePath: path), entities: Vessel.self)
            try await store.perform { context in
                _ = try context.fetch(Vessel.self).map(\.state)
            }
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("unreadableValue in Vessel.state: the text of Vessel/"))
        #expect(output.contains("has no default value"))
    }

    @Test(arguments: [
        "launchedAt = '2024-05-01T14:00:00+02:00'", "launchedAt = '2024-05-01T12:00:00Z'",
        "registry = upper(registry)",
    ])
    func readsOtherFormsOfSameValue(_ assignment: String) async throws {
        let store = try await store(assignment)
        try await store.perform { context in
            let ship = try #require(try context.fetch(Vessel.self).first)
            #expect(ship.launchedAt == Self.date)
            #expect(ship.registry != UUID(uuidString: "00000000-0000-0000-0000-000000000000"))
            #expect(try context.count(Vessel.self) == 1)
        }
    }

    /// A list creates objects whose rows are read later, and may be gone by then.
    @Test func objectThatWasNeverReadHasDefaults() async throws {
        let store = try await store("decks = 5")
        let context = store.makeContext()
        let ids = try context.fetchIDs(FetchRequest("Vessel"))
        let moment = store.moment
        let ship = try #require(
            try context.objects(Vessel.self, with: ids, existingAt: moment).first)
        try files.execute("DELETE FROM Vessel")
        #expect(ship.decks == 4)
        #expect(ship.objectState == .deleted)
    }
}
#endif
