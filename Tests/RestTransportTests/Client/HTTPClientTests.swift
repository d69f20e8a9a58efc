// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import Synchronization
import TestSupport
import Testing

@Suite struct HTTPClientTests {
    /// A transport that records requests and answers with a closure.
    private final class StubTransport: HTTPTransport {
        let sent = Mutex<[TransportRequest]>([])
        let answer: @Sendable (TransportRequest) async throws -> TransportResponse

        init(
            _ answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse = {
                TransportResponse(to: $0, head: HTTPResponse(status: .ok), body: ResponseBody([]))
            }
        ) {
            self.answer = answer
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            sent.withLock { $0.append(request) }
            return try await answer(request)
        }
    }

    @Test(
        .threat("T36"),
        arguments: [
            ("http://base/v1/", "articles/1?x=1", "http://base/v1/articles/1?x=1"),
            ("http://base/v1", "articles", "http://base/v1/articles"),
            ("http://base", "articles", "http://base/articles"),
            ("http://base/v1/", "/articles", "http://base/articles"),
            ("http://base/v1/", "", "http://base/v1/"),
            ("http://base/v1/", "http://base/other", "http://base/other"),
            ("http://base/v1/", "//base/other", "http://base/other"),
            ("http://base/", "//evil/x", nil),
            ("http://base/", "http:evil", nil),
            ("http://base/", "\\\\evil", nil),
            ("http://base/", "/\\evil", nil),
            ("http://base/", "http://base.evil.com/", nil),
            ("http://base/", "http://base:8080/", nil),
            ("http://base/", "https://base/", nil),
            ("http://base/", "http://base@evil/", nil),
            ("http://base/", "javascript:alert(1)", nil),
            ("http://base/", "channels/#general", nil),
            ("http://base/", "#", nil),
            ("http://base/", "http://base/a?x=1#b", nil),
            ("http://base/", "channels/%23general", "http://base/channels/%23general"),
        ] as [(String, String, String?)])
    func resolvesPathsWithinTheOrigin(base: String, path: String, url: String?) throws {
        let client = try HTTPClient(baseURL: base, transport: StubTransport())
        #expect((try? client.url(for: path))?.text == url)
        if url == nil {
            let error = #expect(throws: TransportError.self) { try client.request(at: path) }
            #expect(error?.code == .invalidRequest)
        }
        let lookalike = try HTTPURL(parsing: "http://base.evil.com/v1/articles")
        #expect(lookalike.relativePart(to: client.baseURL) == nil)
    }

    @Test(arguments: ["http://base/v1/?key=secret", "http://base/?", "http://base/v1#secret"])
    func refusesBaseURLWithQueryOrFragment(base: String) throws {
        let error = #expect(throws: TransportError.self) {
            try HTTPClient(baseURL: base, transport: StubTransport())
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.description.contains("base URL") == true)
        #expect(error?.description.contains("secret") == false)
        let url = try HTTPURL(parsing: base)
        #expect(throws: TransportError.self) {
            try HTTPClient(baseURL: url, transport: StubTransport())
        }
    }

    @Test func addsMissingDefaultHeaders() async throws {
        let stub = StubTransport()
        let client = try HTTPClient(
            baseURL: "http://base/", transport: stub,
            defaultHeaders: [.accept: "application/json", .userAgent: "test"])
        _ = try await client.send(try client.request(at: "a"))
        _ = try await client.send(
            try client.request(at: "b", headerFields: [.accept: "text/plain"]))
        let sent = stub.sent.withLock { $0 }
        #expect(sent[0].headerFields == [.accept: "application/json", .userAgent: "test"])
        #expect(sent[1].headerFields == [.accept: "text/plain", .userAgent: "test"])
        // The total timeout of an exchange is the time until the deadline of the request.
        var limits = sent[1].limits
        limits?.totalTimeout = client.limits.totalTimeout
        #expect(limits == client.limits)
    }

    @Test(arguments: ["a\r\nb: c", "a\nb", "a\0", "a\u{7F}", "\u{1B}[1m"])
    func rejectsControlCharacters(value: String) async throws {
        let stub = StubTransport()
        let client = try HTTPClient(baseURL: "http://base/", transport: stub)
        var request = try client.request(at: "a")
        #expect(throws: TransportError.self) { try request.setHeader(value, for: "X-Test") }
        #expect(throws: TransportError.self) { try request.setHeader("x", for: value) }
        #expect(throws: TransportError.self) { try HTTPRequest.Method(checking: value) }
        #expect(throws: TransportError.self) { try client.url(for: value) }
        if let name = HTTPField.Name("X-Test"),
            value.contains(where: { $0 == "\u{7F}" || $0 == "\u{1B}" })
        {
            // HTTPField accepts these characters in its lenient initializer.
            request.headerFields.append(HTTPField(name: name, lenientValue: Array(value.utf8)))
            let error = await transportError { _ = try await client.send(request) }
            #expect(error?.code == .invalidRequest)
        }
        #expect(stub.sent.withLock { $0.isEmpty })
    }

    @Test func describesErrorsWithoutSecrets() throws {
        let url = try HTTPURL(parsing: "https://h/v1/a?token=secret#secret")
        let request = TransportRequest(
            url: url, headerFields: [.authorization: "secret"], body: .bytes(Array("secret".utf8)))
        let error = TransportError(
            .timedOut, stage: .receivingBody, request: request, reason: "no byte within 1 s"
        )
        #expect(
            error.description
                == "timedOut while receivingBody: GET https://h/v1/a?…: no byte within 1 s")
        #expect(!"\(url)".contains("secret"))
    }
}
