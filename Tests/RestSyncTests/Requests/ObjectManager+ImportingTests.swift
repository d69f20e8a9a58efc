// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// The life of a request whose response is imported into a context.
@MainActor @Suite(.tags(.socket)) struct ContextImportTests {
    private static let humans = LoopbackResponse.json(
        #"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#)

    private func add(to api: ObjectManager) throws {
        try api.add(ResponseDescriptor(HumanMappings.human))
    }

    @Test(.parity("P262", "P265", "X006", "SM01", "SM03", "SM12", "SM44", "K100"))
    func resultsBelongToContextOfCall() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try add(to: fixture.api)
            let context = fixture.store.mainContext
            for destination in [context, context.child(), fixture.store.makeContext()] {
                let found = try await fixture.api.getObjects(
                    Human.self, at: "humans", in: destination)
                #expect(found.map(\.name) == ["a", "b"])
                #expect(found.allSatisfy { $0.managedObjectContext === destination })
                #expect(found.allSatisfy { $0.objectState == .saved })
            }
            #expect(try fixture.humans() == ["1|a", "2|b"])
        }
    }

    @Test func errorsOfStoresNameTheRequest() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try add(to: fixture.api)
            var configuration = StoreConfiguration()
            configuration.busyTimeout = .milliseconds(50)
            let busy = try await ManagedObjectStore(
                at: fixture.store.url, model: fixture.store.model, configuration: configuration)
            let isLocked = Mutex(false)
            let isReleased = Mutex(false)
            let store = fixture.store
            let writer = Task {
                try await store.write { _ in
                    isLocked.withLock { $0 = true }
                    while !isReleased.withLock(\.self) { usleep(1000) }
                }
            }
            while !isLocked.withLock(\.self) { await Task.yield() }
            let intoStore = await #expect(throws: SyncError.self) {
                try await fixture.api.getObjects(Human.self, at: "humans", into: busy)
            }
            let inContext = await #expect(throws: SyncError.self) {
                _ = try await fixture.api.getObjects(
                    Human.self, at: "humans", in: busy.mainContext)
            }
            isReleased.withLock { $0 = true }
            try await writer.value
            for error in [intoStore, inContext] {
                #expect(error?.code == .saveFailed)
                #expect(error?.underlying?.code == .busy)
                #expect(error?.url?.hasSuffix("/humans") == true)
            }
        }
    }

    @Test(.parity("P270")) func emptyRepresentationBelongsToContext() async throws {
        try await HumanFixture.run(answering: .json(#"{"name":null}"#)) { fixture in
            try add(to: fixture.api)
            let context = fixture.store.mainContext
            let found = try await fixture.api.getObjects(Human.self, at: "humans", in: context)
            #expect(found.count == 1)
            #expect(found.first?.managedObjectContext === context)
        }
    }

    private actor Owner {
        let context: ManagedObjectContext

        init(_ store: ManagedObjectStore) { context = store.makeContext() }

        func names(_ api: ObjectManager) async throws -> [String?] {
            try await api.getObjects(Human.self, at: "humans", in: context).map(\.name)
        }
    }

    @Test(.parity("SM43")) func actorOwnsContext() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try add(to: fixture.api)
            #expect(try await Owner(fixture.store).names(fixture.api) == ["a", "b"])
        }
    }

    @Test(.parity("SM13", "SM15")) func findsUnsavedObjectsOfContext() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try add(to: fixture.api)
            let context = fixture.store.mainContext
            let unsaved = try Human.insert(into: context, railsID: 2, name: "draft")
            let found = try await fixture.api.getObjects(Human.self, at: "humans", in: context)
            #expect(found.last === unsaved)
            #expect(unsaved.name == "b")
            #expect(try fixture.humans() == ["1|a", "2|b"])
        }
    }

    @Test(.parity("SM30", "SM49", "K063", "S032")) func withoutSavingChangesStayInContext()
        async throws
    {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try add(to: fixture.api)
            let parent = fixture.store.mainContext
            let context = parent.child()
            let found = try await fixture.api.getObjects(Human.self, at: "humans", in: context) {
                $0.options.savesToPersistentStore = false
            }
            #expect(found.map(\.objectState) == [.inserted, .inserted])
            #expect(found.allSatisfy { $0.managedObjectContext === context })
            #expect(!parent.hasChanges)
            #expect(try fixture.humans().isEmpty)
            try await context.save()
            #expect(try parent.fetch(Human.self).count == 2)
            try await parent.save()
            #expect(try fixture.humans() == ["1|a", "2|b"])
        }
    }

    @Test(.parity("X005", "SM09", "SM48", "SM49")) func savesThroughAllParents() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try add(to: fixture.api)
            let context = fixture.store.mainContext
            _ = try Human.insert(into: context, railsID: 9, name: "pending")
            let child = context.child().child()
            _ = try await fixture.api.getObjects(Human.self, at: "humans", in: child)
            #expect(!context.hasChanges && !child.hasChanges)
            #expect(try fixture.humans() == ["1|a", "2|b", "9|pending"])
            #expect(try context.fetch(Human.self).count == 3)
        }
    }

    @Test(.parity("P277", "SM08", "SM31", "K083", "K067"), arguments: [0, 1, 2])
    func failedSaveLeavesAllContextsUnchanged(_ failingLevel: Int) async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try add(to: fixture.api)
            let root = fixture.store.mainContext
            let child = root.child()
            let known = try Human.insert(into: child, railsID: 1, name: "mine")
            if failingLevel < 2 {
                [root, child][failingLevel].willSave = { _ in
                    throw CocoaError(.fileWriteUnknown)
                }
            }
            let error = await #expect(throws: SyncError.self) {
                _ = try await fixture.api.getObjects(Human.self, at: "humans", in: child) {
                    $0.options.willSave = { context, _ in
                        if failingLevel == 2 { throw CocoaError(.fileWriteUnknown) }
                    }
                }
            }
            #expect(error?.code == .saveFailed)
            #expect(error?.underlying?.code == .saveRejected)
            #expect(known.name == "mine" && known.objectState == .inserted)
            #expect(try child.fetch(Human.self).count == 1)
            #expect(!root.hasChanges)
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test(.parity("SM50", "SM51", "SM52", "SM53", "SM54", "P216", "P217"))
    func hookSeesObjectsAndItsChangesAreSaved() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try add(to: fixture.api)
            let (seen, noted) = (Journal(), Journal())
            for round in 0..<2 {
                let saved = try await fixture.api.getObjects(
                    Human.self, at: "humans", in: fixture.store.mainContext
                ) {
                    $0.options.willSave = { context, ids in
                        for object in try context.objects(with: ids) {
                            let human = try #require(object as? Human)
                            seen.add(
                                "\(human.name ?? "") \(human.managedObjectContext === context)")
                        }
                        noted.add("\(ids)")
                        if round == 0 { _ = try Human.insert(into: context, railsID: 7) }
                    }
                }
                // The new objects had these IDs before they were saved.
                #expect(noted.entries.last == "\(saved.map(\.objectID))")
            }
            #expect(noted.entries.count == 2)
            // The second time there is nothing to save.
            #expect(seen.entries == ["a true", "b true", "a true", "b true"])
            #expect(try fixture.humans() == ["1|a", "2|b", "7|-"])
        }
    }
}
