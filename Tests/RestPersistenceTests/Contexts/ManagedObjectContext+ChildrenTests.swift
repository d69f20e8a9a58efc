// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RestDocument
import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectContextChildrenTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func insert(_ code: String, in context: ManagedObjectContext) throws -> Airline {
        let airline = try context.insert(Airline.self)
        airline.code = code
        return airline
    }

    @MainActor
    @Test(.parity("P012")) func savesThroughToStore() async throws {
        let store = try await files.open()
        let context = store.mainContext
        let airline = try insert("SK", in: context)
        #expect(airline.objectState == .inserted)
        try await context.saveToStore()
        try context.refresh(airline)
        #expect(airline.objectState == .saved)
        let id = airline.objectID
        let found = try await store.perform { context in
            try context.fetch(Airline.self, where: { $0.code == "SK" }).map(\.objectID)
        }
        #expect(found == [id])
    }

    @Test func savesChainWithoutChangesOfDroppedObject() async throws {
        let store = try await files.open()
        try await store.perform { root in
            let middle = root.child()
            let dropped = try self.insert("SK", in: middle)
            let leaf = middle.child()
            try leaf.object(Airline.self, with: dropped.objectID).code = "DY"
            middle.delete(dropped)
            // The changes of the root are not empty, so that those of the others are added to them.
            _ = try self.insert("WF", in: root)
            try leaf.saveToStore()
            #expect(try root.fetch(Airline.self).map(\.code) == ["WF"])
        }
    }

    @Test(.parity("K013")) func savesEveryLevelOfChain() async throws {
        let store = try await files.open()
        let root = store.makeContext()
        let middle = root.child()
        let leaf = middle.child()
        var levels: [String] = []
        leaf.willSave = { _ in levels.append("leaf") }
        middle.willSave = { _ in levels.append("middle") }
        root.willSave = { _ in levels.append("root") }
        let airline = try insert("SK", in: leaf)
        let id = airline.objectID
        let report = try await leaf.saveToStore()
        #expect(report.inserted == 1)
        // The level in between has no changes of its own.
        #expect(levels == ["leaf", "middle", "root"])
        for context in [leaf, middle, root] {
            #expect(!context.hasChanges)
            #expect(try context.object(Airline.self, with: id).code == "SK")
            #expect(try context.object(with: id).objectState == .saved)
        }
        #expect(airline.objectID == id)
        #expect(try files.rows("SELECT restkit_key FROM Airline") == [["\(id.key)"]])
    }

    @Test(.parity("K069")) func savesToParentOnly() async throws {
        let store = try await files.open()
        let parent = store.makeContext()
        let child = parent.child()
        let airline = try insert("SK", in: child)
        #expect(throws: PersistenceError.self) { try parent.object(with: airline.objectID) }
        #expect(try await child.save() == SaveReport(inserted: 1))
        #expect(!child.hasChanges)
        #expect(parent.hasChanges)
        let pushed = try parent.object(Airline.self, with: airline.objectID)
        #expect(pushed.code == "SK")
        #expect(pushed !== airline)
        #expect(pushed.objectState == .inserted)
        #expect(try files.rows("SELECT * FROM Airline") == [])
        try await parent.save()
        #expect(
            try files.rows("SELECT restkit_key FROM Airline") == [["\(airline.objectID.key)"]])
    }

    @Test func readsThroughToParents() async throws {
        let store = try await files.open()
        let parent = store.makeContext()
        let airline = try insert("SK", in: parent)
        let terminal = try parent.insert(Terminal.self)
        terminal.number = 1
        terminal.airlines = [airline]
        let child = parent.child()
        let own = try child.object(Airline.self, with: airline.objectID)
        #expect(own.code == "SK")
        #expect(own.objectState == .saved)
        #expect(own.terminals.map(\.objectID) == [terminal.objectID])
        #expect(try child.fetch(Airline.self).map(\.objectID) == [airline.objectID])
        // The child takes later changes when it fetches.
        airline.code = "DY"
        #expect(try child.fetch(Airline.self, where: { $0.code == "DY" }) == [own])
        own.alliance = .star
        #expect(airline.alliance == nil)
        try await child.save()
        #expect(airline.alliance == .star)
        #expect(airline.code == "DY")
    }

    @Test func pushesDeletionsAndRelationships() async throws {
        let store = try await files.open()
        let parent = store.makeContext()
        let airlines = [try insert("SK", in: parent), try insert("DY", in: parent)]
        let terminal = try parent.insert(Terminal.self)
        terminal.number = 1
        terminal.airlines = Set(airlines)
        try await parent.save()
        let child = parent.child()
        child.delete(try child.object(with: airlines[0].objectID))
        let new = try insert("LH", in: child)
        let own = try child.object(Terminal.self, with: terminal.objectID)
        #expect(own.airlines.map(\.code) == ["DY"])
        own.airlines.insert(new)
        #expect(terminal.airlines.count == 2)
        try await child.save()
        #expect(Set(terminal.airlines.map(\.code)) == ["DY", "LH"])
        #expect(airlines[0].objectState == .deleted)
        try await parent.save()
        #expect(try files.rows("SELECT code FROM Airline ORDER BY 1") == [["DY"], ["LH"]])
        #expect(try files.rows("SELECT count(*) FROM Airline_terminals") == [["2"]])
    }

    @Test func failedChainLeavesAllLevelsUnchanged() async throws {
        let store = try await files.open()
        try await store.perform { context in
            try context.insert(Airline.self).code = "SK"
            try context.save()
        }
        let parent = store.makeContext()
        let pending = try insert("DY", in: parent)
        let child = parent.child()
        let twin = try insert("SK", in: child)
        let error = await #expect(throws: PersistenceError.self) { try await child.saveToStore() }
        #expect(error?.code == .identityConflict)
        #expect(twin.objectState == .inserted)
        #expect(pending.objectState == .inserted)
        #expect(throws: PersistenceError.self) { try parent.object(with: twin.objectID) }
        #expect(try files.rows("SELECT code FROM Airline") == [["SK"]])
        child.delete(twin)
        try await child.saveToStore()
        #expect(pending.objectState == .saved)
    }

    @Test func validatesSavesOfChildren() async throws {
        let store = try await files.open()
        let parent = store.makeContext()
        let child = parent.child()
        let airline = try child.insert(Airline.self)
        let error = await #expect(throws: PersistenceError.self) { try await child.save() }
        #expect(error?.code == .invalidObject)
        #expect(error?.details == ["\(airline.objectID).code has no value"])
        #expect(!parent.hasChanges)
    }

    @Test(.parity("P213")) func importsIntoChildOfOtherThread() async throws {
        let store = try await files.open()
        let plan = try EntityMappingPlan(EntityMapping(Airline.self), in: store.model)
        let parent = store.makeContext()
        let id = try await parent.performChild { child in
            let document = try Document(parsing: #"{"code": "SK", "alliance": "star"}"#)
            let result = try child.importObjects(from: document.root, by: plan)
            try child.save()
            return try #require(result.objectIDs.first)
        }
        let airline = try parent.object(Airline.self, with: id)
        #expect(airline.code == "SK")
        #expect(airline.objectState == .inserted)
        #expect(try files.rows("SELECT * FROM Airline") == [])
        try await parent.save()
        #expect(try files.rows("SELECT code FROM Airline") == [["SK"]])
    }

    @Test func childOfOtherThreadSeesPendingChanges() async throws {
        let store = try await files.open()
        let parent = store.makeContext()
        let id = try insert("SK", in: parent).objectID
        let codes = try await parent.performChild { child in
            defer { child.rollback() }
            let airline = try child.object(Airline.self, with: id)
            airline.alliance = .star
            try child.save()
            airline.alliance = .oneworld
            try child.insert(Airline.self).code = "not saved"
            return try child.fetch(Airline.self).map(\.code)
        }
        #expect(Set(codes) == ["SK", "not saved"])
        #expect(try parent.object(Airline.self, with: id).alliance == .star)
        #expect(try parent.fetch(Airline.self).count == 1)
        await #expect(throws: CancellationError.self) {
            try await parent.performChild { child in
                defer { child.rollback() }
                try child.object(Airline.self, with: id).alliance = nil
                try child.save()
                throw CancellationError()
            }
        }
        #expect(try parent.object(Airline.self, with: id).alliance == .star)
    }

    /// A change of the parent while the child is working.
    @MainActor
    @Test(arguments: [MergePolicy.fail, .storeWins, .contextWins])
    func appliesPolicyToChangesDuringChild(_ policy: MergePolicy) async throws {
        let store = try await files.open()
        let parent = store.mainContext
        parent.mergePolicy = policy
        let airline = try insert("SK", in: parent)
        let id = airline.objectID
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        let work = Task { @MainActor in
            try await parent.performChild { child in
                try child.object(Airline.self, with: id).code = "child"
                try child.save()
                start.finish()
                gate.wait()
            }
        }
        for await _ in started {}
        airline.code = "parent"
        gate.open()
        let result = await work.result
        switch policy {
        case .fail:
            let error = #expect(throws: PersistenceError.self) { try result.get() }
            #expect(error?.conflicts.map(\.description) == ["\(id).code"])
            #expect(airline.code == "parent")
        case .storeWins:
            try result.get()
            #expect(airline.code == "parent")
        case .contextWins:
            try result.get()
            #expect(airline.code == "child")
        }
    }

    @Test func childOfOtherThreadCannotSaveToStore() async throws {
        let store = try await files.open()
        let parent = store.makeContext()
        let error = await #expect(throws: PersistenceError.self) {
            try await parent.performChild { child in
                try child.insert(Airline.self).code = "SK"
                try child.saveToStore()
            }
        }
        #expect(error?.code == .readOnly)
        #expect(!parent.hasChanges)
    }

    @Test func opensOverManyPendingChanges() async throws {
        let store = try await files.open()
        let parent = store.makeContext()
        for number in 0..<2_000 { try parent.insert(Terminal.self).number = number }
        let some = try #require(try parent.fetch(Terminal.self, limit: 1).first)
        let child = parent.child().child()
        let own = try child.object(Terminal.self, with: some.objectID)
        own.number = -1
        #expect(try child.fetch(Terminal.self, where: { $0.number < 0 }) == [own])
        #expect(try child.fetch(Terminal.self).count == 2_000)
        try await child.saveToStore()
        #expect(try files.rows("SELECT count(*), min(number) FROM Terminal") == [["2000", "-1"]])
    }
}

/// A gate that blocks a thread until it is opened.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() { semaphore.wait() }
    func open() { semaphore.signal() }
}
