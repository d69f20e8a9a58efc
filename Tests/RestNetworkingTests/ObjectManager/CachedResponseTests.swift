// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Objects from responses that the client's cache keeps.
@Suite(.tags(.socket)) struct CachedResponseTests {
    private static let fields = [
        ("ETag", "\"7\""), ("Cache-Control", "private, must-revalidate, max-age=0"),
    ]

    /// Runs the body with a manager that has a cache, over a server that knows one article.
    private func serve(
        _ body: (ObjectManager, HTTPCache, LoopbackServer) async throws -> Void
    ) async throws {
        let text = #"{"id": 1, "title": "New", "author": {"name": "Ann"}}"#
        try await LoopbackServer.run { request in
            let isKnown = request.headers["if-none-match"] == "\"7\""
            let headers = Self.fields.map { (name: $0.0, value: $0.1) }
            return isKnown
                ? LoopbackResponse(status: 304, headers: headers) : .json(text, headers: headers)
        } body: { server in
            let transport = CurlTransport()
            let cache = HTTPCache()
            var client = try HTTPClient(baseURL: server.baseURL, transport: transport)
            client.cache = cache
            try await body(ObjectManager(client: client), cache, server)
            await transport.shutdown()
        }
    }

    @Test(.parity("N310", "S066"))
    func marksTheStoredResponseAfterMapping() async throws {
        try await serve { api, cache, server in
            let request = try api.request(.get, at: "coredata/etag")
            let article: Article = try await api.get("coredata/etag")
            #expect(article.title == "New")
            let entry = await cache.entry(for: request)
            #expect(entry?.isMapped == true)
            #expect(entry?.head.headerFields[.eTag] == "\"7\"")
            // What the server confirms keeps the mark and makes the same object.
            let again: Article = try await api.get("coredata/etag")
            #expect(again == article)
            #expect(server.requests.last?.headers["if-none-match"] == "\"7\"")
            #expect(await cache.entry(for: request)?.isMapped == true)
        }
    }

    @Test(.parity("N310"))
    func marksAfterEachWayOfGetting() async throws {
        try await serve { api, cache, _ in
            try api.add(ResponseDescriptor(Article.self))
            _ = try await api.getObjects(Article.self, at: "list")
            _ = try await api.getObjects(at: "all")
            for try await page in api.pages(of: Article.self, at: "pages", by: .linkHeader) {
                #expect(page.objects.count == 1)
            }
            for path in ["list", "all", "pages"] {
                let entry = await cache.entry(for: try api.request(.get, at: path))
                #expect(entry?.isMapped == true)
            }
        }
    }

    @Test(.parity("N311"))
    func leavesTheStoredResponseUnmarkedWhenMappingFails() async throws {
        try await serve { api, cache, _ in
            try api.add(ResponseDescriptor(Author.self, at: "elsewhere"))
            let error = await #expect(throws: NetworkingError.self) {
                try await api.getObjects(at: "coredata/etag")
            }
            #expect(error?.code == .noMatchingDescriptor)
            let entry = await cache.entry(for: try api.request(.get, at: "coredata/etag"))
            #expect(entry?.isMapped == false)
        }
    }
}
