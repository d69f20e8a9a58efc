// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

@Entity private final class Station: ManagedObject {
    @Identity var code: String
    var name: String?
}

@Entity private final class Probe: ManagedObject {
    @Identity var id: Int
    var name: String?
    @Reference var home: Station?
    @Reference var visited: [Station]
    var owner: Station?
}

/// Requests with objects that refer to others by a bare identity.
@MainActor @Suite(.tags(.socket)) struct ReferenceRequestTests {
    @Test func referencesAreWrittenAsTheyAreRead() async throws {
        let temporary = try await TemporaryStore([Station.self, Probe.self])
        try await LoopbackServer.run({ _ in LoopbackResponse(status: 204) }) { server in
            let api = try manager(at: server.baseURL)
            try api.setRequestFormat(.json)
            let context = temporary.store.mainContext
            let (first, second) = (
                try Station.insert(into: context, code: "A1", name: "Alpha"),
                try Station.insert(into: context, code: "B2", name: "Beta")
            )
            let probe = try Probe.insert(into: context, id: 1)
            probe.home = first
            probe.visited = [second, first]
            probe.owner = second
            let homeless = try Probe.insert(into: context, id: 2)
            for object in [probe, homeless] { try await api.post(object, at: "probes") }
            let bodies = try server.requests.map { request in
                try #require(
                    try JSONSerialization.jsonObject(with: Data(request.body)) as? NSDictionary)
            }
            try #require(bodies.count == 2)
            #expect(bodies[0]["home"] as? String == "A1")
            #expect(bodies[0]["visited"] as? [String] == ["B2", "A1"])
            // Without a reference, the object is written with its identity.
            #expect(bodies[0]["owner"] as? [String: String] == ["code": "B2"])
            #expect(bodies[1]["visited"] as? [String] == [])
            #expect(bodies[1]["home"] is NSNull || bodies[1]["home"] == nil)
        }
    }
}
