// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestNetworking
import RestTransport
import Testing

@Suite struct DescriptorExplanationTests {
    private func api(_ descriptors: ResponseDescriptor...) throws -> ObjectManager {
        let api = try manager(at: "http://base/v1/")
        try api.add(descriptors)
        return api
    }

    @Test func listsMatchingDescriptorsFirst() throws {
        let articles = ResponseDescriptor(Article.self, at: "articles", keyPath: "articles")
        let authors = ResponseDescriptor(Author.self, at: "articles", keyPath: "authors")
        let article = ResponseDescriptor(Article.self, at: "articles/:id")
        let api = try api(articles, article, authors)
        let explanation = try api.explain(path: "articles?page=secret")
        #expect(explanation.method == .get && explanation.status == 200)
        #expect(explanation.url.text == "http://base/v1/articles?page=secret")
        #expect(explanation.matching == [authors, articles])
        #expect(explanation.mismatches.map(\.descriptor) == [article])
        #expect(explanation.mismatches.map(\.conditions) == [[.path]])
        #expect(
            explanation.description == """
                GET http://base/v1/articles?…, status 200: 2 of 3 descriptors match
                + Author at "articles" in "authors" with status 200-299
                + Article at "articles" in "articles" with status 200-299
                - Article at "articles/:id" with status 200-299: the path "articles" does not \
                match "articles/:id"
                """)
    }

    @Test func namesEveryConditionOfMismatch() throws {
        var foreign = ResponseDescriptor(Author.self, at: "articles")
        foreign.baseURL = try HTTPURL(parsing: "http://other/")
        let api = try api(
            foreign, ResponseDescriptor(Article.self, at: "other", methods: .post),
            ResponseDescriptor(Article.self, at: "articles"),
            ResponseDescriptor(Article.self, at: "articles", methods: .delete))
        let explanation = try api.explain(method: .delete, path: "articles", status: 404)
        #expect(explanation.matching.isEmpty)
        #expect(
            explanation.mismatches.map(\.conditions) == [
                [.status], [.status], [.path, .method, .status], [.baseURL, .status],
            ])
        #expect(
            explanation.mismatches[2].description.hasSuffix(
                #"the path "articles" does not match "other", and the method is DELETE, "#
                    + "and status 404 is not in 200-299"))
        // Of equals, the newest is first.
        #expect(explanation.mismatches[0].descriptor.methods == .delete)
    }

    @Test func explainsPrecedence() throws {
        let any = ResponseDescriptor(Author.self, at: "articles")
        let get = ResponseDescriptor(Article.self, at: "articles", methods: .get)
        for descriptors in [[any, get], [get, any]] {
            let explanation = try api(descriptors[0], descriptors[1]).explain(path: "articles")
            #expect(explanation.matching == [get])
            #expect(explanation.mismatches.map(\.descriptor) == [any])
            #expect(explanation.mismatches.map(\.conditions) == [[.precedence]])
        }
    }

    @Test func rejectsPathOutsideOfOrigin() throws {
        let api = try api()
        #expect(code { try api.explain(path: "http://other/") } == .crossOrigin)
        #expect(try api.explain(path: "/articles").mismatches.isEmpty)
    }
}
