// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Requests of objects whose rows are deleted before the requests are sent.
@MainActor @Suite(.tags(.socket)) struct VanishedObjectTests {
    /// Whoever deletes the row.
    private enum Deleter: CaseIterable { case context, program }

    /// Returns an object whose values have never been read.
    private func unreadHuman(_ fixture: HumanFixture) async throws -> Human {
        try await fixture.store.perform { context in
            let human = try context.insert(Human.self)
            human.railsID = 1
            human.favoriteCatID = 5
            try context.save()
        }
        let ids = try await fixture.store.read { try $0.fetch(Human.self).map(\.objectID) }
        let context = fixture.store.mainContext
        let humans = try context.objects(
            Human.self, with: ids, existingAt: fixture.store.moment)
        return try #require(humans.first)
    }

    private func deleteRows(_ deleter: Deleter, _ fixture: HumanFixture) async throws {
        if deleter == .program { return try fixture.temporary.execute("DELETE FROM Human") }
        try await fixture.store.perform { context in
            for human in try context.fetch(Human.self) { context.delete(human) }
            try context.save()
        }
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE"], Deleter.allCases)
    private func sendsNoRequestOfDeletedRow(method: String, deleter: Deleter) async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            try fixture.api.add(Route(Human.self, "favorites/:favoriteCatID", methods: .delete))
            let human = try await unreadHuman(fixture)
            try await deleteRows(deleter, fixture)
            let error = await #expect(throws: SyncError.self) {
                switch method {
                case "GET": try await fixture.api.get(human, at: "humans")
                case "POST": try await fixture.api.post(human)
                case "PUT": try await fixture.api.put(human, at: "humans/1")
                case "PATCH": try await fixture.api.patch(human, at: "humans/1")
                default: try await fixture.api.delete(human)
                }
            }
            #expect(error?.code == .importFailed)
            #expect(error?.underlying?.code == .objectNotFound)
            #expect(error?.description.contains("\(human.objectID)") == true)
            #expect(fixture.server.requests.isEmpty)
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test(arguments: Deleter.allCases)
    private func sendsNoRequestToRelationshipOfDeletedRow(deleter: Deleter) async throws {
        try await HumanFixture.run(answering: .json("[]")) { fixture in
            try fixture.api.add(
                Route(relationship: "cats", of: Human.self, "cats/:favoriteCatID"))
            let human = try await unreadHuman(fixture)
            try await deleteRows(deleter, fixture)
            let error = await #expect(throws: NetworkingError.self) {
                _ = try await fixture.api.getObjects(
                    Cat.self, at: .relationship("cats", of: human),
                    in: fixture.store.mainContext)
            }
            #expect(error?.description.contains("\(human.objectID)") == true)
            #expect(fixture.server.requests.isEmpty)
        }
    }

    @Test func operationSendsNoValuesOfDeletedRow() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            let human = try await unreadHuman(fixture)
            try await deleteRows(.program, fixture)
            let request = ManagedRequest(.put, at: "humans/1", object: RequestObject(human))
            let error = #expect(throws: NetworkingError.self) {
                try fixture.api.operation(for: request, in: fixture.store.mainContext)
            }
            #expect(error?.description.contains("\(human.objectID)") == true)
        }
    }

    @Test func sendsValuesOfObjectWithUnsavedDeletion() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            try fixture.api.add(Route(Human.self, "favorites/:favoriteCatID", methods: .delete))
            let human = try await unreadHuman(fixture)
            fixture.store.mainContext.delete(human)
            try await fixture.api.delete(human)
            #expect(fixture.server.requests.map(\.path) == ["/favorites/5"])
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test func sendsNoRequestOfDroppedObject() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 204)) { fixture in
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, railsID: 1)
            context.delete(human)
            let error = await #expect(throws: SyncError.self) {
                try await fixture.api.post(human)
            }
            #expect(error?.underlying?.code == .objectNotFound)
            #expect(fixture.server.requests.isEmpty)
        }
    }
}
