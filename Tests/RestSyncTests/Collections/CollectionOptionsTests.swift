// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import TestSupport
import Testing

/// Parameters of the query that distinguish no collections, and responses that have none.
@MainActor @Suite(.tags(.socket)) struct CollectionOptionsTests {
    private nonisolated static func configure(_ request: inout ManagedRequest) {
        request.options.collectionParameters = []
    }

    @Test func liveListIgnoresOtherParameters() async throws {
        try await HumanFixture.run { fixture, _ in
            for token in ["a", "b"] {
                var counts: [Int] = []
                let states = try fixture.api.live(
                    Human.self, at: "humans?token=\(token)", configure: Self.configure)
                for await state in states { counts.append(state.objectIDs.count) }
                #expect(counts == (token == "a" ? [0, 2] : [2, 2]))
            }
            #expect(try await fixture.store.collections().count == 1)
            let list = try RemoteList(
                Human.self, at: "humans?token=c", by: fixture.api, maximumAge: .seconds(600),
                configure: Self.configure)
            while list.objects.isEmpty { await Task.yield() }
            #expect(list.objects.count == 2 && fixture.server.requests.count == 2)
        }
    }

    @Test func walkWithOtherTokenResumes() async throws {
        try await HumanFixture.run(pages: 1...300) { fixture, served in
            func pages(_ token: String) -> ManagedPages<ManagedPage> {
                var pages = fixture.api.pages(
                    of: Human.self, at: "humans", parameters: ["token": token],
                    by: .linkHeader, into: fixture.store)
                pages.collectionParameters = []
                pages.resumes = true
                pages.orphans = .delete()
                return pages
            }
            for try await _ in pages("a") { break }
            #expect(try await pages("b").fetchAll().pageCount == 2)
            #expect(try await fixture.store.collections().count == 1)
            served.change { $0.ids.removeLast(10) }
            #expect(try await pages("c").fetchAll().orphanIDs.count == 10)
            let context = fixture.store.makeContext()
            var contextPages = fixture.api.pages(
                of: Human.self, at: "humans?token=d", by: .linkHeader, in: context)
            contextPages.collectionParameters = []
            for try await _ in contextPages {}
            #expect(try await fixture.store.collections().count == 1)
        }
    }

    @Test(arguments: [200, 204, 206])
    func liveListIsNotFreshWithoutList(_ status: Int) async throws {
        try await HumanFixture.run { fixture, served in
            try await fixture.load()
            served.change {
                $0.status = status
                $0.humans = status == 206 ? #"[{"id":3,"name":"c"}]"# : ""
                $0.isConditional = false
            }
            var last: LiveState?
            for await state in try fixture.api.live(Human.self, at: "humans") { last = state }
            let error = last?.phase.error as? NetworkingError
            #expect(error?.code == .emptyResponse)
            #expect(last?.objectIDs.count == 2)
        }
    }

    @Test(.parity("K077")) func confirmedCollectionFillsNoOtherObject() async throws {
        try await HumanFixture.run { fixture, served in
            served.change { $0.humans = #"{"id":1,"name":"a"}"# }
            try await fixture.load()
            let context = fixture.store.mainContext
            let human = try Human.insert(into: context, name: "draft")
            let result = try await fixture.api.get(human, at: "humans")
            #expect(result.origin == .server)
            #expect(try context.objects(Human.self, with: result.objectIDs).first === human)
            #expect(human.name == "a" && human.railsID == 1)
            // The stored object is confirmed.
            let again = try await fixture.api.get(human, at: "humans")
            #expect(again.origin == .notModified)
            #expect(try context.objects(Human.self, with: again.objectIDs).first === human)
        }
    }
}
