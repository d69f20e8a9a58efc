// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence

/// Imports that fail at each of their steps, after which store, parents and objects are as before.
@Suite struct ImportFaultTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    enum Fault: Sendable, CustomTestStringConvertible {
        case transform(Int)
        case missingValue(Int)
        case validation(Int)
        case insertion(Int)
        case update(Int)
        case link(Int)
        case hook
        case commit

        var testDescription: String { "\(self)" }
    }

    /// The objects of the last two representations are new, so that they need their names.
    static let faults: [Fault] =
        (2..<4).map { .transform($0) } + (2..<4).map { .missingValue($0) }
        + (0..<4).map { .validation($0) } + insertions.indices.map { .insertion($0) }
        + (0..<2).map { .update($0) } + (0..<3).map { .link($0) } + [.hook, .commit]

    /// The tables, and the number of rows at which the next insertion fails.
    private static let insertions = [
        ("Airport", 2), ("Airport", 3), ("Terminal", 0), ("Terminal", 1), ("City", 0),
        ("Airline", 0), ("Airline", 1),
    ]

    private struct Failure: Error {}

    private static let names = ["Gardermoen", "Flesland", "Torp", "Sola"]

    private static func document(_ fault: Fault) throws -> Node {
        var names = names.map { ", \"name\": \"\($0)\"" }
        if case .missingValue(let index) = fault { names[index] = "" }
        return try Document(
            parsing: """
                [{"code": "OSL"\(names[0]), "city": {"name": "Oslo"}, "terminals":
                    [{"number": 1, "airlines": [{"code": "SK"}, {"code": "DY"}]},
                     {"number": 2, "airlines": [{"code": "SK"}]}]},
                 {"code": "BGO"\(names[1])}, {"code": "TRF"\(names[2])},
                 {"code": "SVG"\(names[3])}]
                """
        ).root
    }

    private static func plan(
        _ store: ManagedObjectStore, _ fault: Fault
    ) throws -> EntityMappingPlan {
        let count = Mutex(0)
        let name = ValueTransform<String>("name") { node in
            let index = count.withLock { count in
                defer { count += 1 }
                return count
            }
            if case .transform(index) = fault { throw Failure() }
            guard let text = node.string else { throw Failure() }
            return text
        }
        let mapping = ObjectMapping(for: Airport.self) {
            attribute("code", to: \.code)
            attribute("name", to: \.name, using: name)
            relationship("city", to: \.city)
            relationship("terminals", to: \.terminals)
        }
        return try EntityMappingPlan(EntityMapping(mapping), in: store.model)
    }

    /// Adds a trigger that refuses the statement of the fault, by another connection.
    private func prepare(_ fault: Fault) throws {
        let abort = "BEGIN SELECT RAISE(ABORT, 'fault'); END"
        switch fault {
        case .insertion(let index):
            let (table, count) = Self.insertions[index]
            try files.execute(
                "CREATE TRIGGER fault BEFORE INSERT ON \(table) "
                    + "WHEN (SELECT count(*) FROM \(table)) >= \(count) \(abort)")
        case .update(let index):
            try files.execute(
                "CREATE TRIGGER fault BEFORE UPDATE ON Airport "
                    + "WHEN new.code = '\(["OSL", "BGO"][index])' \(abort)")
        case .link(let index):
            try files.execute(
                "CREATE TRIGGER fault BEFORE INSERT ON Airline_terminals "
                    + "WHEN (SELECT count(*) FROM Airline_terminals) >= \(index) \(abort)")
        case .commit:
            // A dangling reference, which is found when the transaction is committed.
            try files.execute(
                "CREATE TRIGGER fault AFTER INSERT ON City "
                    + "BEGIN UPDATE Airport SET city = 999999999; END")
        default: break
        }
    }

    private func content() throws -> [[[String]]] {
        try ["Airport", "Terminal", "City", "Airline", "Airline_terminals"].map {
            try files.rows("SELECT * FROM \($0) ORDER BY 1, 2")
        }
    }

    private func insertKnown(_ store: ManagedObjectStore) async throws {
        try await store.write { context in
            for code in ["OSL", "BGO"] {
                let airport = try context.insert(Airport.self)
                (airport.code, airport.name, airport.passengers) = (code, "before", 5)
            }
        }
    }

    @Test(.threat("T56"), arguments: faults)
    func storeIsUntouched(after fault: Fault) async throws {
        let store = try await files.open()
        try await insertKnown(store)
        try prepare(fault)
        let before = try content()
        let plan = try Self.plan(store, fault)
        let commits = store.commits
        await #expect(throws: (any Error).self) {
            let mapped = try MappedRepresentation(Self.document(fault), by: plan)
            try await store.write { try fail(fault, mapped, in: $0) }
        }
        #expect(try content() == before)
        // The first commit that is observed is one after the fault.
        try files.execute("DROP TRIGGER IF EXISTS fault")
        let id = try await store.insertAirline("LH")
        var iterator = commits.makeAsyncIterator()
        var commit = await iterator.next()
        while commit?.origin == .foreign { commit = await iterator.next() }
        #expect(commit?.insertedIDs == [id])
    }

    /// Imports into the transaction, and fails in the step of the fault.
    private func fail(
        _ fault: Fault, _ mapped: MappedRepresentation, in context: ManagedObjectContext
    ) throws {
        _ = try context.importObjects(mapped)
        if case .validation(let index) = fault {
            let airports = try context.fetch(Airport.self, orderBy: \.code)
            airports[index].setRequiredNameToNull()
        }
        context.willSave = { _ in if case .hook = fault { throw Failure() } }
        try context.save()
    }

    @Test(.threat("T56"), arguments: faults)
    func contextsAndTargetAreUntouched(after fault: Fault) async throws {
        let store = try await files.open()
        try await insertKnown(store)
        try prepare(fault)
        let before = try content()
        let plan = try Self.plan(store, fault)
        let parent = store.makeContext()
        let context = parent.child()
        let target = try #require(try context.first(Airport.self, where: { $0.code == "OSL" }))
        let other = try #require(try parent.first(Airport.self, where: { $0.code == "BGO" }))
        target.passengers = 6
        other.passengers = 7
        let new = try context.insert(Airline.self)
        new.code = "AA"
        await #expect(throws: (any Error).self) {
            let mapped = try MappedRepresentation(Self.document(fault), by: plan)
            _ = try await context.performChildAndSave { try fail(fault, mapped, in: $0) }
        }
        #expect(try content() == before)
        #expect((target.name, target.passengers) == ("before", 6))
        #expect((other.name, other.passengers) == ("before", 7))
        #expect(target.changedValues == ["passengers": .integer(6)])
        #expect(other.changedValues == ["passengers": .integer(7)])
        #expect(context.insertedObjects == [new] && context.updatedObjects == [target])
        #expect(parent.insertedObjects.isEmpty && parent.updatedObjects == [other])
        #expect(try context.fetch(Airport.self).count == 2)
        #expect(try context.fetch(Airline.self) == [new])
        // The contexts can still be saved.
        try files.execute("DROP TRIGGER IF EXISTS fault")
        try await context.saveToStore()
        let rows = try files.rows("SELECT code, name, passengers FROM Airport ORDER BY code")
        #expect(rows == [["BGO", "before", "7"], ["OSL", "before", "6"]])
    }
}

extension ManagedObject {
    /// Sets the required name to null, which makes the object invalid.
    fileprivate func setRequiredNameToNull() {
        guard let column = layout.columns.firstIndex(where: { $0.name == "name" }) else { return }
        context.set(.null, column, of: objectID.key, in: layout)
    }
}
