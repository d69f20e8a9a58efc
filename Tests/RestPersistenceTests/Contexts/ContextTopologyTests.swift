// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

/// The parents of contexts, and the policy that they all share.
@Suite struct ContextTopologyTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func airport(
        _ policy: MergePolicy
    ) async throws -> (ManagedObjectStore, ManagedObjectID) {
        let store = try await files.open(StoreConfiguration(mergePolicy: policy))
        let id = try await store.perform { context in
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name, airport.passengers) = ("OSL", "Gardermoen", 1)
            try context.save()
            return airport.objectID
        }
        return (store, id)
    }

    private func row() throws -> [[String]] {
        try files.rows("SELECT code, name, passengers FROM Airport")
    }

    /// Unlike RestKit's main context, which saved through a background context.
    @MainActor
    @Test(.parity("K008")) func contextsOfStoreHaveNoParent() async throws {
        let (store, id) = try await airport(.fail)
        let main = store.mainContext
        let own = store.makeContext()
        #expect(main.parent == nil && own.parent == nil)
        #expect(store.mainContext === main)
        #expect(try await store.perform { $0.parent == nil })
        #expect(try await store.write { $0.parent == nil })
        #expect(try await store.read { $0.parent == nil })
        let shown = try main.object(Airport.self, with: id)
        let edited = try own.object(Airport.self, with: id)
        edited.name = "Oslo"
        #expect(shown.name == "Gardermoen")
        try await own.save()
        #expect(try row() == [["OSL", "Oslo", "1"]])
        main.refreshAllObjects()
        #expect(shown.name == "Oslo")
        shown.passengers = 2
        try await main.save()
        #expect(try row() == [["OSL", "Oslo", "2"]])
        _ = try own.fetch(Airport.self)
        #expect(edited.passengers == 2)
    }

    @MainActor
    @Test(.parity("K008")) func childSavesToContextThatMadeIt() async throws {
        let (store, id) = try await airport(.fail)
        let own = store.makeContext()
        for parent in [store.mainContext, own, own.child()] {
            let child = parent.child()
            #expect(child.parent === parent)
            try child.object(Airport.self, with: id).passengers += 1
            try await child.save()
            #expect(!child.hasChanges && parent.hasChanges)
        }
        #expect(try row() == [["OSL", "Gardermoen", "1"]])
    }

    @MainActor
    @Test(.parity("K008"), arguments: [MergePolicy.fail, .storeWins, .contextWins])
    func allContextsHavePolicyOfStore(policy: MergePolicy) async throws {
        let (store, _) = try await airport(policy)
        let own = store.makeContext()
        for context in [store.mainContext, own, own.child(), store.mainContext.child().child()] {
            #expect(context.mergePolicy == policy)
        }
        #expect(try await store.perform { $0.mergePolicy == policy })
        #expect(try await store.perform { $0.child().mergePolicy == policy })
        #expect(try await store.write { $0.mergePolicy == policy })
        #expect(try await store.read { $0.mergePolicy == policy })
        #expect(try await own.performChild { $0.mergePolicy == policy })
        // A context can have another one, as its later children then do.
        own.mergePolicy = .contextWins
        #expect(own.child().mergePolicy == .contextWins)
        #expect(store.makeContext().mergePolicy == policy)
        #expect(StoreConfiguration().mergePolicy == .fail)
    }

    /// A context of a store, or a child of one.
    enum Kind: CaseIterable {
        case main, own, background, child
    }

    @MainActor
    @Test(.parity("K008"), arguments: Kind.allCases)
    func storedValueWinsByProperty(kind: Kind) async throws {
        let (store, id) = try await airport(.storeWins)
        switch kind {
        case .main: try await conflict(in: store.mainContext, id)
        case .own: try await conflict(in: store.makeContext(), id)
        case .child: try await conflict(in: store.makeContext().child(), id)
        case .background:
            let values = try await store.perform { [files] context in
                let airport = try Self.edit(context, id)
                try files.execute(Self.otherEdit)
                try context.save()
                return [airport.name, "\(airport.passengers)"]
            }
            #expect(values == ["theirs", "2"])
        }
        #expect(try row() == [["OSL", "theirs", "2"]])
    }

    private static let otherEdit = "UPDATE Airport SET name = 'theirs'"

    private static func edit(
        _ context: ManagedObjectContext, _ id: ManagedObjectID
    ) throws -> Airport {
        let airport = try context.object(Airport.self, with: id)
        (airport.name, airport.passengers) = ("mine", 2)
        return airport
    }

    @MainActor
    private func conflict(in context: ManagedObjectContext, _ id: ManagedObjectID) async throws {
        let airport = try Self.edit(context, id)
        try files.execute(Self.otherEdit)
        try await context.saveToStore()
        #expect((airport.name, airport.passengers) == ("theirs", 2))
    }
}
