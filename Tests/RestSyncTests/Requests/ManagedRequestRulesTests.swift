// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Requests whose responses are imported, by the rules of finding and connecting objects.
@MainActor @Suite(.tags(.socket)) struct ManagedRequestRulesTests {
    private nonisolated static let ann = LoopbackResponse.json(#"{"human":{"id":1,"name":"Ann"}}"#)

    private func addHuman(to fixture: HumanFixture) throws {
        try fixture.api.add(ResponseDescriptor(HumanMappings.human, keyPath: "human"))
    }

    @Test(.parity("P204")) func siblingContextsShareObjects() async throws {
        try await HumanFixture.run(answering: Self.ann) { fixture in
            try addHuman(to: fixture)
            let parent = fixture.store.mainContext
            for _ in 0..<2 {
                let child = parent.child()
                let found = try await fixture.api.getObjects(
                    Human.self, at: "humans", in: child
                ) { $0.options.savesToPersistentStore = false }
                #expect(found.map(\.railsID) == [1])
                try await child.save()
                #expect(try parent.fetch(Human.self, where: { $0.railsID == 1 }).count == 1)
                #expect(try child.fetch(Human.self, where: { $0.railsID == 1 }).count == 1)
            }
        }
    }

    @Test(.parity("P205")) func concurrentRequestsCreateOneObject() async throws {
        try await HumanFixture.run(answering: Self.ann) { fixture in
            try addHuman(to: fixture)
            let (api, store) = (fixture.api, fixture.store)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await api.getObjects(Human.self, at: "humans", into: store)
                            .objectIDs.count
                    }
                }
                for try await count in group { #expect(count == 1) }
            }
            #expect(try fixture.humans() == ["1|Ann"])
        }
    }

    @Test(.parity("P206")) func elementsOfListIdentifyObjects() async throws {
        try await HumanFixture.run(answering: .json(#"{"user_ids":[1,2,3]}"#)) { fixture in
            var mapping = ObjectMapping(for: Human.self, [:])
            mapping.add("railsID", from: .whole)
            try fixture.api.add(
                ResponseDescriptor(
                    EntityMapping(mapping, rules: HumanMappings.rules), keyPath: "user_ids"))
            try await fixture.save([2: "stored"])
            let found = try await fixture.api.getObjects(
                Human.self, at: "users", in: fixture.store.mainContext)
            #expect(found.map(\.railsID) == [1, 2, 3])
            #expect(found.map(\.name) == [nil, "stored", nil])
        }
    }

    @Test(.parity("P207", "P208"), arguments: [true, false])
    func responseMapsObjectOfContext(isSaved: Bool) async throws {
        try await HumanFixture.run(answering: Self.ann) { fixture in
            try addHuman(to: fixture)
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, railsID: 1, name: "draft")
            if isSaved { try await context.saveToStore() }
            let request = ManagedRequest(.post, at: "humans")
            let result: MappingResult = try await fixture.api.send(request, in: context)
            #expect(result.objects(of: Human.self).first === human)
            #expect(human.name == "Ann")
            #expect(try fixture.humans() == ["1|Ann"])
        }
    }

    @Test(.parity("P214")) func invalidObjectOfContextFailsRequest() async throws {
        let answer = LoopbackResponse.json(#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let context = fixture.store.mainContext
            let invalid = try Human.insert(into: context, name: String(repeating: "x", count: 26))
            let error = await #expect(throws: SyncError.self) {
                try await fixture.api.post(invalid, at: "humans")
            }
            #expect(error?.code == .saveFailed)
            #expect(error?.underlying?.validationErrors.map(\.code) == [.textTooLong])
            #expect(error?.underlying?.validationErrors.map(\.property) == ["name"])
            #expect(try context.fetch(Human.self).count == 1)
            #expect(try fixture.humans().isEmpty)
            // It does not block the requests of other objects, and stays unsaved.
            _ = try await fixture.api.getObjects(Human.self, at: "humans", in: context)
            #expect(try fixture.humans() == ["1|a", "2|b"])
            #expect(invalid.objectState == .inserted)
        }
    }

    @Mapped fileprivate struct Refusal: Error {
        var message: String
    }

    @Test(.parity("P215")) func mappedErrorSavesNoContext() async throws {
        let answer = LoopbackResponse.json(
            #"{"error":{"message":"invalid"},"human":{"id":1}}"#, status: 422)
        try await HumanFixture.run(answering: answer) { fixture in
            try addHuman(to: fixture)
            try fixture.api.add(
                ResponseDescriptor(Refusal.self, keyPath: "error", statusCodes: .clientError))
            let parent = fixture.store.mainContext
            let scratch = parent.child()
            let human = try Human.insert(into: scratch, name: "draft")
            let error = await #expect(throws: NetworkingError.self) {
                try await fixture.api.post(human)
            }
            #expect(error?.code == .errorResponse)
            #expect((error?.mappedErrors.first as? Refusal)?.message == "invalid")
            #expect(scratch.hasChanges)
            #expect(human.objectState == .inserted)
            #expect(try scratch.fetch(Human.self).count == 1)
            #expect(try parent.fetch(Human.self).isEmpty)
            #expect(human.railsID == nil)
        }
    }

    @Test(.parity("P211", "P212")) func requestsSaveToStoreByDefault() async throws {
        try await HumanFixture.run(answering: Self.ann) { fixture in
            try addHuman(to: fixture)
            let request = ManagedRequest(at: "humans")
            #expect(request.options.savesToPersistentStore)
            let operation = try fixture.api.operation(for: request, into: fixture.store)
            try fixture.api.enqueue(operation)
            _ = try await operation.value
            #expect(try fixture.humans() == ["1|Ann"])
        }
    }

    private static let nickname = ObjectMapping(
        for: Human.self, ["id": "railsID", "@metadata.nickName": "name"])

    @Test(.parity("P219", "P220")) func copyOfOperationMapsItsMetadata() async throws {
        try await HumanFixture.run(answering: Self.ann) { fixture in
            try fixture.api.add(
                ResponseDescriptor(
                    EntityMapping(Self.nickname, rules: HumanMappings.rules), keyPath: "human"))
            try await fixture.save([2: "kept"])
            var request = ManagedRequest(at: "humans")
            request.options.deletesOrphanedObjects = false
            request.options.fetchRequestRules = [FetchRequestRule { _ in FetchRequest("Human") }]
            request.request.metadata = ["nickName": "Big Sleezy"]
            let operation = try fixture.api.operation(for: request, into: fixture.store)
            let copy = operation.copy(metadata: ["nickName": "Small Sleezy"])
            try fixture.api.enqueue(operation)
            _ = try await operation.value
            #expect(try fixture.humans() == ["1|Big Sleezy", "2|kept"])
            try fixture.api.enqueue(copy)
            _ = try await copy.value
            #expect(try fixture.humans() == ["1|Small Sleezy", "2|kept"])
        }
    }

    @Test(.parity("P275", "P276")) func callbacksReceiveOutcome() async throws {
        try await HumanFixture.run({ request in
            request.path == "/humans/1" ? Self.ann : LoopbackResponse(status: 500)
        }) { fixture in
            try addHuman(to: fixture)
            let outcomes = Journal()
            for path in ["humans/1", "humans/2"] {
                let operation = try fixture.api.operation(
                    for: ManagedRequest(at: path), into: fixture.store)
                await withCheckedContinuation { continuation in
                    operation.onFinish(
                        success: { operation in
                            let count = (try? await operation.value.objectIDs.count) ?? 0
                            let status = operation.response?.status.code ?? 0
                            outcomes.add("\(status) \(count)")
                            continuation.resume()
                        },
                        failure: { _, error in
                            outcomes.add("\((error as? NetworkingError)?.code.description ?? "")")
                            continuation.resume()
                        })
                    do { try fixture.api.enqueue(operation) } catch { continuation.resume() }
                }
            }
            #expect(outcomes.entries == ["200 1", "unexpectedStatus"])
        }
    }

    @Test(.parity("P272")) func resultIsObjectOfDestination() async throws {
        try await HumanFixture.run(answering: Self.ann) { fixture in
            try addHuman(to: fixture)
            try await fixture.save([1: "stored"])
            let main = fixture.store.mainContext
            let human = try #require(try main.first(Human.self))
            let child = main.child()
            let result: MappingResult = try await fixture.api.send(
                ManagedRequest(at: "x"), in: child)
            let found = try #require(result.dictionary["human"]?.first as? Human)
            #expect(found !== human)
            #expect(found.objectID == human.objectID)
            #expect(found.managedObjectContext === child)
        }
    }

    @Test(.parity("K065")) func hookRunsAfterOrphansAreDeleted() async throws {
        try await HumanFixture.run(answering: Self.ann) { fixture in
            try addHuman(to: fixture)
            try await fixture.save([9: "orphan"])
            fixture.api.addFetchRequestRule { _ in FetchRequest("Human") }
            let seen = Journal()
            let context = fixture.store.mainContext
            let found = try await fixture.api.getObjects(Human.self, at: "humans", in: context) {
                $0.options.willSave = { context, ids in
                    for human in try context.fetch(Human.self) {
                        seen.add("\(human.railsID ?? 0) \(ids == [human.objectID])")
                    }
                }
            }
            // The ID that the hook saw is the one of the saved object.
            #expect(seen.entries == ["1 true"])
            let ids = found.map(\.objectID)
            #expect(try await fixture.store.perform { try $0.objects(with: ids).count } == 1)
            seen.add("delete")
            try await fixture.api.delete(found[0]) {
                $0.options.willSave = { context, _ in
                    seen.add("\(try context.fetch(Human.self).count)")
                }
            }
            #expect(seen.entries.last == "0")
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test(.parity("K071", "K072")) func emptySuccessSavesContextOfTarget() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 200)) { fixture in
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, railsID: 1, name: "draft")
            _ = try Human.insert(into: context, railsID: 2, name: "pending")
            let result = try await fixture.api.post(human)
            #expect(result.objectIDs == [human.objectID])
            #expect(try fixture.humans() == ["1|draft", "2|pending"])
            let untargeted = try await fixture.api.getObjects(at: "x", into: fixture.store)
            #expect(untargeted.objectIDs.isEmpty)
            // A failure of the save is one of the request.
            let other = try Human.insert(into: context, railsID: 3)
            context.willSave = { _ in throw CocoaError(.fileWriteUnknown) }
            await #expect(throws: SyncError.self) { try await fixture.api.post(other) }
            #expect(other.objectState == .inserted)
        }
    }

    @Test(.parity("N301", "X015")) func listWithoutIdentityReusesNoObjectTwice() async throws {
        let answer = LoopbackResponse.json(
            #"{"id":1,"title":"t","tags":[{"name":"first"},{"name":"second"}]}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            let tag = ObjectMapping(for: Tag.self, ["name": "name"])
            let post = ObjectMapping(for: Post.self) {
                attribute("id", to: \.postID)
                relationship("tags", to: \.tags, mapping: tag)
            }
            try fixture.api.add(
                ResponseDescriptor(
                    EntityMapping(
                        post, rules: ["Post": EntityRules(identification: ["postID"])])))
            for _ in 0..<2 {
                let found = try await fixture.api.getObjects(
                    Post.self, at: "posts", in: fixture.store.mainContext)
                #expect(found.count == 1)
                #expect(found.first?.tags.count == 2)
                #expect(Set(found[0].tags.map(\.name)) == ["first", "second"])
            }
        }
    }

    @Test(.parity("N306", "X018")) func metadataOfRouteIdentifiesObject() async throws {
        let answer = LoopbackResponse.json(#"{"human":{"name":"Blake Watters"}}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            let mapping = ObjectMapping(
                for: Human.self,
                ["@metadata.routing.parameters.railsID": "favoriteCatID", "name": "name"])
            try fixture.api.add(
                ResponseDescriptor(
                    EntityMapping(
                        mapping,
                        rules: ["Human": EntityRules(identification: ["favoriteCatID"])]),
                    keyPath: "human"))
            try fixture.api.add(Route(named: "human", "humans/:railsID"))
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, railsID: 1, name: "route")
            try await context.saveToStore()
            let found = try await fixture.api.getObjects(
                Human.self, at: .route(named: "human", of: human), in: context)
            #expect(found.count == 1)
            #expect(found.first !== human)
            #expect(found.first?.favoriteCatID == 1)
            #expect(found.first?.name == "Blake Watters")
            #expect(human.name == "route")
        }
    }

    @Test(.parity("SM14", "SM45")) func identificationPreventsDuplicates() async throws {
        try await HumanFixture.run(answering: Self.ann) { fixture in
            let mapping = ObjectMapping(for: Human.self, ["id": "railsID", "name": "name"])
            for (rules, expected) in [
                (EntityRules(identification: ["railsID"]), 1),
                (EntityRules(identification: ["railsID", "name"]), 1),
                (EntityRules(insertsAllObjects: true), 3),
            ] {
                fixture.api.responseDescriptors.forEach { fixture.api.remove($0) }
                try fixture.api.add(
                    ResponseDescriptor(
                        EntityMapping(mapping, rules: ["Human": rules]), keyPath: "human"))
                for _ in 0..<2 {
                    try await fixture.api.getObjects(at: "humans", into: fixture.store)
                }
                #expect(try fixture.humans().count == expected)
            }
        }
    }

    @Test(.parity("SM17")) func connectsBySeveralAttributes() async throws {
        let answer = LoopbackResponse.json(#"{"id":1,"name":"Ann","favoriteCatID":12}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            let rules = EntityRules(
                identification: ["railsID"],
                connections: [
                    Connection("cats", by: ["favoriteCatID": "railsID", "name": "name"])
                ])
            let human = ObjectMapping(
                for: Human.self,
                ["id": "railsID", "name": "name", "favoriteCatID": "favoriteCatID"])
            try fixture.api.add(
                ResponseDescriptor(EntityMapping(human, rules: ["Human": rules])))
            try await fixture.store.perform { context in
                for (id, name) in [(12, "Ann"), (12, "Bo"), (13, "Ann")] {
                    _ = try Cat.insert(into: context, railsID: id, name: name)
                }
                try context.save()
            }
            let found = try await fixture.api.getObjects(
                Human.self, at: "humans", in: fixture.store.mainContext)
            #expect(found[0].cats.map { "\($0.railsID ?? 0) \($0.name ?? "")" } == ["12 Ann"])
        }
    }

    @Test(.parity("SM17")) func findsAndConnectsStoredObjects() async throws {
        let answer = LoopbackResponse.json(#"{"human":{"id":1,"catIDs":[12,56]}}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(
                ResponseDescriptor(HumanMappings.humanWithCatIDs, keyPath: "human"))
            try await fixture.save([1: "stored"])
            try await fixture.store.perform { context in
                for id in [12, 56, 9] { _ = try Cat.insert(into: context, railsID: id) }
                try context.save()
            }
            let found = try await fixture.api.getObjects(
                Human.self, at: "humans", in: fixture.store.mainContext)
            #expect(found.map(\.name) == ["stored"])
            #expect(Set(found[0].cats.map(\.railsID)) == [12, 56])
        }
    }

    @Test(.parity("K086")) func rulesSeeURLRelativeToOneBase() async throws {
        try await HumanFixture.run(answering: Self.ann) { fixture in
            try addHuman(to: fixture)
            let seen = Journal()
            fixture.api.addFetchRequestRule { url in
                seen.add("\(url.relativeString) \(url.baseURL == nil)")
                return nil
            }
            try await fixture.api.getObjects(at: "humans?page=2", into: fixture.store)
            var other = ResponseDescriptor(HumanMappings.cat, keyPath: "cat")
            other.baseURL = try fixture.api.baseURL.resolving("v2/")
            try fixture.api.add(other)
            try await fixture.api.getObjects(at: "v2/humans?page=3", into: fixture.store)
            #expect(seen.entries == ["humans?page=2 false", "v2/humans?page=3 false"])
        }
    }

    @Test(.parity("K094")) func rulesAreCalledWithoutDeletingOrphans() async throws {
        try await HumanFixture.run(answering: Self.ann) { fixture in
            try addHuman(to: fixture)
            try await fixture.save([2: "kept"])
            let calls = Journal()
            fixture.api.addFetchRequestRule { url in
                calls.add(url.relativePath)
                return FetchRequest("Human")
            }
            try await fixture.api.getObjects(at: "humans", into: fixture.store) {
                $0.options.deletesOrphanedObjects = false
            }
            #expect(!calls.entries.isEmpty && Set(calls.entries) == ["humans"])
            #expect(try fixture.humans() == ["1|Ann", "2|kept"])
        }
    }

    @Test(.parity("SM34")) func unmodifiedObjectsAreAtEmptyKeyPath() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 304)) { fixture in
            try addHuman(to: fixture)
            try await fixture.save([1: "a", 2: "b"])
            fixture.api.addFetchRequestRule { _ in
                FetchRequest(Human.self, where: { _ in .all }, orderBy: [.ascending(\.railsID)])
            }
            let context = fixture.store.mainContext
            let result: MappingResult = try await fixture.api.send(
                ManagedRequest(at: "humans"), in: context)
            #expect(result.dictionary.keys.map(\.description) == [""])
            #expect(result.objects(of: Human.self).map(\.name) == ["a", "b"])
            #expect(
                result.objects(of: Human.self).allSatisfy { $0.managedObjectContext === context })
        }
    }
}

