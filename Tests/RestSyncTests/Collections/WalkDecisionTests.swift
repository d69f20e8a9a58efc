// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// An object whose deletion calls a closure before it is written.
@Entity final class GuardedHuman: ManagedObject {
    @MappedKey("id") @Identity var railsID: Int
    var name: String?

    @TaskLocal static var willDelete: (@Sendable () -> Void)?
}

extension GuardedHuman: ValidatingObject {
    func validationErrors(for kind: SaveKind) -> [ValidationError] {
        if kind == .delete { Self.willDelete?() }
        return []
    }
}

/// The decision of a walk that objects are gone, and changes of the store meanwhile.
@Suite(.tags(.socket)) struct WalkDecisionTests {
    /// An import between the decision and the deletion could find the object again.
    @Test(.threat("T54")) func nothingIsSavedBetweenDecisionAndDeletion() async throws {
        let temporary = try await TemporaryStore([GuardedHuman.self])
        let served = ServedPages(1...10)
        try await LoopbackServer.run({ served.answer($0) }) { server in
            let api = try manager(at: server.baseURL)
            let store = temporary.store
            var pages = api.pages(
                of: GuardedHuman.self, at: "humans", by: .linkHeader, into: store)
            pages.orphans = .delete()
            _ = try await pages.fetchAll()
            served.change { $0.ids.removeLast() }
            let outcomes = Journal()
            let importElsewhere: @Sendable () -> Void = {
                let context = store.makeContext()
                do throws(PersistenceError) {
                    _ = try GuardedHuman.insert(into: context, railsID: 11)
                    try context.save()
                    outcomes.add("saved")
                } catch {
                    outcomes.add("\(error.code)")
                }
            }
            let walk = try await GuardedHuman.$willDelete.withValue(importElsewhere) { [pages] in
                try await pages.fetchAll()
            }
            #expect(walk.orphanIDs.count == 1)
            #expect(outcomes.entries == ["busy"])
        }
    }

    @Test(arguments: [true, false])
    func walkOfRemovedCollectionIsNotComplete(_ isForgotten: Bool) async throws {
        try await HumanFixture.run(pages: 1...300) { fixture, _ in
            fixture.api.configure { $0.client.principal = Principal("user") }
            var iterator = fixture.pages().makeAsyncIterator()
            _ = try await iterator.next()
            if isForgotten {
                #expect(try await fixture.store.removeCollections(of: Principal("user")) == 100)
            } else {
                let count = try await fixture.store.evictCollections(
                    confirmedBefore: .distantFuture)
                #expect(count == 100)
            }
            while try await iterator.next() != nil {}
            #expect(
                iterator.result.incompletenessReasons == [.removed]
                    && iterator.result.collection == nil)
            #expect(try await fixture.store.collections().isEmpty)
            // The next walk begins with the first page.
            var pages = fixture.pages()
            pages.resumes = true
            let walk = try await pages.fetchAll()
            #expect(walk.pageCount == 3 && walk.collection?.objectIDs.count == 300)
        }
    }

    @Test func failureOfStoreIsErrorOfWalk() async throws {
        try await HumanFixture.run(pages: 1...300) { fixture, _ in
            func rename(_ name: String, to other: String) throws {
                try fixture.temporary.execute("ALTER TABLE \(name) RENAME TO \(other)")
            }
            _ = try await fixture.pages().fetchAll()
            try rename("restkit_collection_page", to: "hidden")
            let reading = await #expect(throws: SyncError.self) {
                try await fixture.pages().fetchAll()
            }
            #expect(reading?.code == .fetchFailed)
            try rename("hidden", to: "restkit_collection_page")
            var iterator = fixture.pages().makeAsyncIterator()
            _ = try await iterator.next()
            try fixture.store.close()
            let saving = await #expect(throws: SyncError.self) { try await iterator.next() }
            #expect(saving?.code == .fetchFailed && saving?.underlying?.code == .storeClosed)
        }
    }
}
