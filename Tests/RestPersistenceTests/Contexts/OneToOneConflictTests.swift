// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestPersistence
import TestSupport
import Testing

/// Sources of one destination that several contexts set.
@Suite struct OneToOneConflictTests {
    private static let entities = [
        EntityDescription(
            "Desk", attributes: [], relationships: [.toOne("owner", "Person", inverse: "desk")]),
        EntityDescription(
            "Key", attributes: [],
            relationships: [.toOne("owner", "Person", inverse: "key", isOptional: false)]),
        EntityDescription(
            "Person", attributes: [],
            relationships: [
                .toOne("desk", "Desk", inverse: "owner"),
                .toOne("key", "Key", inverse: "owner"),
                .toOne("partner", "Person", inverse: "partner"),
            ]),
    ]

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func open() async throws -> ManagedObjectStore {
        try await files.open(Self.entities)
    }

    /// Inserts and saves objects without relationships.
    private func insert(
        _ entity: String, _ count: Int, _ store: ManagedObjectStore
    ) async throws -> [ManagedObjectID] {
        try await store.perform { context in
            let objects = try (0..<count).map { _ in try context.insert(entity: entity) }
            try context.save()
            return objects.map(\.objectID)
        }
    }

    /// Sets the destination of an object by its ID.
    private func relate(
        _ id: ManagedObjectID, _ name: String, _ other: ManagedObjectID?,
        in context: ManagedObjectContext
    ) throws {
        let destinations = try other.map { [try context.object(with: $0)] } ?? []
        try context.object(with: id).setRelated(name, destinations)
    }

    private func saveElsewhere(
        _ id: ManagedObjectID, _ name: String, _ other: ManagedObjectID?,
        _ store: ManagedObjectStore
    ) async throws {
        try await store.perform { context in
            let destinations = try other.map { [try context.object(with: $0)] } ?? []
            try context.object(with: id).setRelated(name, destinations)
            try context.save()
        }
    }

    /// Compares the stored destinations of objects.
    private func expect(
        _ column: String, of sources: [ManagedObjectID], _ destinations: [String],
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let rows = try files.rows("SELECT restkit_key, \(column) FROM \(sources[0].entityName)")
        let stored = sources.map { id in rows.first { $0[0] == key(id) }?[1] ?? "no row" }
        #expect(stored == destinations, sourceLocation: location)
    }

    private func key(_ id: ManagedObjectID) -> String { "\(id.key)" }

    // MARK: Saving to the store

