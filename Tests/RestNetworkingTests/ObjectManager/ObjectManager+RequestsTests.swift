// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestCurl
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite struct ObjectManagerRequestsTests {
    // MARK: GET

    @Test(.tags(.socket), .parity("N176")) func keepsAcceptHeaderOfItsClient() async throws {
        try await serve("{}") { api, server in
            api.configure { $0.client.defaultHeaders[.accept] = "this/that" }
            _ = try await api.getObjects(at: "articles")
            #expect(server.requests.first?.headers["accept"] == "this/that")
        }
    }

    @Test(.tags(.socket), .parity("N175")) func getsTypedObjectWithoutDescriptor() async throws {
        try await serve(#"{"id": 42, "title": "New", "author": {"name": "Ann"}}"#) { api, server in
            let article: Article = try await api.get("articles/42")
            #expect(article == Article(id: 42, title: "New", author: Author(name: "Ann")))
            #expect(server.requests.map(\.method) == ["GET"])
            #expect(server.requests.map(\.target) == ["/articles/42"])
            #expect(server.requests.first?.headers["accept"] == "application/json")
        }
    }

    @Test(.tags(.socket)) func getsListsDictionariesAndPlainValues() async throws {
        try await serve(#"[{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]"#) { api, _ in
            let list: [Article] = try await api.get("articles")
            #expect(list.map(\.id) == [1, 2])
            #expect(try await api.getObjects(Article.self, at: "articles") == list)
        }
        try await serve(#"{"open": 3, "closed": 4}"#) { api, _ in
            let counts: [String: Int] = try await api.get("counts")
            #expect(counts == ["open": 3, "closed": 4])
        }
        try await serve(#"{"a": {"name": "Ann"}}"#) { api, _ in
            let authors: [String: Author] = try await api.get("authors")
            #expect(authors == ["a": Author(name: "Ann")])
        }
    }

    @Test(.tags(.socket)) func usesKeyPathOfDescriptorForType() async throws {
        try await serve(#"{"articles": [{"id": 1, "title": "a"}]}"#) { api, _ in
            try api.add(ResponseDescriptor(Article.self, at: "articles", keyPath: "articles"))
            #expect(try await api.getObjects(Article.self, at: "articles").map(\.id) == [1])
        }
    }

    @Test(.tags(.socket)) func returnsAllObjectsByKeyPath() async throws {
        let body = """
            {"articles": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}], "by": {"name": "Ann"}}
            """
        try await serve(body) { api, server in
            try api.add(
                ResponseDescriptor(Article.self, at: "articles", keyPath: "articles"),
                ResponseDescriptor(Author.self, at: "articles", keyPath: "by"))
            let result = try await api.getObjects(
                at: "articles", parameters: ["q": "a b&c", "tags": ["x"]])
            #expect(result.dictionary["articles"]?.count == 2)
            #expect(result.dictionary["by"] as? [Author] == [Author(name: "Ann")])
            #expect(result.objects(of: Article.self).map(\.title) == ["a", "b"])
            #expect(server.requests.first?.query == "q=a%20b%26c&tags%5B%5D=x")
        }
    }

    @Test(.tags(.socket)) func returnsNothingForEmptyBody() async throws {
        try await serve("", status: 204) { api, _ in
            try api.add(ResponseDescriptor(Article.self))
            #expect(try await api.getObjects(at: "articles").array.isEmpty)
            #expect(try await api.getObjects(Article.self, at: "articles").isEmpty)
            let error = await networkingError { try await api.get("a", as: Article.self) }
            #expect(error?.code == .emptyResponse)
        }
    }

    @Test(
        .tags(.socket),
        arguments: [(200, ""), (200, " "), (201, ""), (202, ""), (204, ""), (205, "")])
    func returnsEmptyValueForEmptyBody(status: Int, body: String) async throws {
        try await serve(body, status: status) { api, _ in
            let article: Article? = try await api.get("a")
            #expect(article == nil)
            #expect(try await api.get("a", as: [Article].self).isEmpty)
            #expect(try await api.get("a", as: [String: Int].self).isEmpty)
            #expect(try await api.get("a", as: Set<Int>.self).isEmpty)
            let error = await networkingError { try await api.get("a", as: Article.self) }
            #expect(error?.code == .emptyResponse)
            for method in [HTTPRequest.Method.post, .put, .patch, .delete, .head] {
                let response = try await api.response(to: api.request(method, at: "a"))
                #expect(response.head.status.code == status)
                #expect(response.document == nil)
                #expect(response.matches.isEmpty)
            }
        }
    }

    @Test(.parity("N236"), arguments: [false, true])
    func returnsNothingForMissingBody(isStreamed: Bool) async throws {
        let api = ObjectManager(
            client: try HTTPClient(
                baseURL: "http://base/", transport: BodilessTransport(isStreamed: isStreamed)))
        try api.add(ResponseDescriptor(Article.self))
        let response = try await api.response(to: api.request(.get, at: "a"))
        #expect(response.head.status == .ok)
        #expect(response.document == nil)
        #expect(try await api.getObjects(at: "a").array.isEmpty)
    }

    @Test(.tags(.socket)) @MainActor func returnsNewObjectsToCallersActor() async throws {
        try await serve(#"[{"text": "a"}, {"text": "b"}]"#) { api, _ in
            let notes = try await api.getObjects(Note.self, at: "notes")
            MainActor.assertIsolated()
            notes[0].text += "!"
            #expect(notes.map(\.text) == ["a!", "b"])
        }
    }

    @Test(.tags(.socket, .concurrency)) func requestKeepsItsInitialConfiguration() async throws {
        let gate = AsyncStream<Void>.makeStream()
        try await LoopbackServer.run({ _ in
            for await _ in gate.stream { break }
            return .json(#"{"articles": [{"id": 1, "title": "a"}]}"#)
        }) { server in
            let api = try manager(at: server.baseURL)
            let descriptor = ResponseDescriptor(Article.self, keyPath: "articles")
            try api.add(descriptor)
            async let articles = api.getObjects(Article.self, at: "articles")
            while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
            api.remove(descriptor)
            gate.continuation.yield()
            #expect(try await articles.map(\.id) == [1])
        }
    }

    // MARK: Requests

    @Test(
        arguments: [
            "//evil/x", "http:evil", "\\\\evil", "/\\evil", "http://base.evil.com",
            "http://evil@base/", "https://base/x", "http://base:81/", "javascript:alert(1)",
        ])
    func rejectsPathToAnotherOrigin(path: String) throws {
        let api = try manager(at: "http://base")
        let code = code { try api.request(.get, at: path) }
        #expect(code == .crossOrigin || code == .invalidRequest)
    }

    @Test(arguments: [
        ("articles", "http://base/v1/articles"), ("/articles", "http://base/articles"),
        ("", "http://base/v1/"), ("?a=b", "http://base/v1/?a=b&x=1"),
        ("http://base/v2", "http://base/v2"), ("a b/ö", "http://base/v1/a%20b/%C3%B6"),
    ])
    func resolvesPathsAndParameters(path: String, url: String) throws {
        let api = try manager(at: "http://base/v1")
        let parameters: RequestParameters = path.contains("?") ? ["x": 1] : [:]
        #expect(try api.request(.get, at: path, parameters: parameters).url.text == url)
    }

    @Test(
        .tags(.socket), .threat("T31"),
        .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
    func sendsEveryNaughtyStringAsOneSegment() async throws {
        let data = try SharedFiles.data("suites/naughty-strings/blns.json")
        let strings = try JSONDecoder().decode([String].self, from: data)
            .filter { !["", ".", ".."].contains($0) }
        let pattern = try PathPattern("files/:name/meta")
        try await serve("{}") { api, server in
            try await eachAtOnce(strings) { string in
                let path = try pattern.interpolated { _ in string }.path
                _ = try await api.getObjects(at: path)
            }
            let arrived = server.requests.map { request in
                request.path.split(separator: "/", omittingEmptySubsequences: false)
            }
            #expect(arrived.allSatisfy { $0.count == 4 && $0[1] == "files" && $0[3] == "meta" })
            #expect(server.requests.allSatisfy { $0.query.isEmpty })
            let texts = arrived.map { bytes(ofEscaped: $0[2]) }
            #expect(sorted(texts) == sorted(strings.map { Array($0.utf8) }))
        }
    }

    @Test(
        .tags(.socket),
        .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
    func sendsEveryNaughtyStringAsAQueryValue() async throws {
        let data = try SharedFiles.data("suites/naughty-strings/blns.json")
        let strings = try JSONDecoder().decode([String].self, from: data)
        try await serve("{}") { api, server in
            try await eachAtOnce(strings) { string in
                _ = try await api.getObjects(
                    at: "search", parameters: ["q": string, "r": 1])
            }
            let queries = server.requests.map(\.query)
            #expect(queries.allSatisfy { $0.hasPrefix("q=") && $0.hasSuffix("&r=1") })
            let values = queries.map { $0.dropFirst(2).dropLast(4) }
            let texts = values.map { bytes(ofEscaped: $0) }
            #expect(sorted(texts) == sorted(strings.map { Array($0.utf8) }))
            // A form decoder would read `+` as a space.
            #expect(values.allSatisfy { !$0.contains("+") && !$0.contains("&") })
        }
    }

    private func eachAtOnce(
        _ strings: [String], _ work: @escaping @Sendable (String) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for string in strings {
                group.addTask { try await work(string) }
            }
            try await group.waitForAll()
        }
    }

    private func sorted(_ texts: [[UInt8]]) -> [[UInt8]] {
        texts.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func serve(
        _ body: String, status: Int = 200,
        _ work: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.run({ _ in .json(body, status: status) }) { server in
            try await work(manager(at: server.baseURL), server)
        }
    }
}

/// A transport whose responses have no body, known at once or after reading.
private struct BodilessTransport: HTTPTransport {
    private final class Nothing: ResponseBodySource {
        func next() async throws -> [UInt8]? { nil }
        func cancel() {}
    }

    let isStreamed: Bool

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(
            to: request, head: HTTPResponse(status: .ok),
            body: isStreamed ? ResponseBody(source: Nothing()) : ResponseBody([]))
    }
}

@Suite(.tags(.socket)) struct MultipartRequestTests {
    @Test(.parity("N174")) func mapsResponseToMultipartForm() async throws {
        try await LoopbackServer.run { request in
            let body = String(decoding: request.body, as: UTF8.self)
            let isForm =
                request.method == "POST" && request.path == "/api/upload/"
                && request.headers["content-type"]?.hasPrefix("multipart/form-data; ") == true
                && body.contains("name=\"file\"; filename=\"blake.png\"\r\nContent-Type: image/png")
            return isForm ? .json(#"{"name": "Blake"}"#) : .json("{}", status: 400)
        } body: { server in
            let transport = CurlTransport()
            let api = ObjectManager(
                client: try HTTPClient(
                    baseURL: String(server.baseURL.dropLast()), transport: transport))
            try api.add(ResponseDescriptor(Author.self, at: "/api/upload/"))
            var form = MultipartForm()
            try form.addData(
                [0x89, 0x50, 0x4E, 0x47], named: "file", fileName: "blake.png",
                contentType: MediaType(fileName: "blake.png")?.description)
            var request = try api.request(.post, at: "/api/upload/")
            try request.setForm(form)
            let response = try await api.response(to: request)
            let match = try #require(response.matches.first)
            var report = MappingReport()
            let authors = try match.plan.objects(
                Author.self, from: match.representation, report: &report)
            #expect(authors == [Author(name: "Blake")])
            #expect(response.matches.count == 1)
            await transport.shutdown()
        }
    }
}
