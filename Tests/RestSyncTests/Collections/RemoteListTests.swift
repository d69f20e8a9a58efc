// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Lists that are shown from the store and refreshed from the server.
@MainActor @Suite(.tags(.socket)) struct RemoteListTests {
    /// Returns a state as text.
    private nonisolated static func text(_ state: LiveState) -> String {
        let phase =
            state.phase.isLoading
            ? "loading"
            : state.phase.isFresh ? "fresh" : state.phase.error == nil ? "stored" : "failed"
        return "\(phase) \(state.objectIDs.count)"
    }

    @Test func yieldsStoredObjectsBeforeThoseOfServer() async throws {
        try await HumanFixture.run { fixture, served in
            var texts: [String] = []
            for await state in try fixture.api.live(Human.self, at: "humans") {
                texts.append(Self.text(state))
            }
            served.change {
                $0.humans = #"[{"id":3,"name":"c"}]"#
                $0.tag = "\"two\""
            }
            for await state in try fixture.api.live(Human.self, at: "humans") {
                texts.append(Self.text(state))
            }
            served.change {
                $0.status = 500
                $0.isConditional = false
            }
            for await state in try fixture.api.live(Human.self, at: "humans") {
                texts.append(Self.text(state))
            }
            #expect(
                texts == ["loading 0", "fresh 2", "loading 2", "fresh 1", "loading 1", "failed 1"])
        }
    }

    @Test func requestsObjectsAgainByAge() async throws {
        try await HumanFixture.run { fixture, _ in
            let clock = ManualClock()
            fixture.api.configure { $0.client.clock = clock }
            try await fixture.load()
            var texts: [String] = []
            let states = try fixture.api.live(
                Human.self, at: "humans", maximumAge: .seconds(60))
            for await state in states {
                texts.append(Self.text(state))
                if texts.count == 3 { break }
                if texts.count == 1 {
                    #expect(fixture.server.requests.count == 1)
                    await clock.waitForSleepers(1)
                    clock.advance(by: .seconds(61))
                }
            }
            #expect(texts == ["stored 2", "loading 2", "fresh 2"])
            #expect(fixture.server.requests.count == 2)
        }
    }

    @Test func listIsReadAgainByAgeAfterError() async throws {
        try await HumanFixture.run { fixture, _ in
            let clock = ManualClock()
            fixture.api.configure { $0.client.clock = clock }
            try await fixture.load()
            func rename(_ name: String, to other: String) throws {
                try fixture.temporary.execute("ALTER TABLE \(name) RENAME TO \(other)")
            }
            try rename("restkit_collection_page", to: "hidden")
            var texts: [String] = []
            let states = try fixture.api.live(
                Human.self, at: "humans", maximumAge: .seconds(60))
            for await state in states {
                texts.append(Self.text(state))
                if texts.count == 3 { break }
                if texts.count == 1 {
                    await clock.waitForSleepers(1)
                    try rename("hidden", to: "restkit_collection_page")
                    clock.advance(by: .seconds(61))
                }
            }
            #expect(texts == ["failed 0", "loading 2", "fresh 2"])
            #expect(fixture.server.requests.count == 2)
        }
    }

    @Test func identicalRequestsAreJoined() async throws {
        let gate = Mutex(false)
        let temporary = try await TemporaryStore(HumanFixture.entities)
        try await LoopbackServer.run({ _ in
            while !gate.withLock(\.self) { await Task.yield() }
            return .json(#"[{"id":1,"name":"a"}]"#)
        }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(HumanMappings.human))
            api.store = temporary.store
            let lists = try (0..<3).map { _ in try RemoteList(Human.self, at: "humans", by: api) }
            for list in lists {
                while !list.phase.isLoading { await Task.yield() }
            }
            gate.withLock { $0 = true }
            for list in lists {
                while !list.phase.isFresh { await Task.yield() }
                #expect(list.objects.map(\.railsID) == [1])
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func statesHaveOrderOfList() async throws {
        try await HumanFixture.run { fixture, served in
            served.change {
                $0.humans = #"[{"id":2,"name":"b"},{"id":3,"name":"c"},{"id":1,"name":"a"}]"#
            }
            for (orderings, expected) in [
                ([], [2, 3, 1]), ([.ascending(\.name)], [1, 2, 3]),
                ([.descending(\.railsID)], [3, 2, 1]),
            ] as [([FetchOrdering<Human>], [Int])] {
                var last: [ManagedObjectID] = []
                let states = try fixture.api.live(
                    Human.self, at: "humans", orderBy: orderings)
                for await state in states { last = state.objectIDs }
                #expect(try await fixture.numbers(last) == expected)
                // The stored collection keeps the order of the server.
                let stored = try await fixture.api.collection(at: "humans")?.objectIDs
                #expect(try await fixture.numbers(stored ?? []) == [2, 3, 1])
            }
        }
    }

    @Test func orderFollowsSavedValues() async throws {
        try await HumanFixture.run { fixture, served in
            let list = try RemoteList(
                Human.self, at: "humans", by: fixture.api, orderBy: [.ascending(\.name)])
            while !list.phase.isFresh { await Task.yield() }
            #expect(list.objects.map(\.railsID) == [1, 2])
            let id = list.objects[0].objectID
            try await fixture.store.perform { context in
                try context.objects(Human.self, with: [id])[0].name = "z"
                try context.save()
            }
            while list.objects.first?.railsID != 2 { await Task.yield() }
            #expect(list.objects.map(\.railsID) == [2, 1])
            served.change {
                $0.humans = #"[{"id":1,"name":"z"},{"id":3,"name":"m"},{"id":2,"name":"b"}]"#
                $0.tag = "\"two\""
            }
            try await list.refresh()
            #expect(list.objects.map(\.railsID) == [2, 3, 1])
        }
    }

    @Test func listFollowsRefreshesAndDeletions() async throws {
        try await HumanFixture.run { fixture, served in
            try await fixture.load()
            let list = try RemoteList(Human.self, at: "humans", by: fixture.api)
            while !list.phase.isFresh { await Task.yield() }
            #expect(list.objects.map(\.railsID) == [2, 1])
            let first = list.objects[0]
            served.change {
                $0.humans = #"[{"id":1,"name":"a"},{"id":2,"name":"new"},{"id":3,"name":"c"}]"#
                $0.tag = "\"two\""
            }
            try await list.refresh()
            #expect(list.objects.map(\.railsID) == [1, 2, 3])
            #expect(list.objects[1] === first && first.name == "new")
            let id = first.objectID
            try await fixture.store.perform { context in
                context.delete(try context.object(with: id))
                try context.save()
            }
            while list.objects.count == 3 { await Task.yield() }
            #expect(list.objects.map(\.railsID) == [1, 3])
            served.change {
                $0.status = 500
                $0.isConditional = false
            }
            await #expect(throws: NetworkingError.self) { try await list.refresh() }
            #expect(list.phase.error is NetworkingError)
            #expect(list.objects.map(\.railsID) == [1, 3])
        }
    }

    @Test func cancelledRefreshShowsItsResult() async throws {
        try await HumanFixture.run { fixture, served in
            let list = try RemoteList(Human.self, at: "humans", by: fixture.api)
            while !list.phase.isFresh { await Task.yield() }
            served.change {
                $0.humans = #"[{"id":3,"name":"c"}]"#
                $0.tag = "\"two\""
            }
            let refresh = Task { try await list.refresh() }
            while !list.phase.isLoading { await Task.yield() }
            refresh.cancel()
            try await refresh.value
            #expect(list.phase.isFresh)
            #expect(list.objects.map(\.railsID) == [3])
        }
    }

    @Test func closedStoreKeepsObjectsOfStates() async throws {
        try await HumanFixture.run { fixture, _ in
            let clock = ManualClock()
            fixture.api.configure { $0.client.clock = clock }
            try await fixture.load()
            var texts: [String] = []
            let states = try fixture.api.live(Human.self, at: "humans", maximumAge: .seconds(60))
            for await state in states {
                texts.append(Self.text(state))
                if texts.count == 1 {
                    await clock.waitForSleepers(1)
                    try fixture.store.close()
                    clock.advance(by: .seconds(61))
                }
            }
            #expect(texts == ["stored 2", "failed 2"])
        }
    }

    @Test func valuesAreReadWhenNeeded() async throws {
        try await HumanFixture.run { fixture, served in
            let people = (1...600).map { #"{"id":\#($0),"name":"n\#($0)"}"# }
            served.change { $0.humans = "[\(people.joined(separator: ","))]" }
            let list = try RemoteList(Human.self, at: "humans", by: fixture.api)
            while !list.phase.isFresh { await Task.yield() }
            #expect(list.objects.count == 600)
            // The objects have no values yet, so that they show those of the file.
            try fixture.temporary.execute("UPDATE Human SET name = 'written by SQL'")
            #expect(list.objects[300].name == "written by SQL")
        }
    }
}