    @Test(arguments: [false, true])
    func failsForDestinationWithOtherSource(refreshesSource: Bool) async throws {
        let store = try await open()
        let desks = try await insert("Desk", 2, store)
        let person = try await insert("Person", 1, store)[0]
        let context = store.makeContext()
        try relate(desks[1], "owner", person, in: context)
        try await saveElsewhere(desks[0], "owner", person, store)
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.code == .saveConflict)
        #expect(error?.conflicts.map(\.description) == ["\(person).desk"])
        try expect("owner", of: desks, [key(person), "-"])
        // A refreshed object has seen the other source, so that saving replaces it.
        let refreshed = try context.object(with: refreshesSource ? desks[1] : person)
        try context.refresh(refreshed)
        #expect(try context.object(with: desks[0]).related("owner") == [])
        let report = try await context.save()
        #expect(report.updated == 2)
        try expect("owner", of: desks, ["-", key(person)])
    }

    @Test func storedSourceWins() async throws {
        let store = try await open()
        let desks = try await insert("Desk", 2, store)
        let person = try await insert("Person", 1, store)[0]
        let context = store.makeContext()
        context.mergePolicy = .storeWins
        try relate(desks[1], "owner", person, in: context)
        let new = try context.insert(entity: "Desk")
        try await saveElsewhere(desks[0], "owner", person, store)
        let report = try await context.save()
        #expect((report.inserted, report.updated) == (1, 0))
        try expect("owner", of: desks + [new.objectID], [key(person), "-", "-"])
        #expect(try context.object(with: desks[1]).related("owner") == [])
        let current = try context.object(with: person).related("desk").map(\.objectID)
        #expect(current == [desks[0]])
        #expect(new.objectState == .saved)
        #expect(!context.hasChanges)
    }

    @Test func newSourceLosesToStoredOne() async throws {
        let store = try await open()
        let desk = try await insert("Desk", 1, store)[0]
        let person = try await insert("Person", 1, store)[0]
        let context = store.makeContext()
        context.mergePolicy = .storeWins
        let new = try context.insert(entity: "Desk")
        try relate(new.objectID, "owner", person, in: context)
        try await saveElsewhere(desk, "owner", person, store)
        try await context.save()
        try expect("owner", of: [desk, new.objectID], [key(person), "-"])
        #expect(try new.related("owner") == [])
    }

    /// A source that keeps its destination excludes the one that should have followed it.
    @Test func storedSourcesWinInTurn() async throws {
        let store = try await open()
        let desks = try await insert("Desk", 3, store)
        let people = try await insert("Person", 2, store)
        try await saveElsewhere(desks[0], "owner", people[0], store)
        let context = store.makeContext()
        context.mergePolicy = .storeWins
        try relate(desks[0], "owner", people[1], in: context)
        try relate(desks[1], "owner", people[0], in: context)
        try await saveElsewhere(desks[2], "owner", people[1], store)
        try await context.save()
        try expect("owner", of: desks, [key(people[0]), "-", key(people[1])])
        #expect(try context.object(with: desks[1]).related("owner") == [])
    }

    @Test func unsavedSourceWins() async throws {
        let store = try await open()
        let desks = try await insert("Desk", 2, store)
        let person = try await insert("Person", 1, store)[0]
        let (context, observer) = (store.makeContext(), store.makeContext())
        context.mergePolicy = .contextWins
        try relate(desks[1], "owner", person, in: context)
        try await saveElsewhere(desks[0], "owner", person, store)
        let seen = try observer.object(with: desks[0])
        #expect(try seen.related("owner").map(\.objectID) == [person])
        let report = try await context.save()
        #expect(report.updated == 2)
        try expect("owner", of: desks, ["-", key(person)])
        #expect(try context.object(with: desks[0]).related("owner") == [])
        // The commit names the row that has lost its destination.
        observer.refreshAllObjects()
        #expect(try seen.related("owner") == [])
    }

    @Test(arguments: [MergePolicy.storeWins, .contextWins])
    func requiredDestinationIsNotTaken(_ policy: MergePolicy) async throws {
        let store = try await open()
        let person = try await insert("Person", 1, store)[0]
        let context = store.makeContext()
        context.mergePolicy = policy
        let new = try context.insert(entity: "Key")
        try relate(new.objectID, "owner", person, in: context)
        let stored = try await store.perform { context in
            let key = try context.insert(entity: "Key")
            try key.setRelated("owner", [try context.object(with: person)])
            try context.save()
            return key.objectID
        }
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect((error?.code, error?.property) == (.relationshipConflict, "owner"))
        try expect("owner", of: [stored], [key(person)])
        #expect(context.hasChanges)
    }

    // MARK: Symmetric relationships

    @Test(arguments: [MergePolicy.storeWins, .contextWins])
    func partnersReferToEachOther(_ policy: MergePolicy) async throws {
        let store = try await open()
        let people = try await insert("Person", 3, store)
        let context = store.makeContext()
        context.mergePolicy = policy
        try relate(people[0], "partner", people[2], in: context)
        try await saveElsewhere(people[0], "partner", people[1], store)
        try await context.save()
        let keys = people.map(key)
        try expect(
            "partner", of: people,
            (policy == .storeWins ? [keys[1], keys[0], "-"] : [keys[2], "-", keys[0]]))
    }

    @Test(arguments: [MergePolicy.storeWins, .contextWins])
    func formerPartnersReferToEachOther(_ policy: MergePolicy) async throws {
        let store = try await open()
        let people = try await insert("Person", 3, store)
        try await saveElsewhere(people[0], "partner", people[1], store)
        let context = store.makeContext()
        context.mergePolicy = policy
        try relate(people[0], "partner", people[2], in: context)
        try await saveElsewhere(people[0], "partner", nil, store)
        try await context.save()
        let keys = people.map(key)
        try expect(
            "partner", of: people,
            (policy == .storeWins ? ["-", "-", "-"] : [keys[2], "-", keys[0]]))
    }

    @Test func refreshedPartnerIsReplaced() async throws {
        let store = try await open()
        let people = try await insert("Person", 3, store)
        let context = store.makeContext()
        try relate(people[0], "partner", people[2], in: context)
        try await saveElsewhere(people[0], "partner", people[1], store)
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.conflicts.contains { $0.objectID == people[0] } == true)
        try context.refresh(try context.object(with: people[0]))
        try await context.save()
        let keys = people.map(key)
        try expect("partner", of: people, [keys[2], "-", keys[0]])
    }

    // MARK: Saving to a parent

    @Test(arguments: [MergePolicy.fail, .storeWins, .contextWins])
    func childAndParentSetSourcesOfDestination(_ policy: MergePolicy) async throws {
        let store = try await open()
        let desks = try await insert("Desk", 2, store)
        let person = try await insert("Person", 1, store)[0]
        let parent = store.makeContext()
        let child = parent.child()
        child.mergePolicy = policy
        try relate(desks[1], "owner", person, in: child)
        try relate(desks[0], "owner", person, in: parent)
        if policy == .fail {
            let error = await #expect(throws: PersistenceError.self) { try await child.save() }
            #expect(error?.conflicts.map(\.description) == ["\(person).desk"])
            try child.refresh(try child.object(with: person))
        }
        try await child.save()
        let winner = desks[policy == .storeWins ? 0 : 1]
        for context in [parent, child] {
            for desk in desks {
                let owners = try context.object(with: desk).related("owner").map(\.objectID)
                #expect(owners == (desk == winner ? [person] : []))
            }
        }
        try await parent.save()
        let expected = desks.map { $0 == winner ? key(person) : "-" }
        try expect("owner", of: desks, expected)
    }

    // MARK: Imports

    /// A document states the destination, so that no policy applies.
    @Test(arguments: [MergePolicy.fail, .storeWins, .contextWins], ["X", "Y"])
    func importedSourceReplacesStoredOne(_ policy: MergePolicy, city: String) async throws {
        let store = try await files.open()
        let plan = try EntityMappingPlan(EntityMapping(City.self), in: store.model)
        let id = try await store.perform { context in
            let known = try context.insert(City.self)
            known.name = "X"
            let (other, mayor) = (try context.insert(City.self), try context.insert(Mayor.self))
            (other.name, mayor.name) = ("Z", "M")
            try context.save()
            return other.objectID
        }
        let context = store.makeContext()
        context.mergePolicy = policy
        let document = try Document(
            parsing: #"[{"name": "\#(city)", "mayor": {"name": "M"}}]"#)
        _ = try context.importObjects(from: document.root, by: plan)
        try await store.perform { context in
            let mayors = try context.fetch(Mayor.self)
            try context.object(City.self, with: id).mayor = mayors[0]
            try context.save()
        }
        try await context.save()
        #expect(try files.rows("SELECT name FROM City WHERE mayor NOT NULL") == [[city]])
    }

    @Test(arguments: ["source", "destination", "partner"])
    func requestSavesFormerSourceOfWhatItSends(_ side: String) async throws {
        let store = try await open()
        let people = try await insert("Person", 4, store)
        let desks = try await insert("Desk", 2, store)
        try await saveElsewhere(desks[0], "owner", people[0], store)
        try await saveElsewhere(people[0], "partner", people[1], store)
        try await saveElsewhere(people[2], "partner", people[3], store)
        let context = store.makeContext()
        let (id, name, destination) =
            switch side {
            case "source": (desks[1], "owner", people[0])
            case "destination": (people[0], "desk", desks[1])
            default: (people[2], "partner", people[0])
            }
        try relate(id, name, destination, in: context)
        let sent = context.sentChanges(of: try context.object(with: id))
        _ = try await context.performChildAndSave(sent: sent) { _ in }
        #expect(!context.hasChanges)
        if side == "partner" {
            let partners = [key(people[2]), "-", key(people[0]), "-"]
            try expect("partner", of: people, partners)
        } else {
            try expect("owner", of: desks, ["-", key(people[0])])
        }
    }
}
