// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestKit
import TestSupport
import Testing

@testable import Demonstration

@Suite(.tags(.socket)) struct SeverableTransportTests {
    @Test func refusesConnectionsWhileCut() async throws {
        try await DemoServer.run(port: 0) { server in
            let api = try ObjectManager(baseURL: server.baseURL)
            let connection = try SeverableTransport(api.client.transport)
            api.configure { $0.client.transport = connection }
            for _ in 0..<2 {
                let totals: ServerTotals = try await api.get("")
                #expect(totals.notices == 12)
                let error = await #expect(throws: NetworkingError.self) {
                    try await connection.cut {
                        let _: ServerTotals = try await api.get("")
                    }
                }
                #expect(error?.code == .transportFailed)
                #expect((error?.underlying as? TransportError)?.code == .connectionFailed)
            }
            #expect(server.traffic.requests == 2)
        }
    }
}
#endif
