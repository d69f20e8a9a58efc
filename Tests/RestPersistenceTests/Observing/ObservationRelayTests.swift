// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import RestPersistence

/// The values that publishers pass on.
@MainActor @Suite struct ObservationRelayTests {
    private let files: TemporaryStore
    private let received = Received()

    init() throws { files = try TemporaryStore() }

    @MainActor private final class Received {
        var codes: [[String]] = []
    }

    /// Waits until a number of values has been received.
    private func wait(for count: Int) async throws {
        while received.codes.count < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func relaysCurrentAndChangedObjects() async throws {
        let store = try await files.open()
        try await store.insertAirline("SK")
        let airlines = FetchedObjects(Airline.self, in: store, orderBy: [.ascending(\.code)])
        let relay = ObservationRelay(of: { airlines.objects.map(\.code) }) {
            [received] in received.codes.append($0)
        }
        #expect(received.codes == [["SK"]])
        // One value for all objects of a transaction.
        try await store.insertAirlines(["DY", "BA"])
        try await wait(for: 2)
        #expect(received.codes.last == ["BA", "DY", "SK"])
        // Properties that the closure has read are observed as well.
        airlines.objects[0].code = "AA"
        try await wait(for: 3)
        #expect(received.codes.last == ["AA", "DY", "SK"])
        withExtendedLifetime(relay) {}
    }

    @Test func releasedRelayReceivesNothing() async throws {
        let store = try await files.open()
        let airlines = FetchedObjects(Airline.self, in: store)
        var relay: ObservationRelay<[String]>? = ObservationRelay(
            of: { airlines.objects.map(\.code) }
        ) { [received] in received.codes.append($0) }
        weak let released = relay
        relay = nil
        #expect(released == nil)
        try await store.insertAirline("SK")
        while airlines.objects.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        for _ in 0..<20 { await Task.yield() }
        #expect(received.codes == [[]])
    }
}
