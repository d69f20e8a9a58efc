// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.socket)) struct FormatSelectionTests {
    @Test func readsCustomFormat() async throws {
        try await serve("id: 7\ntitle: Own", as: "text/x-lines; charset=utf-8") { api, server in
            api.configure { $0.formats.register(Lines(), for: "text/x-lines") }
            let article: Article = try await api.get("articles/7")
            #expect(article == Article(id: 7, title: "Own"))
            #expect(server.requests.first?.headers["accept"] == "text/x-lines, application/json")
        }
    }

    @Test func reportsLocationWithoutContentForCustomFormat() async throws {
        try await serve("id: 7\nsecret", as: "text/x-lines") { api, _ in
            api.configure { $0.formats.register(Lines(), for: "text/x-lines") }
            let error = await networkingError { try await api.get("a", as: Article.self) }
            #expect(error?.code == .malformedBody)
            #expect((error?.underlying as? DocumentError)?.offset == 6)
            #expect(error?.description.contains("secret") == false)
            api.configure { $0.parseLimits.byteCount = 5 }
            let limit = await networkingError { try await api.get("a", as: Article.self) }
            #expect((limit?.underlying as? DocumentError)?.code == .limitExceeded)
        }
    }

    @Test func mapsErrorBodyInCustomFormat() async throws {
        try await serve("message: no", as: "text/x-lines", status: 422) { api, _ in
            api.configure { $0.formats.register(Lines(), for: "text/*") }
            try api.add(ResponseDescriptor(Refusal.self, statusCodes: .error))
            let error = await networkingError { try await api.get("a", as: Article.self) }
            #expect(error?.code == .errorResponse)
            #expect(error?.mappedErrors as? [Refusal] == [Refusal(message: "no", code: nil)])
        }
    }

    @Test func readsForms() async throws {
        try await serve("title=a+b&id=3", as: "application/x-www-form-urlencoded") { api, _ in
            let texts: [String: String] = try await api.get("a")
            #expect(texts == ["title": "a b", "id": "3"])
        }
    }

    @Test func rejectsJSONAfterUnregisteringIt() async throws {
        try await serve(#"{"id": 1}"#, as: "application/json") { api, server in
            api.configure { $0.formats.unregister(JSONFormat.self) }
            let error = await networkingError { try await api.get("a", as: Article.self) }
            #expect(error?.code == .unexpectedContentType)
            #expect(error?.description.contains("found application/json") == true)
            #expect(server.requests.first?.headers["accept"] != "application/json")
        }
    }

    @Test(arguments: [
        ["application/json; charset="], ["application/json, application/json"],
        ["text/html", "application/json"], ["application/json", "application/json; charset=utf-8"],
        ["application/json; charset=utf-8; charset"], [], ["nonsense"],
    ])
    func readsContentTypesAsServersWriteThem(types: [String]) async throws {
        let answer = LoopbackResponse(
            headers: types.map { ("Content-Type", $0) },
            body: Array(" {\"id\": 7, \"title\": \"é\"}".utf8))
        try await LoopbackServer.run({ _ in answer }) { server in
            let article: Article = try await manager(at: server.baseURL).get("articles/7")
            #expect(article == Article(id: 7, title: "é"))
        }
    }

    @Test(arguments: ["iso-8859-1", "windows-1252", "latin1"])
    func readsBodiesAndErrorsInCharset(charset: String) async throws {
        for status in [200, 422] {
            let answer = LoopbackResponse(
                status: status,
                headers: [("Content-Type", "application/json; charset=\(charset)")],
                body: Array("{\"message\": \"caf".utf8) + [0xE9] + Array("\"}".utf8))
            try await LoopbackServer.run({ _ in answer }) { server in
                let api = try manager(at: server.baseURL)
                try api.add(ResponseDescriptor(Refusal.self, statusCodes: [200, 422]))
                if status == 200 {
                    let refusal: Refusal = try await api.get("a")
                    #expect(refusal.message == "café")
                } else {
                    let error = await networkingError { try await api.get("a", as: Article.self) }
                    #expect(
                        error?.mappedErrors as? [Refusal] == [Refusal(message: "café", code: nil)])
                }
            }
        }
    }

    @Test(.parity("S061")) func requestInProgressKeepsItsFormats() async throws {
        let manager = Mutex<ObjectManager?>(nil)
        let handler: LoopbackServer.Handler = { _ in
            manager.withLock { $0 }?.configure { $0.formats = FormatRegistry() }
            return .json(#"{"id": 1, "title": "a"}"#)
        }
        try await LoopbackServer.run(handler) { server in
            let api = try RestNetworkingTests.manager(at: server.baseURL)
            manager.withLock { $0 = api }
            #expect(try await api.get("a", as: Article.self).id == 1)
            let error = await networkingError { try await api.get("a", as: Article.self) }
            #expect(error?.code == .unexpectedContentType)
            #expect(api.formats.mediaTypes.isEmpty)
        }
    }

    private func serve(
        _ body: String, as type: String, status: Int = 200,
        _ work: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        let answer = LoopbackResponse(
            status: status, headers: [("Content-Type", type)], body: Array(body.utf8))
        try await LoopbackServer.run({ _ in answer }) { server in
            try await work(manager(at: server.baseURL), server)
        }
    }
}

/// A format for objects as lines of `key: value`, with integers and text.
private struct Lines: DocumentFormat {
    func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document {
        guard bytes.count <= limits.byteCount else {
            throw DocumentError(
                .limitExceeded, offset: limits.byteCount,
                expected: "at most \(limits.byteCount) bytes")
        }
        var builder = DocumentBuilder()
        builder.beginObject()
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw DocumentError(
                    .unexpectedByte, offset: line.startIndex, expected: "a line with a colon")
            }
            builder.key(String(decoding: line[..<colon], as: UTF8.self))
            let value = String(decoding: line[colon...].dropFirst(2), as: UTF8.self)
            if let number = Int(value) { builder.number(number) } else { builder.string(value) }
        }
        builder.end()
        return builder.finish()
    }

    func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        let lines = document.root.members.map { key, value in
            "\(key): \(value.string ?? value.debugDescription)"
        }
        return Array(lines.joined(separator: "\n").utf8)
    }
}