/// The choice of the kind of an operation by what its descriptors map.
@Suite(.tags(.socket)) struct AppropriateOperationTests {
    /// Marks the operations of a store.
    private struct Marked: OperationKind {
        let mappings: Journal

        func willMap(_ response: ObjectResponse, of operation: RequestOperation) {
            mappings.add(response.url.path)
        }
    }

    @Mapped fileprivate final class Holder {
        var human: Human?
    }

    @Mapped fileprivate final class Outer {
        var holder: Holder?
    }

    @Mapped fileprivate final class Plain {
        var name: String?
    }

    private static let descriptors: [(name: String, mapping: Mapping, isManaged: Bool)] = [
        ("plain", .object(ObjectMapping(for: Plain.self)), false),
        ("entity", HumanMappings.human.mapping, true),
        (
            "listed",
            .dynamic(
                DynamicMapping([
                    MappingMatcher(
                        at: "kind", equals: "human",
                        mapping: ObjectMapping(for: Human.self, ["name": "name"]))
                ])), true
        ),
        ("closure", .dynamic(DynamicMapping { _ in nil }), true),
        ("held", .object(ObjectMapping(for: Holder.self)), true),
        ("deep", .object(ObjectMapping(for: Outer.self)), true),
    ]

    @Test(
        .parity("N193", "N194", "N195", "N196", "N197", "X007", "X008"),
        arguments: descriptors.indices)
    func descriptorsDecideKind(_ index: Int) async throws {
        let (_, mapping, isManaged) = Self.descriptors[index]
        try await HumanFixture.run(answering: .json("{}")) { fixture in
            try fixture.api.add(ResponseDescriptor(mapping, at: "things"))
            fixture.api.register(Marked(mappings: Journal()), for: .store)
            let memory = try fixture.api.operation(method: .get, at: "things")
            #expect(!(memory.kind is Marked))
            fixture.api.store = fixture.store
            let stored = try fixture.api.operation(method: .get, at: "things")
            #expect((stored.kind is Marked) == isManaged)
            let elsewhere = try fixture.api.operation(method: .get, at: "other")
            #expect(!(elsewhere.kind is Marked))
        }
    }

    @Test(.parity("N198", "X009")) @MainActor func managedObjectDecidesKind() async throws {
        try await HumanFixture.run(answering: .json("{}")) { fixture in
            fixture.api.store = fixture.store
            fixture.api.register(Marked(mappings: Journal()), for: .store)
            let human = try Human.insert(into: fixture.store.mainContext)
            let operation = try fixture.api.operation(
                for: RequestObject(human), method: .post)
            #expect(operation.kind is Marked)
        }
    }

    @Test(.parity("P218")) func kindIsCalledBeforeMapping() async throws {
        let answer = LoopbackResponse.json(#"{"id":1,"name":"Ann"}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            fixture.api.store = fixture.store
            let mappings = Journal()
            fixture.api.register(Marked(mappings: mappings), for: .store)
            let operation = try fixture.api.operation(method: .get, at: "humans/1")
            try fixture.api.enqueue(operation)
            let result = try await operation.takeValue()
            #expect(result.objects(of: Human.self).map(\.name) == ["Ann"])
            #expect(mappings.entries == ["/humans/1"])
            #expect(try fixture.humans() == ["1|Ann"])
        }
    }
}
