// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Field values with the byte E9, which is not UTF-8, from the server and back to it.
@Suite(.tags(.socket), .serialized) struct HTTPFieldsBytesTests {
    private static let tag: [UInt8] = Array("\"caf".utf8) + [0xE9, 0x22]
    private static let cookie: [UInt8] = Array("a=".utf8) + [0xE9]

    private static let script: LoopbackSocketServer.Script = { connection in
        while let request = connection.readRequest() {
            let target = String(decoding: request.prefix { $0 != 0x0D }, as: UTF8.self)
            var fields: [UInt8] = []
            var status = "200 OK"
            switch target.split(separator: " ")[1] {
            case "/location":
                status = "302 Found"
                fields = Array("Location: /echo/".utf8) + [0xE9, 0x0D, 0x0A]
            case "/tag":
                fields = Array("Cache-Control: no-cache\r\nETag: ".utf8) + tag + [0x0D, 0x0A]
                if request.firstRange(of: Array("If-None-Match: ".utf8) + tag + [0x0D]) != nil {
                    status = "304 Not Modified"
                }
            case "/cookie":
                fields = Array("Set-Cookie: ".utf8) + cookie + [0x0D, 0x0A]
            default: break
            }
            let length = Array("Content-Length: 0\r\n\r\n".utf8)
            guard connection.send(Array("HTTP/1.1 \(status)\r\n".utf8) + fields + length) else {
                return
            }
        }
    }

    /// Runs the server and returns all bytes that it received, which never contain a replacement.
    private static func received(
        over adapter: Adapter, _ work: (HTTPClient) async throws -> Void
    ) async throws -> [UInt8] {
        try await LoopbackSocketServer.run(script) { server in
            try await adapter.run(server.baseURL, body: work)
            let received = server.received.flatMap { $0 }
            #expect(!received.contains([0xEF, 0xBF, 0xBD]))
            return received
        }
    }

    /// Foundation on Linux ends a connection that delivers a header that is not UTF-8.
    private static func losesConnection(over adapter: Adapter) -> Bool {
        #if os(Linux)
        adapter == .urlSession
        #else
        false
        #endif
    }

    @Test(arguments: Adapter.allCases)
    func followsLocationWithEncodedBytes(adapter: Adapter) async throws {
        let received = try await Self.received(over: adapter) { client in
            guard adapter == .curl else {
                let error = await transportError { _ = try await client.read("location") }
                if Self.losesConnection(over: adapter) {
                    #expect(error?.code == .connectionLost)
                } else {
                    #expect(error?.code == .malformedResponse)
                    #expect(error?.reason.contains("Location") == true)
                }
                return
            }
            let response = try await client.send(client.request(at: "location"))
            #expect(response.url.path == "/echo/%E9")
        }
        #expect(received.contains(Array("GET /echo/%E9 HTTP/1.1".utf8)) == (adapter == .curl))
        #expect(received.contains(Array("GET /echo".utf8)) == (adapter == .curl))
    }

    @Test(arguments: Adapter.allCases)
    func revalidatesWithReceivedEntityTag(adapter: Adapter) async throws {
        let received = try await Self.received(over: adapter) { client in
            var client = client
            client.cache = HTTPCache()
            if Self.losesConnection(over: adapter) {
                let error = await transportError { [client] in _ = try await client.read("tag") }
                #expect(error?.code == .connectionLost)
                return
            }
            _ = try await client.read("tag")
            let response = try await client.send(client.request(at: "tag"))
            #expect(response.status == .ok)
            #expect(response.origin == (adapter == .curl ? .revalidated : .network))
        }
        let condition = Array("If-None-Match: ".utf8)
        #expect(received.contains(condition + Self.tag) == (adapter == .curl))
        #expect(received.contains(condition) == (adapter == .curl))
    }

    @Test(arguments: Adapter.allCases)
    func returnsCookiesWithReceivedBytes(adapter: Adapter) async throws {
        let received = try await Self.received(over: adapter) { client in
            var client = client
            let jar = CookieJar()
            client.cookieJar = jar
            if Self.losesConnection(over: adapter) {
                let error = await transportError { [client] in _ = try await client.read("cookie") }
                #expect(error?.code == .connectionLost)
            } else {
                _ = try await client.read("cookie")
            }
            _ = try await client.read("echo")
            #expect(jar.cookies(for: client.baseURL).count == (adapter == .curl ? 1 : 0))
        }
        let field = Array("Cookie: ".utf8)
        #expect(received.contains(field + Self.cookie + [0x0D]) == (adapter == .curl))
        #expect(received.contains(field) == (adapter == .curl))
    }

    @Test(arguments: Adapter.allCases)
    func sendsBytesOrRefusesThem(adapter: Adapter) async throws {
        let name = try #require(HTTPField.Name("X-Test"))
        let received = try await Self.received(over: adapter) { client in
            var request = try client.request(at: "echo")
            request.headerFields.append(HTTPField(name: name, value: [0x61, 0xE9]))
            if adapter == .curl {
                _ = try await client.send(request)
                return
            }
            let error = await transportError { _ = try await client.send(request) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.reason.contains("x-test") == true)
        }
        let field = Array("X-Test: a".utf8)
        #expect(received.contains(field + [0xE9, 0x0D]) == (adapter == .curl))
        #expect(received.isEmpty == (adapter != .curl))
    }

    @Test func distinguishesBytesInKeysOfCache() throws {
        let url = try HTTPURL(parsing: "http://h/")
        func request(_ name: HTTPField.Name, _ byte: UInt8) -> TransportRequest {
            var fields = HTTPFields()
            fields.append(HTTPField(name: name, value: [0x61, byte]))
            return TransportRequest(url: url, headerFields: fields)
        }
        let partitions = [UInt8](0xE8...0xE9).map {
            CachePartition.of(request(.authorization, $0))
        }
        #expect(partitions[0] != partitions[1])
        let head = HTTPResponse(status: .ok, headerFields: [.vary: "Accept-Language"])
        let digests = [UInt8](0xE8...0xE9).map {
            SelectingFields.digests(of: request(.acceptLanguage, $0), for: head)
        }
        #expect(digests[0] != nil && digests[0] != digests[1])
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool { firstRange(of: part) != nil }
}
