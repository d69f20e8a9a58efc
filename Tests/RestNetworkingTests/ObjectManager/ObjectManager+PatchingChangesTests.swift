// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket)) struct ObjectManagerPatchingChangesTests {
    private let article = Article(
        id: 1, title: "Old", author: Author(name: "Ann"), tags: ["x", "y"])

    @Test func sendsOnlyChangedMembers() async throws {
        try await serve(.json(#"{"id": 1, "title": "Server"}"#)) { api, server in
            let edited = try await api.patch(
                article.with { $0.title = "New" }, changesSince: article, at: "articles/1")
            #expect(edited == Article(id: 1, title: "Server"))
            let request = try #require(server.requests.first)
            #expect(request.method == "PATCH")
            #expect(request.headers["content-type"] == "application/merge-patch+json")
            #expect(String(decoding: request.body, as: UTF8.self) == #"{"title":"New"}"#)
        }
    }

    @Test(
        arguments: [
            ({ @Sendable (article: inout Article) in article.author = nil }, #"{"author":null}"#),
            (
                { @Sendable (article: inout Article) in article.author?.name = "B" },
                #"{"author":{"name":"B"}}"#
            ),
            (
                { @Sendable (article: inout Article) in article.tags.removeLast() },
                #"{"tags":["x"]}"#
            ),
        ] as [(@Sendable (inout Article) -> Void, String)])
    func sendsRemovalsAndNestedChanges(
        change: @Sendable (inout Article) -> Void, body: String
    ) async throws {
        try await serve(LoopbackResponse(status: 204)) { api, server in
            let changed = article.with { change(&$0) }
            let result = try await api.patch(changed, changesSince: article, at: "articles/1")
            #expect(result == changed)
            #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == [body])
        }
    }

    @Test func sendsNothingWithoutChanges() async throws {
        try await serve(LoopbackResponse(status: 500)) { api, server in
            let result = try await api.patch(article, changesSince: article, at: "articles/1")
            #expect(result == article)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func appliedPatchGivesObject() async throws {
        try await serve(LoopbackResponse(status: 204)) { api, server in
            try api.add(RequestDescriptor(Article.self, rootKey: "article"))
            let changed = Article(id: 1, title: "New", author: nil, tags: [])
            _ = try await api.patch(changed, changesSince: article, at: "articles/1")
            let sent = try Document(parsing: try #require(server.requests.first).body)
            let before = try RequestPlan(Article.self, rootKey: "article").document(of: article)
            let after = try RequestPlan(Article.self, rootKey: "article").document(of: changed)
            #expect(before.applying(mergePatch: sent).root == after.root)
        }
    }

    private func serve(
        _ answer: LoopbackResponse, _ work: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.run({ _ in answer }) { server in
            try await work(try manager(at: server.baseURL), server)
        }
    }
}
