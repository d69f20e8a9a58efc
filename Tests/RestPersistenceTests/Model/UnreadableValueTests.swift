// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestDocument
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
        let substitute: String
        let read: @Sendable (Vessel) -> String
        let testDescription: String

        init<Value>(
            _ name: String, _ value: String, _ substitute: String,
            _ path: any KeyPath<Vessel, Value> & Sendable
        ) {
            (self.name, self.value, self.substitute) = (name, value, substitute)
            read = { "\($0[keyPath: path])" }
            testDescription = name
        }
    }

    static let values = [
        Unreadable("launchedAt", "'yesterday'", "1970-01-01 00:00:00 +0000", \.launchedAt),
        Unreadable("soldAt", "'2024-13-01T00:00:00Z'", "nil", \.soldAt),
        Unreadable("built", "'1/5/24'", "1970-01-01", \.built),
        Unreadable("registry", "'0'", "00000000-0000-0000-0000-000000000000", \.registry),
        Unreadable("decks", "300", "4", \.decks),
        Unreadable("crew", "'-1'", "0", \.crew),
        Unreadable("tonnage", "'much'", "0", \.tonnage),
        Unreadable("kind", "'sub'", "ferry", \.kind),
        Unreadable("lastState", "'sunk'", "afloat", \.lastState),
        Unreadable("tags", "'[1, '", "[]", \.tags),
        Unreadable("ports", "'[]'", "[:]", \.ports),
    ]

    /// Checks that an error is about an attribute of an object.
    private func expect(
        _ error: PersistenceError?, isAbout id: ManagedObjectID, _ name: String,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.code == .unreadableValue, sourceLocation: location)
        #expect((error?.entity, error?.property) == ("Vessel", name), sourceLocation: location)
        #expect(
            error?.details.first?.contains("\(id).\(name)") == true, sourceLocation: location)
    }

    @Test(arguments: values)
    func readsSubstituteAndReportsItOnce(_ value: Unreadable) async throws {
        let store = try await store("\(value.name) = \(value.value)")
        try await store.perform { context in
            let ship = try #require(try context.fetch(Vessel.self).first)
            #expect(value.read(ship) == value.substitute)
            let error = #expect(throws: PersistenceError.self) { try context.fetch(Vessel.self) }
            expect(error, isAbout: ship.objectID, value.name)
            // Reading it again is not an error again.
            #expect(value.read(ship) == value.substitute)
            #expect(try context.fetch(Vessel.self) == [ship])
            #expect(!context.hasChanges)
        }
        let stored = try files.rows("SELECT \(value.name) = \(value.value) FROM Vessel")
        #expect(stored == [["1"]])
    }

    @Test(arguments: values)
    func valuesAndPathsFail(_ value: Unreadable) async throws {
        let store = try await store("\(value.name) = \(value.value)")
        var snapshots = store.values(Vessel.Values.self).makeAsyncIterator()
        var observed: PersistenceError?
        do { _ = try await snapshots.next() } catch { observed = error }
        try await store.perform { [observed] context in
            let ship = try #require(try context.fetch(Vessel.self).first)
            expect(observed, isAbout: ship.objectID, value.name)
            let error = #expect(throws: PersistenceError.self) { try Vessel.Values(ship) }
            expect(error, isAbout: ship.objectID, value.name)
            let named = #expect(throws: MappingError.self) { try ship.value(named: value.name) }
            #expect(named?.issue?.property == value.name)
            // The context reports values that were read, which these were not.
            #expect(try context.fetch(Vessel.self) == [ship])
            #expect(try ship.value(named: "number") as? Int == 1)
        }
    }

    @Test func observedValuesFailWhenTheyChange() async throws {
        let store = try await store("decks = 5")
        var snapshots = store.values(Vessel.Values.self).makeAsyncIterator()
        #expect(try await snapshots.next()?.values.map(\.decks) == [5])
        try files.execute("UPDATE Vessel SET decks = 300")
        let context = store.makeContext()
        let ship = try #require(try context.fetch(Vessel.self).first)
        for soldAt in [Self.date, nil] {
            ship.soldAt = soldAt
            try await context.save()
            var error: PersistenceError?
            do { _ = try await snapshots.next() } catch let failure { error = failure }
            expect(error, isAbout: ship.objectID, "decks")
        }
        ship.decks = 6
        try await context.save()
        let next = try await snapshots.next()
        #expect(next?.values.map(\.decks) == [6])
        #expect(next?.difference.updated == [0])
    }

    /// The types of the columns, which decide whether a representation has the value.
    @Test(arguments: values)
    func representationFailsUnlessColumnHasValue(_ value: Unreadable) async throws {
        let store = try await store("\(value.name) = \(value.value)")
        let representable: [String: Document] = [
            "decks": 300, "kind": "sub", "lastState": "sunk", "ports": [],
        ]
        let expected = representable[value.name]
        try await store.perform { context in
            let ship = try #require(try context.fetch(Vessel.self).first)
            let plan = try RequestPlan(RequestMapping(for: Vessel.self, [value.name]))
            if let expected {
                #expect(try plan.document(of: ship) == [value.name: expected])
            } else {
                let error = #expect(throws: MappingError.self) { try plan.document(of: ship) }
                #expect(error?.issue?.property == value.name)
                #expect(error?.issue?.found.contains("\(ship.objectID).\(value.name)") == true)
            }
        }
    }

    @Test func failedReadIsNoRepresentation() async throws {
        let store = try await store("decks = 5")
        let context = store.makeContext()
        let ship = try #require(try context.fetch(Vessel.self).first)
        context.refreshAllObjects()
        try store.close()
        let plan = try RequestPlan(RequestMapping(for: Vessel.self, ["decks"]))
        let error = #expect(throws: MappingError.self) { try plan.document(of: ship) }
        #expect(error?.issue?.found.contains("storeClosed") == true)
        let failure = #expect(throws: PersistenceError.self) { try Vessel.Values(ship) }
        #expect(failure?.code == .storeClosed)
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
