// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import Synchronization
import TestSupport
import Testing

@Suite struct HTTPClientTests {
    /// Keeps what it is asked to send and answers with what it is told.
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

    /// Brings chunks of ten bytes for ever, with a pause before each.
    private final class EndlessBody: ResponseBodySource {
        let pause: Duration

        init(pause: Duration) {
            self.pause = pause
        }

        func next() async throws -> [UInt8]? {
            try await Task.sleep(for: pause)
            return Array(repeating: 0, count: 10)
        }

        func cancel() {}
    }

    @Test(
        .threat("T36"),
        arguments: [
            ("http://base/v1/", "articles/1?x=1", "http://base/v1/articles/1?x=1"),
            ("http://base/v1", "articles", "http://base/v1/articles"),
            ("http://base", "articles", "http://base/articles"),
            ("http://base/v1/?old#old", "articles", "http://base/v1/articles"),
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
        ] as [(String, String, String?)])
    func joinsPathsWithoutLeavingTheOrigin(base: String, path: String, url: String?) throws {
        let client = try HTTPClient(baseURL: base, transport: StubTransport())
        #expect((try? client.url(for: path))?.text == url)
        if url == nil {
            let error = #expect(throws: TransportError.self) { try client.request(at: path) }
            #expect(error?.code == .invalidRequest)
        }
        let lookalike = try HTTPURL(parsing: "http://base.evil.com/v1/articles")
        #expect(lookalike.relativePart(to: client.baseURL) == nil)
    }

    @Test func addsDefaultHeadersThatARequestLacks() async throws {
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
        // The time left is what the request's deadline leaves.
        var limits = sent[1].limits
        limits?.totalTimeout = client.limits.totalTimeout
        #expect(limits == client.limits)
    }

    @Test(arguments: ["a\r\nb: c", "a\nb", "a\0", "a\u{7F}", "\u{1B}[1m"])
    func refusesControlCharactersInsteadOfDroppingThem(value: String) async throws {
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
            // The currency type lets these through when asked to be lenient.
            request.headerFields.append(HTTPField(name: name, lenientValue: Array(value.utf8)))
            let error = await transportError { _ = try await client.send(request) }
            #expect(error?.code == .invalidRequest)
        }
        #expect(stub.sent.withLock { $0.isEmpty })
    }

    @Test func holdsForeignTransportsToTheLimits() async throws {
        let stub = StubTransport { request in
            switch request.url.path {
            case "/silent":
                try await Task.sleep(for: .seconds(60))
                return TransportResponse(
                    to: request, head: HTTPResponse(status: .ok), body: ResponseBody([]))
            case "/large":
                return TransportResponse(
                    to: request, head: HTTPResponse(status: .ok),
                    body: ResponseBody(Array(repeating: 0, count: 101)))
            default:
                let pause: Duration = request.url.path == "/endless" ? .zero : .milliseconds(100)
                return TransportResponse(
                    to: request, head: HTTPResponse(status: .ok),
                    body: ResponseBody(source: EndlessBody(pause: pause)))
            }
        }
        var client = try HTTPClient(baseURL: "http://base/", transport: stub)
        client.limits.idleTimeout = .milliseconds(400)
        client.limits.totalTimeout = .milliseconds(600)
        client.limits.bodyByteCount = 100
        for (path, code, stage) in [
            ("silent", .timedOut, .receivingHeader), ("large", .bodyTooLarge, .receivingBody),
            ("endless", .bodyTooLarge, .receivingBody), ("dripping", .timedOut, .receivingBody),
        ] as [(String, TransportError.Code, TransportError.Stage)] {
            let error = await transportError { _ = try await client.read(path) }
            #expect(error?.code == code, "\(path)")
            #expect(error?.stage == stage, "\(path)")
            #expect(error?.url == "http://base/\(path)")
        }
    }

    @Test func describesErrorsWithoutSecrets() throws {
        let url = try HTTPURL(parsing: "https://h/v1/a?token=secret#secret")
        let request = TransportRequest(
            url: url, headerFields: [.authorization: "secret"], body: .bytes(Array("secret".utf8)))
        let error = TransportError(
            .timedOut, stage: .receivingBody, request: request, reason: "no byte within 1.0 seconds"
        )
        #expect(
            error.description
                == "timedOut while receivingBody: GET https://h/v1/a?…: no byte within 1.0 seconds")
        #expect(!"\(url)".contains("secret"))
    }
}
