// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import RestURLSession
import TestSupport
import Testing

/// The limits of Foundation on Linux, which the transport reports instead of hiding them.
@Suite(.enabled(if: isLinux, "specific to Foundation on Linux"))
struct URLSessionTransportTests {
    @Test func rejectsUnsupportedTLSConfiguration() {
        var configuration = URLSessionTransport.Configuration()
        configuration.tls.minimumVersion = .tls13
        #expect(throws: TransportError.self) {
            try URLSessionTransport(configuration: configuration)
        }
    }

    @Test(.tags(.socket), .threat("T11")) func rejectsStreamBeyondUploadLimit() async throws {
        let script: LoopbackSocketServer.Script = { connection in
            while connection.readMessage() != nil {
                guard connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") else {
                    return
                }
            }
        }
        try await LoopbackSocketServer.run(script) { server in
            try await Adapter.urlSession.run(server.baseURL) { client in
                let chunk = [UInt8](repeating: 1, count: 1 << 20)
                let endless = MessageBody.stream { AsyncStream<[UInt8]> { chunk } }
                let request = try client.request(.post, at: "a", body: endless)
                let error = await transportError { _ = try await client.send(request) }
                #expect(error?.code == .bodyTooLarge)
                #expect(error?.stage == .preparing)
            }
            #expect(server.connectionCount == 0)
        }
    }
}
