// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// The connections that libcurl keeps, and the requests that it repeats over them.
@Suite(.tags(.socket), .serialized) struct CurlConnectionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// A handle of libcurl 7.88 fails at the sixth repetition of its life.
    @Test func repeatsEveryGetOfClosingServer() async throws {
        try await LoopbackSocketServer.run { connection in
            guard connection.readRequest() != nil else { return }
            connection.send(Self.ok)
            connection.readRequest()
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                for _ in 0..<30 {
                    let body = try await client.read("a")
                    #expect(body == Array("ok".utf8))
                }
            }
            #expect(server.connectionCount == 30)
        }
    }

    /// The second connection also ends without a response, so the server is asked twice at most.
    @Test func repeatsGetOnlyOnce() async throws {
        let arrivals = Atomic(0)
        try await LoopbackSocketServer.run { connection in
            guard let request = connection.readRequestText() else { return }
            if request.hasPrefix("GET /second ") {
                arrivals.add(1, ordering: .relaxed)
                return
            }
            connection.send(Self.ok)
            if connection.readRequest() != nil { arrivals.add(1, ordering: .relaxed) }
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                _ = try await client.read("first")
                let error = await transportError { _ = try await client.read("second") }
                #expect(error?.code == .connectionLost)
            }
        }
        let count = arrivals.load(ordering: .relaxed)
        #expect(count == 2)
    }
}
