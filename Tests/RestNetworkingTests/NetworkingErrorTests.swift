// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket)) struct NetworkingErrorTests {
    private let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    @Test func malformedBody() async throws {
        let error = try await failure(of: .json(#"[{"id": 1, "title": oops}]"#))
        #expect(error.code == .malformedBody)
        #expect(error.stage == .parsing)
        #expect(error.path == "[0].title")
        #expect(error.underlying is DocumentError)
    }

    @Test func truncatedDocument() async throws {
        let error = try await failure(of: .json(#"[{"id": 1, "tit"#))
        #expect(error.code == .malformedBody)
        #expect((error.underlying as? DocumentError)?.code == .unexpectedEnd)
    }

    @Test func tooDeepDocument() async throws {
        let error = try await failure(of: .json(String(repeating: "[", count: 100_000)))
        #expect(error.code == .malformedBody)
        #expect((error.underlying as? DocumentError)?.code == .limitExceeded)
    }

    @Test func oversizedBody() async throws {
        var limits = TransportLimits()
        limits.bodyByteCount = 1000
        let error = try await failure(
            of: .json("[" + String(repeating: " ", count: 2000) + "]"), limits: limits)
        #expect(error.code == .transportFailed)
        #expect(error.stage == .transport)
        #expect((error.underlying as? TransportError)?.code == .bodyTooLarge)
    }

    @Test func wrongContentType() async throws {
        let html = LoopbackResponse(
            headers: [("Content-Type", "text/html")], body: Array("<p>secret</p>".utf8))
        let error = try await failure(of: html)
        #expect(error.code == .unexpectedContentType)
        #expect(error.stage == .response)
        #expect(error.causes.count == 1)
        #expect(error.causes.first?.hasPrefix("expected application/json, ") == true)
        #expect(error.causes.first?.hasSuffix(", found text/html") == true)
        #expect(String(decoding: error.body, as: UTF8.self) == "<p>secret</p>")
    }

    @Test(.parity("N231")) func contentTypeWithoutFormat() async throws {
        let xml = LoopbackResponse(
            headers: [("Content-Type", "application/xml")], body: Array("<a/>".utf8))
        let error = try await failure(of: xml, descriptors: [ResponseDescriptor(Article.self)])
        #expect(error.code == .unexpectedContentType)
        for type in [
            "application/json", "application/x-www-form-urlencoded", "application/xml",
        ] {
            #expect(error.description.contains(type))
        }
    }

    @Test(.parity("N232")) func statusThatNoDescriptorExpects() async throws {
        let text = LoopbackResponse(
            status: 503, headers: [("Content-Type", "text/html")],
            body: Array("Internal Server Error".utf8))
        let error = try await failure(of: text, descriptors: [ResponseDescriptor(Article.self)])
        #expect(error.code == .unexpectedStatus)
        #expect(error.status == 503)
        #expect(error.description.contains("expected (200-299), found 503"))
    }

    @Test(.parity("N233")) func rejectedPost() async throws {
        let refused = LoopbackResponse.json(#"{"errors": ["error1", "error2"]}"#, status: 500)
        let error = try await LoopbackServer.run({ _ in refused }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(Article.self, statusCodes: .successful))
            return await networkingError {
                try await api.response(
                    to: api.request(.post, at: "humans/fail", parameters: ["name": "Blake"]))
            }
        }
        #expect(error?.code == .unexpectedStatus)
        #expect(error?.method == "POST")
        #expect(error?.description.contains("expected (200-299), found 500") == true)
    }

    @Test func unexpectedStatus() async throws {
        let error = try await failure(of: .json(#"{"message": "secret"}"#, status: 503))
        #expect(error.code == .unexpectedStatus)
        #expect(error.status == 503)
        #expect(String(decoding: error.body, as: UTF8.self) == #"{"message": "secret"}"#)
    }

    @Test func errorStatusWithDescriptor() async throws {
        let error = try await failure(
            of: .json(#"{"message": "secret", "code": 7}"#, status: 422),
            descriptors: [ResponseDescriptor(Refusal.self, statusCodes: .error)])
        #expect(error.code == .errorResponse)
        #expect(error.status == 422)
        #expect(error.mappedErrors as? [Refusal] == [Refusal(message: "secret", code: 7)])
    }

    @Test func documentThatCannotBeMapped() async throws {
        let error = try await failure(
            of: .json(#"[{"id": 1, "title": "a"}, {"id": "secret", "title": "b"}]"#))
        #expect(error.code == .mappingFailed)
        #expect(error.stage == .mapping)
        #expect(error.path?.description.hasPrefix("[1]") == true)
        #expect(error.underlying is MappingError)
    }

    @Test func documentWithoutDescriptor() async throws {
        let error = try await LoopbackServer.run({ _ in .json(#"{"id": 1}"#) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(Article.self, at: "other"))
            return await networkingError { try await api.getObjects(at: "articles?key=secret") }
        }
        #expect(error?.code == .noMatchingDescriptor)
        #expect(error?.causes.count == 1)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func truncatedBody() async throws {
        let head = head
        let error = try await failure(of: { connection in
            connection.readRequest()
            connection.send(head + "Content-Length: 100\r\n\r\n[{\"id\": 1")
        })
        #expect(error.code == .transportFailed)
        #expect((error.underlying as? TransportError)?.code == .incompleteBody)
    }

    @Test(arguments: [
        (503, "application/json", NetworkingError.Code.unexpectedStatus),
        (200, "text/html", .unexpectedContentType), (200, "application/json", .transportFailed),
    ])
    func truncatedBodyShorterThanItsContentLength(
        status: Int, type: String, code: NetworkingError.Code
    ) async throws {
        let error = try await failure(of: { connection in
            connection.readRequest()
            connection.send(
                "HTTP/1.1 \(status) X\r\nContent-Type: \(type)\r\nContent-Length: 100\r\n\r\n[")
        })
        #expect(error.code == code)
        #expect((error.underlying as? TransportError)?.code == .incompleteBody)
        #expect(error.status == status)
    }

    @Test(.parity("N222")) func unknownHost() async throws {
        let api = try manager(at: "http://no-such-host.invalid/")
        let error = await networkingError { try await api.get("articles", as: [Article].self) }
        #expect(error?.code == .transportFailed)
        #expect((error?.underlying as? TransportError)?.code == .connectionFailed)
        #expect(error?.description.contains("http://no-such-host.invalid/articles") == true)
    }

    @Test(
        .parity("N223"),
        arguments: [
            "http://what…is“this”/", "http://a b/", "http://[::x]/", "http://h:99999/",
            "http:///path", "http://", "mailto:a@b",
        ])
    func invalidBaseURL(text: String) async throws {
        let refusal = #expect(throws: TransportError.self) { try manager(at: text) }
        #expect(refusal?.code == .invalidRequest)
        let api = try manager(at: "http://127.0.0.1:1/")
        let error = await networkingError { try await api.get(text, as: [Article].self) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.stage == .assembly)
    }

    @Test func closedConnection() async throws {
        let error = try await failure(of: { connection in connection.readRequest() })
        #expect(error.code == .transportFailed)
        #expect((error.underlying as? TransportError)?.code == .connectionLost)
    }

    @Test func refusedConnection() async throws {
        let port = try await LoopbackSocketServer.run({ _ in }) { $0.port }
        let api = try manager(at: "http://127.0.0.1:\(port)/")
        let error = await networkingError { try await api.get("articles", as: [Article].self) }
        #expect(error?.code == .transportFailed)
        #expect((error?.underlying as? TransportError)?.code == .connectionFailed)
    }

    @Test(arguments: [false, true]) func unresponsiveServer(isAfterHead: Bool) async throws {
        var limits = TransportLimits()
        limits.idleTimeout = .milliseconds(200)
        let head = head
        let error = try await failure(
            of: { connection in
                connection.readRequest()
                if isAfterHead { connection.send(head + "Content-Length: 100\r\n\r\n[") }
                connection.waitUntilClosed()
            }, limits: limits)
        #expect(error.code == .transportFailed)
        #expect((error.underlying as? TransportError)?.code == .timedOut)
    }

    @Test func cancellationIsNotWrapped() async throws {
        let head = head
        try await LoopbackSocketServer.run({ connection in
            connection.readRequest()
            connection.send(head + "Content-Length: 100\r\n\r\n[")
            connection.waitUntilClosed()
        }) { server in
            let api = try manager(at: server.baseURL)
            let task = Task { try await api.get("articles", as: [Article].self) }
            while server.received.first?.isEmpty ?? true {
                try await Task.sleep(for: .milliseconds(2))
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let late = Task {
                unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
                return try await api.get("articles", as: [Article].self)
            }
            await #expect(throws: CancellationError.self) { try await late.value }
        }
    }

    // MARK: Helpers

    private func failure(
        of response: LoopbackResponse, descriptors: [ResponseDescriptor] = [],
        limits: TransportLimits = .default
    ) async throws -> NetworkingError {
        try await LoopbackServer.run({ _ in response }) { server in
            try await failure(at: server.baseURL, descriptors, limits)
        }
    }

    private func failure(
        of script: @escaping LoopbackSocketServer.Script, limits: TransportLimits = .default
    ) async throws -> NetworkingError {
        try await LoopbackSocketServer.run(script) { server in
            try await failure(at: server.baseURL, [], limits)
        }
    }

    private func failure(
        at baseURL: String, _ descriptors: [ResponseDescriptor], _ limits: TransportLimits
    ) async throws -> NetworkingError {
        let api = try manager(at: baseURL, limits: limits)
        try api.add(descriptors)
        let failure = await networkingError {
            try await api.get(
                "articles", parameters: ["token": "secret"], as: [Article].self)
        }
        let error = try #require(failure)
        #expect(error.method == "GET")
        #expect(error.url?.hasPrefix(baseURL + "articles") == true)
        #expect(error.description.hasPrefix("\(error.code) at \(error.stage.rawValue)"))
        #expect(!error.description.contains("secret"))
        return error
    }
}
