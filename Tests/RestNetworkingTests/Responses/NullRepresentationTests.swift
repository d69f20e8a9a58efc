// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Null where a response has a list, and null elements of its lists.
@Suite(.tags(.socket)) struct NullRepresentationTests {
    private struct Tag: Decodable, Hashable { var id: Int }

    private func served<Value>(
        _ body: String, _ work: (ObjectManager) async throws -> Value
    ) async throws -> Value {
        try await withList({ _ in .json(body) }) { api, _ in try await work(api) }
    }

    @Test(arguments: [#"{"items":null}"#, "null"])
    func returnsNoObjectsForNull(body: String) async throws {
        let keyPath: DocumentPath = body == "null" ? .root : "items"
        try await served(body) { api in
            let objects = try await api.getObjects(Article.self, at: "a", keyPath: keyPath)
            #expect(objects.isEmpty)
            let list: [Article] = try await api.get("a", keyPath: keyPath)
            #expect(list.isEmpty)
            let optionalList: [Article]? = try await api.get("a", keyPath: keyPath)
            #expect(optionalList == nil)
            let optional: Article? = try await api.get("a", keyPath: keyPath)
            #expect(optional == nil)
            let texts: [String] = try await api.get("a", keyPath: keyPath)
            #expect(texts.isEmpty)
            let members: [String: Int] = try await api.get("a", keyPath: keyPath)
            #expect(members.isEmpty)
            let decodedObjects = try await api.getObjects(Tag.self, at: "a", keyPath: keyPath)
            #expect(decodedObjects.isEmpty)
            let decoded: [Tag] = try await api.get("a", keyPath: keyPath)
            #expect(decoded.isEmpty)
        }
    }

    @Test func matchesDescriptorWithNull() async throws {
        try await served(#"{"items":null,"authors":[{"name":"Ann"}]}"#) { api in
            try api.add(
                ResponseDescriptor(Article.self, keyPath: "items"),
                ResponseDescriptor(Author.self, keyPath: "authors"))
            #expect(try await api.getObjects(Article.self, at: "a").isEmpty)
            let result = try await api.getObjects(at: "a")
            #expect(result.array as? [Author] == [Author(name: "Ann")])
        }
    }

    @Test func readsValueThatIsNotNull() async throws {
        try await served(#"{"draft":null,"article":{"id":1,"title":"t"}}"#) { api in
            try api.add(
                ResponseDescriptor(Article.self, keyPath: "article"),
                ResponseDescriptor(Article.self, keyPath: "draft"))
            #expect(try await api.get("a", as: Article.self).id == 1)
        }
    }

    @Test func failsForObjectThatIsNull() async throws {
        try await served(#"{"article":null}"#) { api in
            let error = await networkingError {
                try await api.get("a", keyPath: "article", as: Article.self)
            }
            #expect(error?.code == .mappingFailed)
            #expect(error?.path == "article")
        }
    }

    @Test func endsWalkAtNull() async throws {
        try await withList({ request in
            let page = request.number("page") ?? 1
            return .json(
                page < 3 ? #"{"items":[{"id":\#(page),"title":"t"}]}"# : #"{"items":null}"#)
        }) { api, _ in
            try api.add(ResponseDescriptor(Article.self, at: "articles", keyPath: "items"))
            let found = try await ids(api, by: .pageNumber())
            #expect(found.flatMap(\.self) == [1, 2])
        }
    }

    @Test func leavesOutNullElements() async throws {
        try await served(#"{"items":[null,{"id":1,"title":"t"}]}"#) { api in
            let request = ObjectRequest<[Article]>(.get, at: "a", keyPath: "items")
            let articles = try await api.send(request)
            #expect(articles.value.map(\.id) == [1])
            #expect(articles.report.issues.map(\.path) == ["items[0]"])
            #expect(articles.report.droppedObjectCount == 1)
            let tags = try await api.getObjects(Tag.self, at: "a", keyPath: "items")
            #expect(tags == [Tag(id: 1)])
        }
    }

    private func decoded<Value: Decodable & SendableMetatype & Sendable>(
        _ type: Value.Type, _ body: String
    ) async throws -> (value: Value, paths: [DocumentPath], dropped: Int) {
        try await served(#"{"items":\#(body)}"#) { api in
            let request = ObjectRequest<Value>(.get, at: "a", keyPath: "items")
            let result = try await api.send(request)
            let report = result.report
            #expect(report.issues.allSatisfy { $0.code == .nullValue })
            return (result.value, report.issues.map(\.path), report.droppedObjectCount)
        }
    }

    /// Null elements of collections that decode themselves are left out like those of mapped ones.
    @Test func leavesOutNullElementsOfDecodedCollections() async throws {
        let tags = #"[null,{"id":1},null,{"id":2}]"#
        let list = try await decoded([Tag].self, tags)
        #expect(list.value == [Tag(id: 1), Tag(id: 2)])
        #expect(list.paths == ["items[0]", "items[2]"] && list.dropped == 2)
        #expect(try await decoded(Set<Tag>.self, tags).value == [Tag(id: 1), Tag(id: 2)])
        #expect(try await decoded([Tag]?.self, tags).value == [Tag(id: 1), Tag(id: 2)])
        let optional = try await decoded([Tag?].self, tags)
        #expect(optional.value == [nil, Tag(id: 1), nil, Tag(id: 2)] && optional.paths.isEmpty)
        let keyed = try await decoded(
            [String: [Tag]].self, #"{"a":[null,{"id":1}],"b_c":null,"d_e":[]}"#)
        #expect(keyed.value == ["a": [Tag(id: 1)], "d_e": []])
        #expect(keyed.paths == ["items.a[0]", "items.b_c"])
        let nested = try await decoded([[Tag]].self, #"[[{"id":1},null],null]"#)
        #expect(nested.value == [[Tag(id: 1)]] && nested.paths == ["items[0][1]", "items[1]"])
        #expect(try await decoded([Int: Tag].self, #"{"1":null,"2":{"id":2}}"#).value[2]?.id == 2)
        let whole = try await decoded([Tag].self, "[null]")
        #expect(whole.value.isEmpty && whole.dropped == 1)
    }

    @Test func locatesErrorBehindNullElement() async throws {
        try await served(#"{"items":[null,{"id":1},null,{"id":"x"}]}"#) { api in
            let error = await networkingError {
                try await api.get("a", keyPath: "items", as: [Tag].self)
            }
            #expect(error?.code == .mappingFailed)
            #expect(error?.path == "items[3].id")
        }
    }

    @Test func failsForNullElementByPolicy() async throws {
        try await served(#"{"items":[null,{"id":1}]}"#) { api in
            try api.add(
                ResponseDescriptor(
                    CodableMapping(
                        for: Tag.self, policy: IssuePolicy(invalidValue: .failObject)),
                    keyPath: "items"))
            let error = await networkingError { try await api.get("a", as: [Tag].self) }
            #expect(error?.path == "items[0]")
        }
    }
}
