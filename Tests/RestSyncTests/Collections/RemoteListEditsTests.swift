// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Live lists with unsaved changes of the main context.
@MainActor @Suite(.tags(.socket)) struct RemoteListEditsTests {
    private func numbers(_ list: RemoteList<Human>) -> [Int?] { list.objects.map(\.railsID) }

    /// Waits until a list has members.
    private func wait(for numbers: [Int?], in list: RemoteList<Human>) async {
        while self.numbers(list) != numbers { await Task.yield() }
    }

    @Test func storedObjectsAreThereAtOnce() async throws {
        try await HumanFixture.run { fixture, _ in
            try await fixture.load()
            let stored = try RemoteList(
                Human.self, at: "humans", by: fixture.api, maximumAge: .seconds(86_400))
            #expect(numbers(stored) == [2, 1])
            #expect(!stored.phase.isLoading && !stored.phase.isFresh)
            let ordered = try RemoteList(
                Human.self, at: "humans", by: fixture.api, orderBy: [.ascending(\.name)])
            #expect(numbers(ordered) == [1, 2])
            #expect(ordered.phase.isLoading)
        }
    }

    @Test func unsavedDeletionLeavesList() async throws {
        try await HumanFixture.run { fixture, _ in
            try await fixture.load()
            let context = fixture.store.mainContext
            let list = try RemoteList(
                Human.self, at: "humans", by: fixture.api, maximumAge: .seconds(86_400))
            context.delete(list.objects[0])
            await wait(for: [1], in: list)
            // A new list does not show it either.
            let other = try RemoteList(
                Human.self, at: "humans", by: fixture.api, maximumAge: .seconds(86_400))
            #expect(numbers(other) == [1])
            context.rollback()
            await wait(for: [2, 1], in: list)
            await wait(for: [2, 1], in: other)
        }
    }

    @Test func unsentObjectBelongsToListByRule() async throws {
        try await HumanFixture.run { fixture, served in
            try await fixture.load()
            fixture.api.addFetchRequestRule { url in
                url.relativePath == "humans"
                    ? FetchRequest(Human.self, where: { $0.name != "hidden" }) : nil
            }
            let context = fixture.store.mainContext
            let list = try RemoteList(
                Human.self, at: "humans", by: fixture.api, maximumAge: .seconds(86_400))
            let ordered = try RemoteList(
                Human.self, at: "humans", by: fixture.api, orderBy: [.ascending(\.name)],
                maximumAge: .seconds(86_400))
            let other = try RemoteList(
                Human.self, at: "moved?307", by: fixture.api, maximumAge: .seconds(86_400))
            while !other.phase.isFresh { await Task.yield() }
            let new = try context.insert(Human.self)
            (new.railsID, new.name) = (9, "aa")
            await wait(for: [2, 1, 9], in: list)
            await wait(for: [1, 9, 2], in: ordered)
            #expect(numbers(other) == [2, 1])
            new.name = "hidden"
            await wait(for: [2, 1], in: list)
            new.name = "z"
            await wait(for: [1, 2, 9], in: ordered)
            await wait(for: [2, 1, 9], in: list)
            // It stays when it was sent, until the next response.
            served.change { $0.humans = #"{"id":9,"name":"z"}"# }
            try await fixture.api.post(new)
            #expect(new.objectState == .saved)
            #expect(numbers(list) == [2, 1, 9])
            served.change {
                $0.humans = #"[{"id":9,"name":"z"},{"id":1,"name":"a"}]"#
                $0.tag = "\"two\""
            }
            try await list.refresh()
            #expect(numbers(list) == [9, 1])
            let dropped = try context.insert(Human.self)
            (dropped.railsID, dropped.name) = (10, "d")
            await wait(for: [9, 1, 10], in: list)
            context.rollback()
            await wait(for: [9, 1], in: list)
        }
    }
}
