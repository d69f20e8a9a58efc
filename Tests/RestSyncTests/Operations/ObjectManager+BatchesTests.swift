// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Requests of managed objects that are enqueued together.
@MainActor @Suite(.tags(.socket)) struct ObjectManagerManagedBatchesTests {
    @Test func objectsAreSentAndUpdatedInOrder() async throws {
        try await HumanFixture.run({ request in
            if request.path == "/humans/2" { return LoopbackResponse(status: 500) }
            let id = request.path.suffix(1)
            return .json(#"{"id":\#(id),"name":"server \#(id)"}"#)
        }) { fixture in
            try await fixture.save([1: "a", 2: "b", 3: "c"])
            let context = fixture.store.mainContext
            let humans = try context.fetch(Human.self, orderBy: \.railsID)
            for human in humans { human.name = "edit" }
            let batch = try fixture.api.enqueueBatch(.patch, objects: humans)
            var counts: [Int] = []
            let results = await batch.results { progress in
                #expect(progress.totalCount == 3)
                counts.append(progress.finishedCount)
            }
            #expect(counts == [1, 2, 3])
            #expect(try results[0].get().objectIDs == [humans[0].objectID])
            #expect(throws: NetworkingError.self) { try results[1].get() }
            #expect(try results[2].get().objectIDs == [humans[2].objectID])
            #expect(try fixture.humans() == ["1|server 1", "2|b", "3|server 3"])
            // The edit of the object whose request has failed can be sent again.
            #expect(humans[1].name == "edit" && humans[1].objectState == .updated)
            let bodies = fixture.server.requests.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(bodies == Array(repeating: #"{"name":"edit"}"#, count: 3))
        }
    }

    private static func requests() -> [ManagedRequest] {
        ["humans/1", "humans/2"].map { ManagedRequest(at: $0) }
    }

    private func withHumans(_ body: (HumanFixture) async throws -> Void) async throws {
        try await HumanFixture.run({ request in
            let id = request.path.suffix(1)
            return .json(#"{"id":\#(id),"name":"server \#(id)"}"#)
        }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            try await body(fixture)
        }
    }

    @Test func requestsFillContext() async throws {
        try await withHumans { fixture in
            let context = fixture.store.mainContext
            let batch = try fixture.api.enqueueBatch(of: Self.requests(), in: context)
            let ids = try await batch.results().flatMap { try $0.get().objectIDs }
            let humans = try context.objects(Human.self, with: ids)
            #expect(humans.map(\.name) == ["server 1", "server 2"])
        }
    }

    @Test func requestsFillStore() async throws {
        try await withHumans { fixture in
            let batch = try fixture.api.enqueueBatch(of: Self.requests(), into: fixture.store)
            let results = await batch.results()
            #expect(try results.map { try $0.get().total.inserted } == [1, 1])
            #expect(try fixture.humans() == ["1|server 1", "2|server 2"])
        }
    }

    @Test func cancelledBatchImportsNothing() async throws {
        try await withHumans { fixture in
            let batch = try fixture.api.enqueueBatch(
                of: Self.requests(), in: fixture.store.mainContext)
            batch.cancel()
            for result in await batch.results() {
                let error = #expect(throws: NetworkingError.self) { try result.get() }
                #expect(error?.code == .cancelled)
            }
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test func invalidRequestEnqueuesNothing() async throws {
        try await withHumans { fixture in
            let human = try Human.insert(into: fixture.store.mainContext)
            // The route of a human without an ID has no path.
            #expect(throws: NetworkingError.self) {
                try fixture.api.enqueueBatch(.put, objects: [human])
            }
            #expect(fixture.api.operationQueue.operationCount == 0)
            #expect(fixture.server.requests.isEmpty)
        }
    }

    // MARK: Routes

    @Test func batchesUseNamedAndRelationshipRoutes() async throws {
        try await withHumans { fixture in
            try await fixture.save([1: "a"])
            let humans = try fixture.store.mainContext.fetch(Human.self)
            try fixture.api.add(
                Route(relationship: "friends", of: Human.self, "humans/:railsID/friends/2"))
            try fixture.api.add(Route(named: "self", "humans/:railsID"))
            let friends = try fixture.api.enqueueBatch(
                .get, objects: humans, at: .relationship("friends"))
            let own = try fixture.api.enqueueBatch(objects: humans, at: .route(named: "self"))
            #expect(try await friends.results().map { try $0.get().total.inserted } == [1])
            let found = try await own.results().map { try $0.get().objectIDs }
            #expect(found == [humans.map(\.objectID)])
            #expect(
                Set(fixture.server.requests.map(\.path)) == ["/humans/1", "/humans/1/friends/2"])
            #expect(try fixture.humans() == ["1|server 1", "2|server 2"])
        }
    }

    @Test func relationshipAndNamedRouteFillStore() async throws {
        try await withHumans { fixture in
            let human = try Human.insert(into: fixture.store.mainContext, railsID: 1)
            try fixture.api.add(
                Route(relationship: "friends", of: Human.self, "humans/:railsID/friends/2"))
            try fixture.api.add(Route(named: "self", "humans/:railsID"))
            let friends = try await fixture.api.getObjects(
                Human.self, at: .relationship("friends", of: human), into: fixture.store)
            let own = try await fixture.api.getObjects(
                Human.self, at: .route(named: "self", of: human), into: fixture.store)
            #expect(friends.total.inserted == 1 && own.total.inserted == 1)
            #expect(try fixture.humans() == ["1|server 1", "2|server 2"])
        }
    }
}
