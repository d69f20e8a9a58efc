// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Pages that are imported into a context, or into the default store.
@MainActor @Suite(.tags(.socket)) struct ContextPagesTests {
    private nonisolated static func page(_ request: LoopbackRequest) -> LoopbackResponse {
        if request.target.contains("page=3") { return .json("[]") }
        let page = request.target.contains("page=2") ? 2 : 1
        return .json(#"[{"id":\#(page),"name":"p\#(page)"}]"#)
    }

    @Test func pageHasObjectsOfContext() async throws {
        try await HumanFixture.run(Self.page) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let context = fixture.store.mainContext
            var names: [String?] = []
            let pages = fixture.api.pages(
                of: Human.self, at: "humans", by: .pageNumber(), in: context)
            for try await page in pages {
                #expect(page.objects.allSatisfy { $0.managedObjectContext === context })
                #expect(page.objects.map(\.objectID) == page.page.objectIDs)
                names += page.objects.map(\.name)
            }
            #expect(names == ["p1", "p2"])
            #expect(try fixture.humans() == ["1|p1", "2|p2"])
        }
    }

    @Test func pagesUseDefaultStore() async throws {
        try await HumanFixture.run(Self.page) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let pages = fixture.api.pages(
                of: Human.self, at: "humans", by: .pageNumber())
            await #expect(throws: SyncError.self) {
                for try await _ in pages {}
            }
            #expect(fixture.server.requests.isEmpty)
            fixture.api.store = fixture.store
            for try await page in pages { #expect(page.objectIDs.count <= 1) }
            #expect(try fixture.humans() == ["1|p1", "2|p2"])
        }
    }

    @Test func completeWalkDeletesOrphansOfContext() async throws {
        let lastPage = Mutex(2)
        try await HumanFixture.run({ request in
            let last = lastPage.withLock(\.self)
            return request.target.contains("page=\(last + 1)") ? .json("[]") : Self.page(request)
        }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let context = fixture.store.mainContext
            var pages = fixture.api.pages(
                of: Human.self, at: "humans", by: .pageNumber(), in: context)
            pages.orphans = .delete(maximumShare: 1, requiresValidators: false)
            #expect(try await pages.fetchAll().pageCount == 2)
            let humans = try context.fetch(Human.self, orderBy: \.railsID)
            lastPage.withLock { $0 = 1 }
            let walk = try await pages.fetchAll()
            #expect(walk.orphanIDs == [humans[1].objectID])
            #expect(try context.fetch(Human.self) == [humans[0]])
            #expect(try fixture.humans() == ["1|p1"])
        }
    }
}
