// SPDX-License-Identifier: Apache-2.0

import Foundation
import InMemoryLogging
import Logging
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
            fixture.api.addFetchRequestRule { _ in FetchRequest("Human") }
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

/// Two relationships that look like two sides of one, without a declaration.
@Entity private final class Shelf: ManagedObject {
    @Identity var id: Int
    var volumes: Set<Volume>
}

@Entity private final class Volume: ManagedObject {
    @Identity var id: Int
    var shelf: Shelf?
}

/// The warnings of a store's model in the log of the manager that imports into it.
@Suite(.tags(.socket)) struct ModelWarningTests {
    /// The destinations that a program can name.
    enum Destination: CaseIterable {
        case store
        case context
        case manager
        case pages
    }

    @Test(arguments: Destination.allCases)
    func logsForgottenInverseOnce(destination: Destination) async throws {
        let store = try await ManagedObjectStore(temporaryFor: Shelf.self, Volume.self)
        let body = LoopbackResponse.json(#"[{"id":1,"shelf":{"id":2}}]"#)
        try await LoopbackServer.run { _ in
            body
        } body: { server in
            let api = try ObjectManager(baseURL: server.baseURL)
            let log = InMemoryLogHandler()
            api.configure { $0.logger = Logger(label: "test") { _ in log } }
            for _ in 0..<2 {
                switch destination {
                case .store: try await api.getObjects(Volume.self, at: "volumes", into: store)
                case .context:
                    _ = try await api.getObjects(
                        Volume.self, at: "volumes", in: store.makeContext())
                case .manager: api.store = store
                case .pages:
                    let pages = api.pages(
                        of: Volume.self, at: "volumes", by: .linkHeader, into: store)
                    for try await _ in pages {}
                }
            }
            #expect(log.entries.map(\.level) == [.warning])
            let advice = #"declare '@Inverse(\Volume.shelf)' at Shelf.volumes"#
            #expect("\(log.entries[0].message)".contains(advice))
        }
    }
}
