// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.socket), .serialized) struct MultipartUploadTests {
    @Test(arguments: Adapter.allCases, [nil, 307, 308])
    func deliversCompleteFormAfterRedirect(adapter: Adapter, status: Int?) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(sampleBytes(2 << 20), named: "a \"quoted\" name.bin")
        try await LoopbackServer.run { request in
            request.path == "/b" || status == nil
                ? LoopbackResponse() : .redirect(status ?? 0, to: "/b")
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                var form = MultipartForm()
                try form.addField("Blake", named: "name")
                try form.addFile(at: file, named: "file")
                var request = try client.request(.post, at: "a")
                try request.setForm(form)
                let response = try await client.send(request)
                #expect(response.status == .ok)
                let whole = try await request.body.readAll()
                for received in server.requests {
                    #expect(received.body == whole)
                    #expect(received.headers["content-length"] == "\(whole.count)")
                    #expect(
                        received.headers["content-type"] == request.headerFields[.contentType])
                }
                #expect(server.requests.count == (status == nil ? 1 : 2))
            }
        }
    }

    @Test(arguments: Adapter.allCases, [307, 308])
    func neverResendsUnreplayableForm(adapter: Adapter, status: Int) async throws {
        let arrivals = Mutex(0)
        try await LoopbackSocketServer.run { connection in
            while connection.readMessage() != nil {
                arrivals.withLock { $0 += 1 }
                connection.send(
                    "HTTP/1.1 \(status) X\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")
            }
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                var form = MultipartForm()
                try form.add(
                    .once(chunks(of: sampleBytes(1000))), named: "a", fileName: nil,
                    contentType: nil)
                var request = try client.request(.post, at: "a")
                try request.setForm(form)
                let sent = request
                let error = await transportError { _ = try await client.send(sent) }
                #expect(error?.code == .bodyNotReplayable)
                #expect(arrivals.withLock { $0 } == 1)
            }
        }
    }

    /// A redirect that changes the method to GET sends no body, so the body need not be replayable.
    @Test func followsRedirectThatDropsBody() async throws {
        let log = RequestLog()
        try await LoopbackSocketServer.run { connection in
            guard connection.readMessage() != nil else { return }
            connection.send("HTTP/1.1 303 X\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")
            log.script()(connection)
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                let request = try client.request(.post, at: "a", body: .once(chunks(of: [1])))
                #expect(try await client.send(request).status == .ok)
                #expect(log.takeLast()?.head.hasPrefix("get /b ") == true)
            }
        }
    }
}
