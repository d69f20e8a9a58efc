// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// Edits of a context on the main actor while one of its saves is under way.
@MainActor
@Suite struct AsynchronousSavingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// The context and the objects of a test.
    fileprivate struct Scene {
        let context: ManagedObjectContext
        let airport: Airport
        let added: Airport
        let oslo: City
        let terminal: Terminal
    }

    /// An edit while the save is under way, and the content of the file after the next save.
    enum Edit: CaseIterable {
        case none, sameProperty, savedValue, otherProperty, deletion, insertion
        case insertedObject, deletionOfInsertedObject, reference, members, pairs

        fileprivate var airports: [String] {
            switch self {
            case .sameProperty: ["ADD new 0 -", "OSL during 2 Oslo"]
            case .savedValue: ["ADD new 0 -", "OSL first 2 Oslo"]
            case .otherProperty: ["ADD new 0 -", "OSL saved 9 Oslo"]
            case .deletion: ["ADD new 0 -"]
            case .insertion: ["ADD new 0 -", "INS during 0 -", "OSL saved 2 Oslo"]
            case .insertedObject: ["ADD during 0 Oslo", "OSL saved 2 Oslo"]
            case .deletionOfInsertedObject: ["OSL saved 2 Oslo"]
            case .reference: ["ADD new 0 -", "OSL saved 2 -"]
            case .none, .members, .pairs: Edit.saved
            }
        }

        fileprivate static let saved = ["ADD new 0 -", "OSL saved 2 Oslo"]

        fileprivate var terminals: [String] {
            switch self {
            case .deletion: ["1 - SK"]
            case .members: ["1 ADD SK"]
            case .pairs: ["1 OSL -"]
            default: ["1 OSL SK"]
            }
        }

        @MainActor fileprivate func run(_ scene: Scene) throws {
            switch self {
            case .none: break
            case .sameProperty: scene.airport.name = "during"
            case .savedValue: scene.airport.name = "first"
            case .otherProperty: scene.airport.passengers = 9
            case .deletion: scene.context.delete(scene.airport)
            case .insertion:
                let airport = try scene.context.insert(Airport.self)
                (airport.code, airport.name) = ("INS", "during")
            case .insertedObject: (scene.added.name, scene.added.city) = ("during", scene.oslo)
            case .deletionOfInsertedObject: scene.context.delete(scene.added)
            case .reference: scene.airport.city = nil
            case .members: scene.added.terminals = [scene.terminal]
            case .pairs: scene.terminal.airlines = []
            }
        }
    }

    /// Returns a context with unsaved changes: of an airport, a new one, a reference and a pair.
    private func scene(in context: ManagedObjectContext) throws -> Scene {
        let airport = try context.insert(Airport.self)
        (airport.code, airport.name, airport.passengers) = ("OSL", "first", 1)
        let oslo = try context.insert(City.self)
        oslo.name = "Oslo"
        let terminal = try context.insert(Terminal.self)
        (terminal.number, terminal.airport) = (1, airport)
        let airline = try context.insert(Airline.self)
        airline.code = "SK"
        try context.saveToStore()
        let added = try context.insert(Airport.self)
        (added.code, added.name) = ("ADD", "new")
        (airport.name, airport.passengers, airport.city) = ("saved", 2, oslo)
        terminal.airlines = [airline]
        return Scene(
            context: context, airport: airport, added: added, oslo: oslo, terminal: terminal)
    }

    private func airports() throws -> [String] {
        try files.rows(
            "SELECT a.code, a.name, passengers, c.name FROM Airport a "
                + "LEFT JOIN City c ON c.restkit_key = a.city ORDER BY 1"
        ).map { $0.joined(separator: " ") }
    }

    private func terminals() throws -> [String] {
        try files.rows(
            """
            SELECT t.number, a.code, l.code FROM Terminal t
            LEFT JOIN Airport a ON a.restkit_key = t.airport
            LEFT JOIN Airline_terminals p ON p.target = t.restkit_key
            LEFT JOIN Airline l ON l.restkit_key = p.source
            """
        ).map { $0.joined(separator: " ") }
    }

    // MARK: Saving

    @Test(arguments: Edit.allCases) func keepsEditsOutOfRunningSave(edit: Edit) async throws {
        let context = try await files.openPatiently().mainContext
        let scene = try scene(in: context)
        let saved = try await files.save(context, by: { try await context.save() }) {
            try edit.run(scene)
        }
        _ = try saved.get()
        #expect(try airports() == Edit.saved)
        #expect(try terminals() == Edit.none.terminals)
        #expect(context.hasChanges == (edit != .none))
        try await context.save()
        #expect(try airports() == edit.airports)
        #expect(try terminals() == edit.terminals)
        #expect(!context.hasChanges)
    }

    @Test(arguments: Edit.allCases)
    func keepsEditsOutOfRunningSaveOfParents(edit: Edit) async throws {
        let parent = try await files.openPatiently().mainContext
        let child = parent.child()
        let scene = try scene(in: child)
        let saved = try await files.save(child, by: { try await child.saveToStore() }) {
            try edit.run(scene)
        }
        _ = try saved.get()
        #expect(try airports() == Edit.saved)
        #expect(try terminals() == Edit.none.terminals)
        #expect(child.hasChanges == (edit != .none))
        #expect(!parent.hasChanges)
        try await child.saveToStore()
        #expect(try airports() == edit.airports)
        #expect(try terminals() == edit.terminals)
    }

    /// Edits of the parent while a save of its child is under way, which the parent does not show yet.
    @Test func keepsEditsOfParentAndChild() async throws {
        let parent = try await files.openPatiently().mainContext
        let child = parent.child()
        let scene = try scene(in: child)
        let city = try parent.object(City.self, with: scene.oslo.objectID)
        let saved = try await files.save(child, by: { try await child.saveToStore() }) {
            city.population = 7
            scene.airport.name = "child"
        }
        _ = try saved.get()
        #expect(try airports() == Edit.saved)
        #expect(scene.airport.name == "child")
        #expect(scene.oslo.population == 7)
        #expect(parent.hasChanges && child.hasChanges)
        try await parent.save()
        #expect(try files.rows("SELECT population FROM City") == [["7"]])
        #expect(try airports() == Edit.saved)
        try await child.saveToStore()
        #expect(try airports() == ["ADD new 0 -", "OSL child 2 Oslo"])
    }

    /// The parent has not seen the value that its child saves: the policy of conflicts decides.
    @Test(arguments: [MergePolicy.fail, .storeWins, .contextWins])
    func editOfParentAndSaveOfChildConflict(policy: MergePolicy) async throws {
        let parent = try await files.openPatiently().mainContext
        parent.mergePolicy = policy
        let child = parent.child()
        let scene = try scene(in: child)
        let airport = try parent.object(Airport.self, with: scene.airport.objectID)
        let saved = try await files.save(child, by: { try await child.saveToStore() }) {
            airport.passengers = 7
        }
        _ = try saved.get()
        #expect(try airports() == Edit.saved)
        if policy == .fail {
            let error = await #expect(throws: PersistenceError.self) {
                try await parent.save()
            }
            #expect(error?.code == .saveConflict)
            #expect(airport.passengers == 7)
        } else {
            try await parent.save()
        }
        #expect(
            try airports() == [
                "ADD new 0 -", "OSL saved \(policy == .contextWins ? 7 : 2) Oslo",
            ])
    }

    // MARK: Failing

    /// A failed save leaves its changes and the edits unsaved, and the next one writes both.
    @Test(arguments: Edit.allCases) func failedSaveKeepsAllChanges(edit: Edit) async throws {
        let context = try await files.openPatiently().mainContext
        let scene = try scene(in: context)
        let failed = try await files.save(
            context, by: { try await context.save() },
            otherWrite: "INSERT INTO Airport (restkit_key, code, name, passengers) "
                + "VALUES (900000, 'ADD', 'other', 0)"
        ) {
            try edit.run(scene)
        }
        guard case .failure(let error as PersistenceError) = failed else {
            Issue.record("the save has not failed")
            return
        }
        #expect(error.code == .identityConflict)
        #expect(try airports() == ["ADD other 0 -", "OSL first 1 -"])
        #expect(context.hasChanges)
        try files.execute("DELETE FROM Airport WHERE code = 'ADD'")
        try await context.save()
        #expect(try airports() == edit.airports)
        #expect(try terminals() == edit.terminals)
    }

    // MARK: Order

    @Test func secondSaveWaitsForFirst() async throws {
        let context = try await files.openPatiently().mainContext
        let scene = try scene(in: context)
        var second: Task<SaveReport, any Error>?
        let saved = try await files.save(context, by: { try await context.save() }) {
            scene.airport.name = "during"
            second = Task { try await context.save() }
        }
        _ = try saved.get()
        let report = try await #require(second).value
        #expect(report.updated == 1)
        #expect(try airports() == ["ADD new 0 -", "OSL during 2 Oslo"])
        #expect(!context.hasChanges)
    }

    /// The save that is under way cannot be revoked; the edits can.
    @Test func rollbackDiscardsEditsOnly() async throws {
        let context = try await files.openPatiently().mainContext
        let scene = try scene(in: context)
        let saved = try await files.save(context, by: { try await context.save() }) {
            scene.airport.name = "during"
            context.rollback()
        }
        _ = try saved.get()
        #expect(try airports() == Edit.saved)
        #expect(scene.airport.name == "saved")
        #expect(!context.hasChanges)
    }
}
