// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Live lists of a store that is reset or closed.
@MainActor @Suite(.tags(.socket)) struct RemoteListResetTests {
    @Test func listIsEmptyAfterReset() async throws {
        try await HumanFixture.run { fixture, _ in
            let list = try RemoteList(
                Human.self, at: "humans", by: fixture.api, maximumAge: .seconds(86_400))
            while !list.phase.isFresh { await Task.yield() }
            let human = list.objects[0]
            try await fixture.store.reset()
            while list.phase.isFresh { await Task.yield() }
            #expect(list.objects.isEmpty)
            #expect(list.phase.error == nil && !list.phase.isLoading)
            await #expect(throws: SyncError.self) { try await fixture.api.delete(human) }
            #expect(fixture.server.requests.count == 1)
            try await list.refresh()
            #expect(list.phase.isFresh)
            #expect(list.objects.map(\.railsID) == [2, 1])
            #expect(list.objects[0] !== human)
            // The list follows the commits of the new content.
            let id = list.objects[0].objectID
            try await fixture.store.perform { context in
                context.delete(try context.object(with: id))
                try context.save()
            }
            while list.objects.count == 2 { await Task.yield() }
            #expect(list.objects.map(\.railsID) == [1])
        }
    }

    @Test func listInProgressIsEmptyAfterReset() async throws {
        let gate = Gate()
        try await HumanFixture.run(awaiting: { _ in
            await gate.pass()
            return .json(#"[{"id":1,"name":"a"}]"#)
        }) { fixture in
            fixture.api.store = fixture.store
            let list = try RemoteList(Human.self, at: "humans", by: fixture.api)
            await gate.arrivals()
            #expect(list.phase.isLoading)
            try await fixture.store.reset()
            // The request is still in progress.
            while list.phase.isLoading { await Task.yield() }
            #expect(list.phase.error == nil)
            gate.open()
            try await list.refresh()
            #expect(list.objects.map(\.railsID) == [1])
            #expect(fixture.server.requests.count == 2)
        }
    }

    @Test func statesContinueAfterReset() async throws {
        try await HumanFixture.run { fixture, _ in
            let clock = ManualClock()
            fixture.api.configure { $0.client.clock = clock }
            try await fixture.load()
            var texts: [String] = []
            for await state in try fixture.api.live(
                Human.self, at: "humans", maximumAge: .seconds(60))
            {
                texts.append("\(state.objectIDs.count)\(state.phase.isFresh ? " fresh" : "")")
                switch texts.count {
                case 1:
                    await clock.waitForSleepers(1)
                    try await fixture.store.reset()
                case 2:
                    #expect(fixture.server.requests.count == 1)
                    await clock.waitForSleepers(1)
                    clock.advance(by: .seconds(61))
                case 4: try fixture.store.close()
                default: break
                }
            }
            #expect(texts == ["2", "0", "0", "2 fresh", "2"])
        }
    }

    @Test func closedStoreIsError() async throws {
        try await HumanFixture.run { fixture, _ in
            let list = try RemoteList(Human.self, at: "humans", by: fixture.api)
            while !list.phase.isFresh { await Task.yield() }
            // Objects keep the values that they have read.
            #expect(list.objects.map(\.railsID) == [2, 1])
            try fixture.store.close()
            while list.phase.isFresh { await Task.yield() }
            #expect((list.phase.error as? PersistenceError)?.code == .storeClosed)
            #expect(list.objects.map(\.railsID) == [2, 1])
        }
    }
}
