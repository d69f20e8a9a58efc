// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Adds a field, and replaces the method and the path of a request.
private struct Rewriting: HTTPInterceptor {
    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        var request = request
        request.method = .put
        request.url = try request.url.resolving("rewritten")
        request.headerFields[.userAgent] = "custom"
        return try await next.send(request)
    }
}

@Suite(.tags(.socket)) struct ObjectManagerConfiguringTests {
    /// Descriptors added to the manager apply to all of its later calls and operations.
    @Test(.parity("S004")) func descriptorsApplyToEveryRequest() async throws {
        let body = #"{"data": [{"id": 1, "title": "a"}]}"#
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            let api = try manager(at: server.baseURL)
            try api.setRequestFormat(.json)
            try api.add(ResponseDescriptor(Article.self, at: "articles", keyPath: "data"))
            try api.add(RequestDescriptor(Article.self, rootKey: "article"))
            let expected = [Article(id: 1, title: "a")]

            let listed = try await api.getObjects(Article.self, at: "articles")
            #expect(listed == expected)
            let request = ObjectRequest<[Article]>(at: "articles")
            let sent = try await api.send(request).value
            #expect(sent == expected)
            let enqueued = try await api.enqueue(request).value
            #expect(enqueued == expected)
            for try await page in api.pages(of: Article.self, at: "articles", by: .linkHeader) {
                #expect(page.objects == expected)
            }
            let posted: [Article] = try await api.post(expected[0], at: "articles")
            #expect(posted == expected)
            let last = try #require(server.requests.last)
            let text = String(decoding: last.body, as: UTF8.self)
            #expect(text.hasPrefix(#"{"article":{"#) && text.contains(#""title":"a""#))

            api.remove(ResponseDescriptor(Article.self, at: "articles", keyPath: "data"))
            await #expect(throws: NetworkingError.self) {
                try await api.getObjects(Article.self, at: "articles")
            }
        }
    }

    /// The client changes everything but the parameters, which the manager has written before.
    @Test(.parity("S014")) func clientChangesAllButParameters() async throws {
        try await LoopbackServer.run({ _ in LoopbackResponse(status: 204) }) { server in
            let api = try manager(at: server.baseURL)
            var client = api.client
            client.interceptors = [Rewriting()]
            client.defaultHeaders = [.acceptLanguage: "nb"]
            api.configure { $0.client = client }
            try await api.post("articles", parameters: ["title": "a b", "tags": ["x"]])
            let request = try #require(server.requests.first)
            #expect(request.method == "PUT")
            #expect(request.path == "/rewritten")
            #expect(request.headers["user-agent"] == "custom")
            #expect(request.headers["accept-language"] == "nb")
            #expect(String(decoding: request.body, as: UTF8.self) == "tags[]=x&title=a%20b")
        }
    }
}
