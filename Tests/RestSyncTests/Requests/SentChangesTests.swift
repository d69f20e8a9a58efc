// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// The unsaved changes of a context that a request saves.
@MainActor @Suite(.tags(.socket)) struct SentChangesTests {
    private func bodies(of method: String, _ fixture: HumanFixture) -> [String] {
        fixture.server.requests.filter { $0.method == method }
            .map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Answers requests with the members of their body and the ID of their path.
    private nonisolated static func echo(_ request: LoopbackRequest) -> LoopbackResponse {
        guard !request.body.isEmpty else { return LoopbackResponse(status: 204) }
        let id = request.path.split(separator: "/").last.flatMap { Int($0) } ?? 9
        let body = String(decoding: request.body, as: UTF8.self).dropFirst()
        return .json(#"{"human":{"id":\#(id),\#(body)}"#)
    }

    private func people(
        _ names: KeyValuePairs<Int, String>, _ fixture: HumanFixture
    ) async throws -> [Human] {
        try fixture.api.add(
            ResponseDescriptor(HumanMappings.human, at: "humans/:id", keyPath: "human"))
        try await fixture.save(names)
        return try fixture.store.mainContext.fetch(Human.self, orderBy: \.railsID)
    }

    @Test(arguments: [0, 1, 2]) func editsOfOtherObjectsStayUnsavedUntilSent(
        levels: Int
    ) async throws {
        try await HumanFixture.run(Self.echo) { fixture in
            _ = try await people([1: "a", 2: "b"], fixture)
            var context = fixture.store.mainContext
            let humans = try context.fetch(Human.self, orderBy: \.railsID)
            humans[0].name = "A"
            for _ in 0..<levels { context = context.child() }
            let nearest = try context.fetch(Human.self, orderBy: \.railsID)
            nearest[1].name = "B"
            try await fixture.api.patch(nearest[0])
            #expect(try fixture.humans() == ["1|A", "2|b"])
            #expect(nearest[1].changedValues == ["name": .text("B")])
            #expect(nearest[0].changedValues.isEmpty && humans[0].changedValues.isEmpty)
            try await fixture.api.patch(nearest[1])
            #expect(bodies(of: "PATCH", fixture) == [#"{"name":"A"}"#, #"{"name":"B"}"#])
            #expect(try fixture.humans() == ["1|A", "2|B"])
            #expect(!context.hasChanges && !fixture.store.mainContext.hasChanges)
        }
    }

    @Test func otherRequestsSaveNoEditsAndDeletions() async throws {
        let list = LoopbackResponse.json(#"[{"id":1,"name":"a"},{"id":3,"name":"c"}]"#)
        try await HumanFixture.run(answering: list) { fixture in
            let humans = try await people([1: "a", 2: "b"], fixture)
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, at: "all"))
            let context = fixture.store.mainContext
            humans[0].name = String(repeating: "invalid", count: 9)
            context.delete(humans[1])
            _ = try Human.insert(into: context, railsID: 4, name: "new")
            _ = try await fixture.api.getObjects(Human.self, at: "all", in: context)
            #expect(try fixture.humans() == ["1|a", "2|b", "3|c", "4|new"])
            #expect(context.updatedObjects == [humans[0]])
            #expect(context.deletedObjects == [humans[1]])
            #expect(context.insertedObjects.isEmpty)
            humans[0].name = "A"
            try await context.save()
            #expect(try fixture.humans() == ["1|A", "3|c", "4|new"])
        }
    }

    @Test func deletionOfUnsavedDeletionIsSent() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            let humans = try await people([1: "a", 2: "b"], fixture)
            let context = fixture.store.mainContext
            humans[0].name = "edited"
            context.delete(humans[0])
            try await fixture.api.delete(humans[0])
            #expect(fixture.server.requests.map(\.target) == ["/humans/1"])
            #expect(try fixture.humans() == ["2|b"])
            #expect(!context.hasChanges)
        }
    }

    @Test func deletedObjectLeavesNoEdits() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            let humans = try await people([1: "a", 2: "b"], fixture)
            humans[0].name = "edited"
            humans[1].name = "B"
            try await fixture.api.delete(humans[0])
            #expect(try fixture.humans() == ["2|b"])
            #expect(fixture.store.mainContext.updatedObjects == [humans[1]])
            try await fixture.store.mainContext.save()
            #expect(try fixture.humans() == ["2|B"])
        }
    }

    @Test(arguments: [false, true], [false, true])
    func acceptedValueReplacesThatOfAnotherContext(
        savesAtOnce: Bool, answersWithObject: Bool
    ) async throws {
        let answer: @Sendable (LoopbackRequest) -> LoopbackResponse = { request in
            answersWithObject ? Self.echo(request) : LoopbackResponse(status: 204)
        }
        try await HumanFixture.run(answer) { fixture in
            let humans = try await people([1: "a"], fixture)
            let context = fixture.store.mainContext
            humans[0].name = "A"
            try await fixture.store.perform { other in
                try other.first(Human.self)?.name = "other"
                try other.save()
            }
            try await fixture.api.patch(humans[0]) {
                $0.options.savesToPersistentStore = savesAtOnce
            }
            try await context.save()
            #expect(try fixture.humans() == ["1|A"])
            #expect(humans[0].name == "A" && !context.hasChanges)
        }
    }

    @Test(arguments: [false, true])
    func valueSetWhileRequestRunsStaysUnsaved(isNew: Bool) async throws {
        let gate = Gate()
        try await HumanFixture.run(awaiting: { request in
            await gate.pass()
            return LoopbackResponse(status: 204)
        }) { fixture in
            let humans = try await people([1: "a"], fixture)
            let context = fixture.store.mainContext
            let human = isNew ? try Human.insert(into: context, railsID: 9) : humans[0]
            human.name = "sent"
            let request = Task {
                _ =
                    isNew
                    ? try await fixture.api.post(human) : try await fixture.api.patch(human)
            }
            await gate.arrivals()
            human.name = "later"
            gate.open()
            try await request.value
            #expect(human.name == "later")
            #expect(human.changedValues == ["name": .text("later")])
            #expect(try fixture.humans().last == (isNew ? "9|sent" : "1|sent"))
            try await fixture.api.patch(human)
            #expect(bodies(of: "PATCH", fixture).last == #"{"name":"later"}"#)
            #expect(try fixture.humans().last == (isNew ? "9|later" : "1|later"))
            #expect(!context.hasChanges)
        }
    }

    @Test func editConflictsWithNewValueOfResponse() async throws {
        let list = LoopbackResponse.json(
            #"[{"id":1,"name":"server"},{"id":2,"name":"B"},{"id":3,"name":"c"}]"#)
        try await HumanFixture.run(answering: list) { fixture in
            let humans = try await people([1: "a", 2: "b", 3: "c"], fixture)
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, at: "all"))
            let context = fixture.store.mainContext
            for (human, name) in zip(humans, ["A", "B", "C"]) { human.name = name }
            _ = try await fixture.api.getObjects(Human.self, at: "all", in: context)
            #expect(try fixture.humans() == ["1|server", "2|B", "3|c"])
            #expect(humans.map(\.name) == ["A", "B", "C"])
            // The server has the second value already.
            #expect(context.updatedObjects == [humans[0], humans[2]])
            let error = await #expect(throws: PersistenceError.self) { try await context.save() }
            #expect(error?.conflicts.map(\.objectID) == [humans[0].objectID])
            try context.refresh(humans[0])
            try await context.save()
            #expect(try fixture.humans() == ["1|A", "2|B", "3|C"])
        }
    }

    @Test func unchangedRepresentationResolvesEdit() async throws {
        try await HumanFixture.run(Self.echo) { fixture in
            let humans = try await people([1: "a"], fixture)
            humans[0].name = "A"
            // A request whose response was lost, and a refresh into the store.
            try await fixture.store.perform { other in
                try other.first(Human.self)?.name = "A"
                try other.save()
            }
            try await fixture.api.patch(humans[0])
            #expect(fixture.server.requests.isEmpty)
            #expect(!fixture.store.mainContext.hasChanges)
        }
    }

    @Test func relationshipsAreSavedWithSentObject() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            let humans = try await people([1: "a"], fixture)
            try fixture.api.add(
                RequestDescriptor(RequestMapping(for: Human.self, ["name", "cats"])))
            try fixture.api.add(
                RequestDescriptor(RequestMapping(for: Post.self, ["title", "tags"])))
            let context = fixture.store.mainContext
            let posts = try (1...2).map { try Post.insert(into: context, postID: $0) }
            let tag = try Tag.insert(into: context, name: "t")
            let cat = try Cat.insert(into: context, name: "Tom")
            try await context.save()
            for post in posts { post.tags = [tag] }
            cat.human = humans[0]
            cat.name = "Tim"
            func rows(_ query: String) throws -> [String] { try fixture.temporary.rows(query) }
            let joined = "SELECT postID FROM Post JOIN Post_tags ON source = restkit_key"
            _ = try await fixture.api.put(posts[0], at: "posts")
            #expect(try rows(joined) == ["1"])
            #expect(posts[1].tags == [tag])
            #expect(try rows("SELECT name, human FROM Cat") == ["Tom|-"])
            try await fixture.api.put(humans[0])
            #expect(
                try rows("SELECT name, human IS NOT NULL FROM Cat") == ["Tom|1"])
            #expect(cat.changedValues == ["name": .text("Tim")])
            try await context.save()
            #expect(Set(try rows(joined)) == ["1", "2"])
            #expect(try rows("SELECT name FROM Cat") == ["Tim"])
        }
    }

    @Test func acceptedValueIsStoredAlthoughRolledBack() async throws {
        let gate = Gate()
        try await HumanFixture.run(awaiting: { _ in
            await gate.pass()
            return LoopbackResponse(status: 204)
        }) { fixture in
            let humans = try await people([1: "a"], fixture)
            humans[0].name = "A"
            let request = Task { _ = try await fixture.api.patch(humans[0]) }
            await gate.arrivals()
            fixture.store.mainContext.rollback()
            gate.open()
            try await request.value
            #expect(humans[0].name == "A")
            #expect(try fixture.humans() == ["1|A"])
        }
    }

    @Test func rollbackWhileResponseIsSavedDiscardsEdits() async throws {
        let isSaving = Mutex(false)
        let isReleased = Mutex(false)
        try await HumanFixture.run(Self.echo) { fixture in
            let humans = try await people([1: "a", 2: "b", 3: "c"], fixture)
            let context = fixture.store.mainContext
            humans[0].name = "A"
            humans[1].name = "B"
            context.delete(humans[2])
            let request = Task {
                try await fixture.api.patch(humans[0]) {
                    $0.options.willSave = { _, _ in
                        isSaving.withLock { $0 = true }
                        while !isReleased.withLock(\.self) { usleep(1000) }
                    }
                }
            }
            while !isSaving.withLock(\.self) { await Task.yield() }
            context.rollback()
            isReleased.withLock { $0 = true }
            _ = try await request.value
            #expect(!context.hasChanges)
            #expect(humans.map(\.name) == ["A", "b", "c"])
            #expect(humans[2].objectState == .saved)
            #expect(try fixture.humans() == ["1|A", "2|b", "3|c"])
        }
    }
}
