// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Imports into contexts whose objects another connection inserts before the save.
@Suite struct ImportedInsertionsTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @discardableResult
    private static func load(
        _ text: String, into context: ManagedObjectContext, rules: [String: EntityRules] = [:]
    ) throws -> ImportResult {
        let plan = try EntityMappingPlan(
            EntityMapping(Airport.self, rules: rules), in: context.model)
        return try context.importObjects(from: try Document(parsing: text).root, by: plan)
    }

    private static let first = """
        {"code": "OSL", "name": "first", "passengers": 1,
         "terminals": [{"number": 1}, {"number": 2}], "city": {"name": "Oslo", "population": 7}}
        """
    private static let second = """
        {"code": "OSL", "name": "second", "terminals": [{"number": 2}, {"number": 3}],
         "city": {"name": "Oslo"}}
        """

    /// Imports two documents into contexts of two stores, or of one, and saves both.
    private func collide(
        _ stores: [ManagedObjectStore], rules: [String: EntityRules] = [:]
    ) async throws {
        let (early, late) = (stores[0].makeContext(), stores[stores.count - 1].makeContext())
        let stored = try Self.load(Self.first, into: early, rules: rules)
        let merged = try Self.load(Self.second, into: late, rules: rules)
        let airport = try late.object(Airport.self, with: merged.objectIDs[0])
        #expect(airport.objectState == .inserted)
        #expect(merged.objectIDs != stored.objectIDs)
        try await early.save()
        let report = try await late.save()
        // The airport and the second terminal are updates, the third terminal is new.
        #expect(report.inserted == 1)
        #expect(report.updated + report.unchanged == 3)
        // The object that the import returned is that of the stored row, which both IDs find.
        #expect(airport.objectID == stored.objectIDs[0])
        #expect(airport.objectState == .saved)
        #expect(airport.passengers == 1)
        #expect(airport.name == "second")
        #expect(airport.city?.population == 7)
        #expect(Set(airport.terminals.map(\.number)) == [1, 2, 3])
        #expect(try late.object(with: merged.objectIDs[0]) === airport)
        #expect(try late.objects(with: merged.objectIDs) == [airport])
        #expect(try late.fetch(Airport.self) == [airport])
        // It can be changed and saved as any other.
        airport.name = "third"
        try await late.save()
        #expect(
            try files.rows(
                """
                SELECT code, a.name, passengers, c.name, population FROM Airport a
                JOIN City c ON c.restkit_key = a.city
                """) == [["OSL", "third", "1", "Oslo", "7"]])
        #expect(
            try files.rows(
                """
                SELECT number FROM Terminal t JOIN Airport a ON a.restkit_key = t.airport ORDER BY 1
                """) == [["1"], ["2"], ["3"]])
        for store in stores { #expect(try await store.checkIntegrity() == []) }
    }

    @Test(arguments: [1, 2]) func savingMergesImportedObjects(storeCount: Int) async throws {
        var stores: [ManagedObjectStore] = []
        for _ in 0..<storeCount { stores.append(try await files.open()) }
        try await collide(stores)
    }

    @Test func savingMergesByIdentificationOfMapping() async throws {
        let store = try await files.open()
        let rules = ["Airport": EntityRules(identification: ["name"])]
        let contexts = [store.makeContext(), store.makeContext()]
        for (index, context) in contexts.enumerated() {
            try Self.load(
                #"{"code": "C\#(index)", "name": "Oslo"}"#, into: context, rules: rules)
        }
        for context in contexts { try await context.save() }
        #expect(try files.rows("SELECT code, name FROM Airport") == [["C1", "Oslo"]])
    }

    /// A condition excludes existing objects, so that a new one is wanted beside them.
    @Test func savingKeepsObjectsThatConditionExcludes() async throws {
        let store = try await files.open()
        let rules = [
            "Airport": EntityRules(
                identification: ["name"],
                identificationPredicate: .attribute("passengers", .greater, 5))
        ]
        let contexts = [store.makeContext(), store.makeContext()]
        for (index, context) in contexts.enumerated() {
            try Self.load(
                #"{"code": "C\#(index)", "name": "Oslo"}"#, into: context, rules: rules)
        }
        for context in contexts { try await context.save() }
        #expect(try files.rows("SELECT count(*) FROM Airport") == [["2"]])
    }

    @Test func insertionByProgramStaysConflict() async throws {
        let store = try await files.open()
        let context = store.makeContext()
        let airport = try context.insert(Airport.self)
        (airport.code, airport.name) = ("OSL", "mine")
        try await store.write { other in
            try Self.load(Self.first, into: other)
            try other.save()
        }
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.code == .identityConflict)
        #expect(airport.objectState == .inserted)
    }

    @Test func savingThroughParentsMerges() async throws {
        let store = try await files.open()
        let parent = store.makeContext()
        let child = parent.child()
        let result = try Self.load(Self.second, into: child)
        let airport = try child.object(Airport.self, with: result.objectIDs[0])
        airport.passengers = 9
        try await child.save()
        let stored = try await store.write { other in
            let stored = try Self.load(Self.first, into: other)
            try other.save()
            return stored.objectIDs[0]
        }
        // A change that is not part of the save keeps its object.
        airport.name = "unsaved"
        try await parent.save()
        #expect(try parent.fetch(Airport.self).map(\.objectID) == [stored])
        #expect(try child.fetch(Airport.self) == [airport])
        #expect(airport.objectID == stored)
        #expect(airport.name == "unsaved")
        #expect(airport.objectState == .updated)
        try await child.saveToStore()
        #expect(
            try files.rows("SELECT name, passengers FROM Airport") == [["unsaved", "9"]])
    }

    /// The context already has an object of the stored row, which stays the only one.
    @Test func objectOfKnownRowIsDeleted() async throws {
        let store = try await files.open()
        let context = store.makeContext()
        let result = try Self.load(Self.second, into: context)
        let airport = try context.object(Airport.self, with: result.objectIDs[0])
        try await store.write { other in
            try Self.load(Self.first, into: other)
            try other.save()
        }
        let known = try #require(
            try context.fetch(Airport.self, where: { $0.name == "first" }).first)
        #expect(known !== airport)
        try await context.save()
        #expect(airport.objectState == .deleted)
        #expect(known.name == "second")
        #expect(try context.fetch(Airport.self) == [known])
        #expect(try context.object(with: result.objectIDs[0]) === known)
    }

    /// The identity belongs to nobody any more, or to somebody else.
    @Test(arguments: [false, true])
    func deletedObjectIsNotMerged(deletesRow: Bool) async throws {
        let store = try await files.open()
        let context = store.makeContext()
        try await store.write { other in
            try Self.load(Self.first, into: other)
            try other.save()
        }
        let old = try #require(try context.fetch(Airport.self).first)
        if deletesRow { context.delete(old) } else { old.code = "BGO" }
        let result = try Self.load(Self.second, into: context)
        #expect(result.objectIDs != [old.objectID])
        try await context.save()
        let codes = try files.rows("SELECT code, passengers FROM Airport ORDER BY code")
        #expect(codes == (deletesRow ? [["OSL", "0"]] : [["BGO", "1"], ["OSL", "0"]]))
    }

    @Test func unchangedMergeWritesNothing() async throws {
        let store = try await files.open()
        let context = store.makeContext()
        try Self.load(Self.first, into: context)
        try await store.write { other in
            try Self.load(Self.first, into: other)
            try other.save()
        }
        let observer = try files.observer()
        let before = try observer.dataVersion()
        let report = try await context.save()
        #expect(report.hasChanges == false)
        #expect(report.unchanged == 4)
        #expect(try observer.dataVersion() == before)
    }

    // MARK: Explanations

    private static func write(_ path: String) -> ResponseWrite {
        ResponseWrite(
            method: "GET", url: path, status: 200, mappingVersion: "v1",
            at: Date(timeIntervalSince1970: 0))
    }

    /// Inserts the airport of the first document from another context.
    private func insertFirst(into store: ManagedObjectStore) async throws -> ManagedObjectID {
        try await store.write { other in
            let stored = try Self.load(Self.first, into: other)
            other.recordOrigin(Self.write("first"))
            return stored.objectIDs[0]
        }
    }

    @Test func mergedRowKeepsItsResponse() async throws {
        let store = try await files.open(StoreConfiguration(explainedEntities: ["Airport"]))
        let context = store.makeContext()
        let result = try Self.load(Self.second, into: context)
        context.recordOrigin(Self.write("second"))
        // The document does not have this column.
        try context.object(Airport.self, with: result.objectIDs[0]).passengers = 9
        let stored = try await insertFirst(into: store)
        try await context.save()
        let explanation = try #require(try await store.explain(stored))
        #expect(explanation.insertion?.response?.url == "first")
        #expect(Set(explanation.changes.keys) == ["city", "code", "name", "passengers"])
        #expect(explanation.changes["name"]?.response?.url == "second")
        let local = try #require(explanation.changes["passengers"])
        #expect(local.response == nil)
    }

    @Test func responseOfChildFollowsReplacedKey() async throws {
        let store = try await files.open(StoreConfiguration(explainedEntities: ["Airport"]))
        let parent = store.makeContext()
        let child = parent.child()
        try Self.load(Self.second, into: child)
        child.recordOrigin(Self.write("second"))
        try await child.save()
        try Self.load(#"{"code": "OSL", "name": "third"}"#, into: child)
        child.recordOrigin(Self.write("third"))
        let stored = try await insertFirst(into: store)
        try await parent.save()
        try await child.saveToStore()
        let explanation = try #require(try await store.explain(stored))
        #expect(explanation.insertion?.response?.url == "first")
        #expect(explanation.changes["name"]?.response?.url == "third")
    }
}
