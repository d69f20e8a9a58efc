// SPDX-License-Identifier: Apache-2.0

import RestTransport
import TestSupport
import Testing

/// The ends of bodies that are delimited by the end of a secure connection (RFC 9112 §9.8).
@Suite(.tags(.socket), .serialized) struct CloseNotifyTests {
    private static let authority = Result { try TestAuthority() }

    /// A header of a response that may be stored.
    private static let header = "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\n"

    @Test(.threat("T14"), arguments: Adapter.configurable, ["-tls1_2", "-tls1_3"])
    func rejectsBodyEndedWithoutNotice(adapter: Adapter, version: String) async throws {
        try await endWithoutNotice(adapter, options: [version]) { client, request, body in
            let error = await transportError { while try await body.next() != nil {} }
            #expect(error?.code == .incompleteBody)
            #expect(error?.stage == .receivingBody)
            #expect(await client.cache?.entry(for: request) == nil)
        }
    }

    @Test(arguments: Adapter.configurable, ["-tls1_2", "-tls1_3"])
    func acceptsBodyEndedWithNotice(adapter: Adapter, version: String) async throws {
        let authority = try Self.authority.get()
        var tls = TLSConfiguration()
        tls.authorities = .only(.file(authority.certificate))
        let response = "\(Self.header)\r\ncontent"
        try await TLSServer.run(authority, response: response, options: [version]) { server in
            try await adapter.run(server.baseURL(), tls: tls) { client in
                let body = try await client.read("response")
                #expect(body == Array("content".utf8))
            }
        }
    }

    @Test(arguments: Adapter.configurable)
    func acceptsMissingNoticeOfAllowedHost(adapter: Adapter) async throws {
        try await endWithoutNotice(adapter, allowedHost: "127.0.0.1") { client, request, body in
            let rest = try await body.next()
            #expect(rest == nil)
            #expect(await client.cache?.entry(for: request) != nil)
        }
        try await endWithoutNotice(adapter, allowedHost: "localhost") { _, _, body in
            let error = await transportError { while try await body.next() != nil {} }
            #expect(error?.code == .incompleteBody)
        }
    }

    @Test(arguments: Adapter.configurable)
    func acceptsCompleteBodyWithoutNotice(adapter: Adapter) async throws {
        let length = "Content-Length: 7\r\nConnection: close\r\n"
        try await endWithoutNotice(adapter, fields: length) { client, request, body in
            let rest = try await body.next()
            #expect(rest == nil)
            #expect(await client.cache?.entry(for: request) != nil)
        }
    }

    /// Reads `content`, then closes the connection without an alert and calls a closure.
    private func endWithoutNotice(
        _ adapter: Adapter, fields: String = "", options: [String] = [], allowedHost: String = "",
        expect: (HTTPClient, TransportRequest, inout ResponseBody.Iterator) async throws -> Void
    ) async throws {
        let authority = try Self.authority.get()
        var tls = TLSConfiguration()
        tls.authorities = .only(.file(authority.certificate))
        tls.hostsWithoutCloseNotify = [allowedHost]
        try await TLSServer.runInteractive(authority, options: options) { server in
            try await adapter.run(server.baseURL(), tls: tls) { client in
                var cachingClient = client
                cachingClient.cache = HTTPCache()
                let client = cachingClient
                let request = try client.request(at: "a")
                async let sending = client.send(request)
                try server.waitForRequest()
                try server.send("\(Self.header)\(fields)\r\ncontent")
                let response = try await sending
                var body = response.body.makeAsyncIterator()
                #expect(try await body.next() == Array("content".utf8))
                server.closeWithoutNotice()
                try await expect(client, request, &body)
            }
        }
    }
}
