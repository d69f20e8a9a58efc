// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

/// Edits that a program sets back to the values before them, while others save the edited values.
@Suite struct RestoredEditTests {
    static let policies = [MergePolicy.fail, .storeWins, .contextWins]

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// A property of the airport, its values before and after the edit, and its row.
    enum Edit: CaseIterable, Sendable {
        case attribute
        case toOne
        case oneToOne
        case inverse
        case joinTable

        func set(_ isEdited: Bool, in context: ManagedObjectContext) throws {
            let airport = try #require(try context.first(Airport.self))
            let terminal = try #require(try context.first(Terminal.self))
            let airline = try #require(try context.first(Airline.self))
            let city = try #require(try context.first(City.self))
            let mayor = try #require(try context.first(Mayor.self))
            switch self {
            case .attribute: airport.name = isEdited ? "edited" : "original"
            case .toOne: airport.city = isEdited ? city : nil
            case .oneToOne: mayor.city = isEdited ? city : nil
            case .inverse: airport.terminals = isEdited ? [terminal] : []
            case .joinTable: airline.terminals = isEdited ? [terminal] : []
            }
        }

        func isEdited(in context: ManagedObjectContext) throws -> Bool {
            switch self {
            case .attribute: try context.first(Airport.self)?.name == "edited"
            case .toOne: try context.first(Airport.self)?.city != nil
            case .oneToOne: try context.first(Mayor.self)?.city != nil
            case .inverse: try context.first(Airport.self)?.terminals.isEmpty == false
            case .joinTable: try context.first(Airline.self)?.terminals.isEmpty == false
            }
        }
    }

    private func store() async throws -> ManagedObjectStore {
        let store = try await files.open()
        try await store.write { context in
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name) = ("OSL", "original")
            try context.insert(Terminal.self).number = 1
            try context.insert(Airline.self).code = "SK"
            try context.insert(City.self).name = "Oslo"
            try context.insert(Mayor.self).name = "Anne"
        }
        return store
    }

    private func isEditedInStore(_ edit: Edit, _ store: ManagedObjectStore) throws -> Bool {
        try edit.isEdited(in: store.makeContext())
    }

    @Test(arguments: Edit.allCases, policies)
    func writesRestoredValueOverStoredEdit(_ edit: Edit, _ policy: MergePolicy) async throws {
        let store = try await store()
        let context = store.makeContext()
        context.mergePolicy = policy
        try edit.set(true, in: context)
        try await store.write { try edit.set(true, in: $0) }
        // Fetching takes the commit.
        #expect(try edit.isEdited(in: context))
        try edit.set(false, in: context)
        #expect(context.hasChanges)
        #expect(try await context.save().hasChanges)
        #expect(try !isEditedInStore(edit, store))
        #expect(try !edit.isEdited(in: context))
    }

    @Test(arguments: Edit.allCases, policies)
    func writesRestoredValueOfChild(_ edit: Edit, _ policy: MergePolicy) async throws {
        let store = try await store()
        let parent = store.makeContext()
        parent.mergePolicy = policy
        let child = parent.child()
        try edit.set(true, in: child)
        try edit.set(true, in: parent)
        #expect(try edit.isEdited(in: child))
        try edit.set(false, in: child)
        try await child.save()
        #expect(try !edit.isEdited(in: parent))
        try await parent.save()
        #expect(try !isEditedInStore(edit, store))
    }

    /// An edit that was set back ends, so that its property follows the store.
    @Test(arguments: [Edit.attribute, .toOne, .oneToOne, .inverse], policies)
    func restoredValueFollowsStore(_ edit: Edit, _ policy: MergePolicy) async throws {
        let store = try await store()
        let context = store.makeContext()
        context.mergePolicy = policy
        try edit.set(true, in: context)
        try edit.set(false, in: context)
        #expect(!context.hasChanges && context.updatedObjects.isEmpty)
        try await store.write { try edit.set(true, in: $0) }
        #expect(try edit.isEdited(in: context))
        #expect(try await !context.save().hasChanges)
        #expect(try isEditedInStore(edit, store))
    }

    /// The row has changed before the value was restored, so that the policy decides.
    @Test(arguments: policies)
    func policyDecidesOverThirdValue(_ policy: MergePolicy) async throws {
        let store = try await store()
        let context = store.makeContext()
        context.mergePolicy = policy
        let airport = try #require(try context.first(Airport.self))
        airport.name = "edited"
        try await store.write { try $0.first(Airport.self)?.name = "third" }
        // Fetching takes the commit.
        #expect(try context.first(Airport.self)?.name == "edited")
        airport.name = "original"
        do {
            try await context.save()
            #expect(policy != .fail)
        } catch {
            #expect(policy == .fail)
            #expect(error.conflicts.map(\.property) == ["name"])
        }
        let names = [MergePolicy.fail: "third", .storeWins: "third", .contextWins: "original"]
        #expect(try files.rows("SELECT name FROM Airport") == [[try #require(names[policy])]])
    }

    /// Rows take the places of those whose edits end.
    @Test func otherEditsStayWhenSomeEnd() async throws {
        let store = try await store()
        try await store.write { context in
            for number in 2...9 { try context.insert(Terminal.self).number = number }
        }
        let context = store.makeContext()
        let airport = try #require(try context.first(Airport.self))
        let terminals = try context.fetch(Terminal.self, orderBy: \.number)
        for terminal in terminals {
            terminal.number += 100
            terminal.airport = airport
        }
        for terminal in terminals.prefix(5) { terminal.number -= 100 }
        for terminal in terminals.prefix(3) { terminal.airport = nil }
        #expect(airport.terminals.count == 6)
        #expect(context.updatedObjects.count == 6)
        try await context.save()
        #expect(
            try files.rows("SELECT number, airport IS NULL FROM Terminal ORDER BY number")
                == [
                    ["1", "1"], ["2", "1"], ["3", "1"], ["4", "0"], ["5", "0"], ["106", "0"],
                    ["107", "0"], ["108", "0"], ["109", "0"],
                ])
    }

    @Test func restoredValueWritesNothing() async throws {
        let store = try await store()
        let context = store.makeContext()
        for edit in Edit.allCases where edit != .joinTable {
            try edit.set(true, in: context)
            try edit.set(false, in: context)
        }
        let observer = try files.observer()
        let before = try observer.dataVersion()
        #expect(try await !context.save().hasChanges)
        #expect(try observer.dataVersion() == before)
    }

    @Test(arguments: policies)
    func restoredValueOfDeletedRowIsNoChange(_ policy: MergePolicy) async throws {
        let store = try await store()
        let context = store.makeContext()
        context.mergePolicy = policy
        try Edit.attribute.set(true, in: context)
        try Edit.attribute.set(false, in: context)
        try await store.write { try $0.delete(#require(try $0.first(Airport.self))) }
        #expect(try await !context.save().hasChanges)
    }
}
