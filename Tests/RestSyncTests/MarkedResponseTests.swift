// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import TestSupport
import Testing

/// Stored responses of which rows were made.
@Suite(.tags(.socket)) struct MarkedResponseTests {
    @Test(.parity("N310")) @MainActor func marksAfterEachWayIntoAStore() async throws {
        let temporary = try await TemporaryStore()
        let answer = LoopbackResponse.json(
            "[\(Bystander.issue)]", headers: [("Cache-Control", "max-age=3600")])
        try await LoopbackServer.run({ _ in answer }) { server in
            var client = try HTTPClient(baseURL: server.baseURL)
            client.cache = HTTPCache()
            let api = ObjectManager(client: client)
            _ = try await api.getObjects(Issue.self, at: "store", into: temporary.store)
            _ = try await api.getObjects(
                Issue.self, at: "context", in: temporary.store.mainContext)
            let pages = api.pages(
                of: Issue.self, at: "pages", by: .linkHeader, into: temporary.store)
            for try await _ in pages {}
            for path in ["store", "context", "pages"] {
                let request = try api.request(.get, at: path)
                #expect(await client.cache?.entry(for: request)?.isMapped == true, "\(path)")
            }
        }
    }

    @Test(.parity("N311")) func leavesUnmarkedWhatCouldNotBeMapped() async throws {
        let temporary = try await TemporaryStore()
        let answer = LoopbackResponse.json("[7]", headers: [("Cache-Control", "max-age=3600")])
        try await LoopbackServer.run({ _ in answer }) { server in
            var client = try HTTPClient(baseURL: server.baseURL)
            client.cache = HTTPCache()
            let api = ObjectManager(client: client)
            await #expect(throws: NetworkingError.self) {
                try await api.getObjects(Issue.self, at: "store", into: temporary.store)
            }
            let request = try api.request(.get, at: "store")
            #expect(await client.cache?.entry(for: request)?.isMapped == false)
        }
    }
}
