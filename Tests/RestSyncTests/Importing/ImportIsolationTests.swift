// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// The isolation of the steps of an import: parsing, mapping and saving leave the main actor free.
@MainActor @Suite(.tags(.socket, .concurrency)) struct ImportIsolationTests {
    /// The names of the steps during which the main actor was free, each with the result.
    private final class Steps: Sendable {
        private let results = Mutex<[String: Bool]>([:])

        var freeSteps: Set<String> {
            results.withLock { results in Set(results.keys.filter { results[$0] == true }) }
        }

        /// Blocks the thread until the main actor has run other work, which it cannot if the step
        /// occupies it.
        func check(_ step: String) {
            let done = DispatchSemaphore(value: 0)
            Task { @MainActor in done.signal() }
            let isFree = done.wait(timeout: .now() + 300) == .success
            results.withLock { $0[step] = isFree && $0[step] != false }
        }
    }

    /// JSON whose parser checks the main actor.
    private struct CheckingFormat: DocumentFormat {
        let steps: Steps

        func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document {
            steps.check("parsing")
            return try JSONFormat().read(bytes, limits: limits)
        }

        func write(_ document: Document) throws(DocumentError) -> [UInt8] {
            try JSONFormat().write(document)
        }
    }

    private static let humans = LoopbackResponse.json(#"[{"id":1},{"id":2}]"#)

    @Test(.parity("SM02", "SM06", "SM07"), arguments: [true, false])
    func mainActorIsFreeDuringImport(isSaved: Bool) async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let steps = Steps()
            fixture.api.configure {
                $0.formats.register(CheckingFormat(steps: steps), for: "application/json")
            }
            try fixture.api.add(
                ResponseDescriptor(HumanMappings.human(mapping: { steps.check("mapping") })))
            let context = fixture.store.mainContext
            let draft = try Human.insert(into: context, railsID: 9, name: "draft")
            let found = try await fixture.api.getObjects(Human.self, at: "humans", in: context) {
                $0.options.savesToPersistentStore = isSaved
                $0.options.willSave = { child, ids in
                    steps.check("saving")
                    // The private context has the unsaved objects of its parent, as its own.
                    let humans = try child.fetch(Human.self, orderBy: \.railsID)
                    #expect(humans.map(\.railsID) == [1, 2, 9])
                    #expect(humans.allSatisfy { $0.managedObjectContext === child })
                    let imported = try child.objects(with: ids)
                    #expect(
                        imported.allSatisfy {
                            humans.prefix(2).map(\.objectID).contains($0.objectID)
                        })
                    humans[2].name = "final"
                }
            }
            #expect(steps.freeSteps == ["parsing", "mapping", "saving"])
            #expect(found.allSatisfy { $0.managedObjectContext === context })
            #expect(draft.name == "final")
            #expect(context.hasChanges == !isSaved)
            #expect(try fixture.humans() == (isSaved ? ["1|-", "2|-", "9|final"] : []))
        }
    }

    @Test(.parity("SM02", "SM07")) func mainActorIsFreeDuringImportIntoStore() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let steps = Steps()
            fixture.api.configure {
                $0.formats.register(CheckingFormat(steps: steps), for: "application/json")
            }
            try fixture.api.add(
                ResponseDescriptor(HumanMappings.human(mapping: { steps.check("mapping") })))
            try await fixture.api.getObjects(Human.self, at: "humans", into: fixture.store) {
                $0.options.willSave = { _, _ in steps.check("saving") }
            }
            #expect(steps.freeSteps == ["parsing", "mapping", "saving"])
            #expect(try fixture.humans() == ["1|-", "2|-"])
        }
    }

    /// RestKit's temporary IDs are of no use in other contexts.
    ///
    /// Here an ID is permanent from the start, and denotes an object in the contexts that can see it.
    @Test(.parity("SM10")) func unsavedObjectIsUnknownToSiblings() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            let parent = fixture.store.mainContext
            let (context, sibling) = (parent.child(), parent.child())
            let human = try Human.insert(into: context, railsID: 1, name: "a")
            let id = human.objectID
            for other in [sibling, parent, fixture.store.makeContext()] {
                let error = #expect(throws: PersistenceError.self) { try other.object(with: id) }
                #expect(error?.code == .objectNotFound)
            }
            try await context.save()
            #expect(human.objectID == id)
            // A child takes the changes of its parent when it fetches.
            #expect(try sibling.fetch(Human.self).map(\.objectID) == [id])
            #expect(try sibling.object(Human.self, with: id).name == "a")
            #expect(throws: PersistenceError.self) {
                try fixture.store.makeContext().object(with: id)
            }
            try await parent.save()
            #expect(human.objectID == id)
            #expect(try fixture.store.makeContext().object(Human.self, with: id).name == "a")
        }
    }

    @Test(.parity("P205")) func concurrentRequestsMakeOneObject() async throws {
        try await HumanFixture.run(answering: .json(#"{"id":1,"name":"Blake"}"#)) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let (api, store) = (fixture.api, fixture.store)
            try await withThrowingTaskGroup(of: ManagedResult.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let context = store.makeContext()
                        return number % 2 == 0
                            ? try await api.getObjects(at: "humans/\(number)", into: store)
                            : try await api.getObjects(at: "humans/\(number)", in: context)
                    }
                }
                var ids: Set<ManagedObjectID> = []
                var total = ImportCounts()
                for try await result in group {
                    ids.formUnion(result.objectIDs)
                    total.add(result.counts["Human"] ?? ImportCounts())
                }
                #expect(ids.count == 1)
                #expect(total.inserted == 1 && total.unchanged == 7)
            }
            #expect(try fixture.humans() == ["1|Blake"])
        }
    }

    private static let catIDs = LoopbackResponse.json(
        #"""
        {"humans":[{"id":1,"catIDs":[7,8]},{"id":2,"catIDs":[9]}],
         "cats":[{"id":9,"name":"c"},{"id":8,"name":"b"},{"id":7,"name":"a"}]}
        """#)

    /// Adds descriptors of humans and of the cats to which connections lead.
    private func addConnected(to api: ObjectManager) throws {
        try api.add(ResponseDescriptor(HumanMappings.humanWithCatIDs, keyPath: "humans"))
        try api.add(ResponseDescriptor(HumanMappings.cat, keyPath: "cats"))
    }

    @Test(.parity("K040"), arguments: [false, true])
    func resultFollowsAllConnections(humansAreMappedFirst: Bool) async throws {
        let payload = #"""
            {"cats":[{"id":7,"name":"a"}],"humans":[
              {"id":1,"catIDs":[7]},{"id":2,"catIDs":[8]}]}
            """#
        try await HumanFixture.run(answering: .json(payload)) { fixture in
            // The newest descriptor is mapped first. Humans without cats would be deleted if deletion
            // predicates were applied before all connections are made.
            var lonely = HumanMappings.humanWithCatIDs
            lonely.rules["Human"]?.deletionPredicate =
                .count("cats", .equal, 0) && .attribute("railsID", .equal, 1)
            let humans = ResponseDescriptor(lonely, keyPath: "humans")
            let cats = ResponseDescriptor(HumanMappings.cat, keyPath: "cats")
            for descriptor in humansAreMappedFirst ? [cats, humans] : [humans, cats] {
                try fixture.api.add(descriptor)
            }
            let seen = Journal()
            try await fixture.api.getObjects(at: "humans", into: fixture.store) {
                $0.options.willSave = { context, _ in
                    for human in try context.fetch(Human.self, orderBy: \.railsID) {
                        seen.add(human.cats.compactMap(\.name).joined())
                    }
                }
            }
            // All connections have been made before anything is saved or returned.
            #expect(seen.entries == ["a", ""])
            let rows = try fixture.temporary.rows(
                "SELECT h.railsID, c.railsID FROM Cat c JOIN Human h ON h.restkit_key = c.human")
            #expect(rows == ["1|7"])
        }
    }

    @Test(.parity("K040")) func cancellationEndsConnections() async throws {
        try await HumanFixture.run(answering: Self.catIDs) { fixture in
            try addConnected(to: fixture.api)
            let (api, store) = (fixture.api, fixture.store)
            await #expect(throws: CancellationError.self) {
                try await CancellableWork { cancel in
                    try await api.getObjects(at: "humans", into: store) {
                        $0.options.willSave = { _, _ in cancel() }
                    }
                }.task.value
            }
            #expect(try fixture.humans().isEmpty)
            #expect(try fixture.temporary.rows("SELECT * FROM Cat").isEmpty)
        }
    }
}
