// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite struct DescriptorSelectionTests {
    @Test(
        .parity("N127", "N128", "N129", "N130", "N131"),
        arguments: [
            ("http://restkit.org", "/api/v1/organizations/", ""),
            ("http://restkit.org/", "api/v1/organizations/", ""),
            ("http://restkit.org/api/v1", "/organizations/", ""),
            ("http://restkit.org/api/v1/", "organizations/", ""),
            ("http://restkit.org/api/v1/", "organizations/", "?client_search=s"),
        ])
    func matchesPathWithAnyBaseSpelling(base: String, pattern: String, query: String) throws {
        var descriptor = ResponseDescriptor(Article.self, at: pattern)
        descriptor.baseURL = try HTTPURL(parsing: base)
        let response = try readResponse(
            "{}", [descriptor], at: "http://restkit.org/api/v1/organizations/" + query)
        #expect(response.matches.map(\.descriptor) == [descriptor])
        #expect(response.matches.first?.descriptor.keyPath == .root)
    }

    @Test(.parity("N132"), arguments: [HTTPRequest.Method.get, .post])
    func selectsByMethod(method: HTTPRequest.Method) throws {
        let response = try readResponse(
            #"{"id": 1}"#,
            [
                ResponseDescriptor(Article.self, methods: [.get]),
                ResponseDescriptor(Author.self, methods: [.post]),
            ], method: method)
        let expected = method == .get ? "Article" : "Author"
        #expect(response.matches.map(\.plan.table.name) == [expected])
    }

    @Test(.parity("N139"), arguments: [false, true])
    func prefersFewestMethodsInAnyOrder(isReversed: Bool) throws {
        let descriptors = [
            ResponseDescriptor(Author.self, keyPath: "user"),
            ResponseDescriptor(Article.self, methods: [.get], keyPath: "user"),
            ResponseDescriptor(Author.self, methods: [.get, .post], keyPath: "user"),
        ]
        let response = try readResponse(
            #"{"user": {}}"#, isReversed ? descriptors.reversed() : descriptors)
        #expect(response.matches.map(\.plan.table.name) == ["Article"])
    }

    @Test func prefersNewestOfEqualDescriptors() throws {
        let response = try readResponse(
            "{\"id\": 1}", [ResponseDescriptor(Author.self), ResponseDescriptor(Article.self)])
        #expect(response.matches.map(\.plan.table.name) == ["Article"])
    }

    @Test(.parity("S091")) func matchesEveryKeyPathWithValue() throws {
        let response = try readResponse(
            #"{"articles": [{}, {}], "meta": {"author": {}}, "none": null}"#,
            [
                ResponseDescriptor(Article.self, keyPath: "articles"),
                ResponseDescriptor(Author.self, keyPath: "meta.author"),
                ResponseDescriptor(Author.self, keyPath: "none"),
                ResponseDescriptor(Author.self, keyPath: "absent"),
            ])
        #expect(response.matches.map(\.descriptor.keyPath) == ["meta.author", "articles"])
        #expect(response.representationCount == 3)
        let whole = try readResponse(#"{"id": 1}"#, [ResponseDescriptor(Article.self)])
        #expect(whole.matches.map(\.representation) == [whole.document?.root])
    }

    @Test(.parity("N134")) func findsOneMatchingPatternAmongMany() throws {
        let patterns = [
            "/categories", "/categories/:categoryName",
            "/categories/:categorySlug/articles/:articleSlug",
        ]
        let response = try readResponse(
            #"{"id": 1}"#, patterns.map { ResponseDescriptor(Article.self, at: $0) },
            at: "http://base/categories/some-category-name/articles/the-article-name")
        #expect(response.matches.map(\.descriptor.path) == [patterns[2]])
        #expect(
            response.matches.first?.arguments == [
                "categorySlug": "some-category-name", "articleSlug": "the-article-name",
            ])
    }

    @Test(.parity("N133")) func explainsMismatchOfEachDescriptor() throws {
        var foreign = ResponseDescriptor(Author.self, at: "/users")
        foreign.baseURL = try HTTPURL(parsing: "http://google.com")
        let error = try responseError(
            of: #"{"id": 1}"#,
            [
                ResponseDescriptor(Author.self, at: "/users"), foreign,
                ResponseDescriptor(
                    Author.self, at: "users", statusCodes: StatusCodeSet(202...206)),
            ], at: "http://restkit.org/api/v1/users", base: "http://restkit.org/api/v1/")
        #expect(error.code == .noMatchingDescriptor)
        #expect(error.status == 200)
        #expect(error.url == "http://restkit.org/api/v1/users")
        #expect(error.description.contains("status 200"))
        #expect(error.description.contains("http://restkit.org/api/v1/users"))
        try #require(error.causes.count == 3)
        #expect(error.causes[0].contains("status 200 is not in 202-206"))
        #expect(error.causes[1].contains("not under http://google.com"))
        #expect(error.causes[2].contains(#"the path "users" does not match "/users""#))
    }

    @Test func usesExpectedDescriptorOnlyAsFallback() throws {
        let expected = ResponseDescriptor(Article.self, statusCodes: nil)
        let descriptors = [
            ResponseDescriptor(Author.self, keyPath: "author"),
            ResponseDescriptor(Article.self, at: "/articles", keyPath: "articles"),
        ]
        let body = #"{"author": {}, "articles": []}"#
        let described = try readResponse(
            body, descriptors, at: "http://base/articles", expecting: expected)
        #expect(described.matches.map(\.descriptor.keyPath) == ["articles"])
        let other = try readResponse(
            body, descriptors, at: "http://base/other", expecting: expected)
        #expect(other.matches.map(\.descriptor) == [expected])
    }

    @Test func explainsThatKeyPathHasNoValue() throws {
        let error = try responseError(
            of: #"{"id": 1}"#, [ResponseDescriptor(Article.self, keyPath: "articles")],
            expecting: ResponseDescriptor(Article.self, statusCodes: nil))
        #expect(error.code == .noMatchingDescriptor)
        #expect(error.stage == .selection)
    }
}
