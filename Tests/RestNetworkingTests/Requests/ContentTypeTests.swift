// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestDocument
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// The `Content-Type` of requests.
@Suite struct ContentTypeTests {
    private func manager(
        _ format: MediaType, _ defaults: HTTPFields = [:]
    ) throws -> ObjectManager {
        let client = try HTTPClient(
            baseURL: "http://127.0.0.1:1/", transport: CurlTransport(), defaultHeaders: defaults)
        let api = ObjectManager(client: client)
        api.configure { $0.formats.register(TextFormat(), for: "text/plain", "application/xml") }
        try api.setRequestFormat(format)
        return api
    }

    @Test(arguments: [
        ("application/json", "application/json"),
        ("application/vnd.api+json", "application/vnd.api+json"),
        ("application/vnd.api+json; ext=\"a\"", "application/vnd.api+json; ext=a"),
        ("application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=utf-8"),
        ("text/plain", "text/plain; charset=utf-8"),
        ("application/xml", "application/xml; charset=utf-8"),
        ("text/plain; charset=us-ascii", "text/plain; charset=us-ascii"),
    ])
    func hasCharsetOnlyIfTypeDefinesIt(format: String, expected: String) throws {
        let api = try manager(try #require(MediaType(parsing: format)))
        let isText = format.contains("text") || format.contains("xml")
        let request = try api.request(
            .post, at: "a", parameters: RequestParameters(isText ? "x" : ["x": 1]))
        #expect(request.headerFields[.contentType] == expected)
    }

    @Test(arguments: [
        ("application/json", #"{"x":1}"#), ("application/vnd.api+json", #"{"x":1}"#),
        ("application/vnd.own; v=1", "x=1"), ("nonsense", "x=1"),
        ("application/x-www-form-urlencoded", "x=1"),
    ])
    func typeOfProgramWins(type: String, body: String) throws {
        var request = ObjectRequest<Void>(.post, at: "a", parameters: ["x": 1])
        request.headerFields[.contentType] = type
        let sent = try manager(.formURLEncoded).assemble(request).transportRequest
        #expect(sent.headerFields[values: .contentType] == [type])
        #expect(String(decoding: sent.body.bytes ?? [], as: UTF8.self) == body)
        // That of the client is added when the request is sent.
        let api = try manager(.formURLEncoded, [.contentType: type])
        let plain = try api.request(.post, at: "a", parameters: ["x": 1])
        #expect(plain.headerFields[.contentType] == nil)
        #expect(try api.client.prepared(plain).headerFields[.contentType] == type)
        #expect(String(decoding: plain.body.bytes ?? [], as: UTF8.self) == body)
    }

    @Test func typeOfProgramWinsForChanges() async throws {
        try await LoopbackServer.run({ _ in .json(#"{"name": "B"}"#) }) { server in
            let api = try RestNetworkingTests.manager(at: server.baseURL)
            for type in [nil, "application/json"] {
                _ = try await api.patch(
                    Author(name: "B"), changesSince: Author(name: "A"), at: "a"
                ) { request in
                    if let type { request.headerFields[.contentType] = type }
                }
            }
            api.configure { $0.client.defaultHeaders[.contentType] = "application/vnd.patch+json" }
            _ = try await api.patch(
                Author(name: "B"), changesSince: Author(name: "A"), at: "a")
            #expect(
                server.requests.map { $0.headers["content-type"] } == [
                    "application/merge-patch+json", "application/json",
                    "application/vnd.patch+json",
                ])
        }
    }

    @Test func formWithOtherTypeIsError() throws {
        var request = ObjectRequest<Void>(.post, at: "a")
        request.form = { try $0.addField("x", named: "y") }
        let api = try manager(.json)
        let sent = try api.assemble(request).transportRequest
        #expect(
            sent.headerFields[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
        request.headerFields[.contentType] = "multipart/form-data"
        let error = #expect(throws: NetworkingError.self) { try api.assemble(request) }
        #expect(error?.code == .invalidRequest)
    }
}
