// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Requests and operations that name no destination.
@Suite(.tags(.socket)) struct DefaultStoreTests {
    private static let humans = LoopbackResponse.json(#"[{"id":1,"name":"a"}]"#)

    @Test(.parity("S011", "SM05", "K068")) func managerProvidesStore() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let request = ManagedRequest(at: "humans")
            let error = await #expect(throws: SyncError.self) {
                try await fixture.api.getObjects(Human.self, at: "humans")
            }
            #expect(error?.code == .noStore)
            #expect("\(try #require(error))".contains("store of the object manager"))
            #expect(throws: SyncError.self) { try fixture.api.operation(for: request) }
            #expect(fixture.server.requests.isEmpty)
            fixture.api.store = fixture.store
            try await fixture.api.getObjects(Human.self, at: "humans")
            #expect(try fixture.humans() == ["1|a"])
            let operation = try fixture.api.operation(for: request)
            try fixture.api.enqueue(operation)
            #expect(try await operation.value.changes.unchanged == 1)
        }
    }

    @Test func operationsHaveOptions() async throws {
        try await HumanFixture.run(answering: Self.humans) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            try await fixture.save([2: "b"])
            fixture.api.addFetchRequest { _ in FetchRequest("Human") }
            let request = ManagedRequest(at: "humans")
            var keeping = request
            keeping.options.deletesOrphanedObjects = false
            let kept = try fixture.api.operation(for: keeping, into: fixture.store)
            let deleting = try fixture.api.operation(for: request, into: fixture.store)
            try deleting.addDependency(kept)
            let batch = try fixture.api.enqueueBatch(of: [kept, deleting])
            try await batch.finished()
            #expect(try await kept.value.orphanIDs.isEmpty)
            #expect(try await deleting.value.orphanIDs.count == 1)
            #expect(try fixture.humans() == ["1|a"])
            keeping.options.savesToPersistentStore = false
            #expect(throws: NetworkingError.self) {
                try fixture.api.operation(for: keeping, into: fixture.store)
            }
        }
    }
}
