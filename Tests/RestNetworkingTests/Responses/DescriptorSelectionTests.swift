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
        #expect(response.matches.map(\.descriptor.keyPath) == ["none", "meta.author", "articles"])
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
        try #require(error.causes.count == 4)
        #expect(error.causes[0] == "none of 3 descriptors matches")
        #expect(error.description.contains("none of 3 descriptors matches"))
        #expect(error.causes[1].contains("status 200 is not in 202-206"))
        #expect(error.causes[2].contains(#"the path "users" does not match "/users""#))
        #expect(error.causes[3].contains("not under http://google.com"))
    }

    @Test func listsNearestMismatchesOfManyDescriptors() throws {
        var descriptors = (0..<1000).map {
            ResponseDescriptor(Author.self, at: "/resource\($0)/:id")
        }
        descriptors.insert(ResponseDescriptor(Article.self, at: "/articles"), at: 400)
        descriptors.insert(
            ResponseDescriptor(Article.self, at: "/articles/:id", methods: .post), at: 600)
        descriptors.append(
            ResponseDescriptor(Article.self, at: "/articles/:id", statusCodes: 404))
        let error = try responseError(
            of: #"{"id": 1}"#, descriptors, at: "http://base/articles/1?token=secret")
        try #require(error.causes.count == 9)
        #expect(
            error.causes[0]
                == "none of 1003 descriptors matches; those that come nearest are listed")
        #expect(error.causes[1].contains("status 200 is not in 404"))
        #expect(error.causes[2].contains("the method is GET"))
        #expect(error.causes[3].contains(#"does not match "/articles""#))
        #expect(!error.description.contains("secret"))
    }

    @Test func ranksMisspeltPathFirst() throws {
        let words = ["articles", "authors", "comments", "categories", "users"]
        let error = try responseError(
            of: #"{"id": 1}"#, words.map { ResponseDescriptor(Author.self, at: "/\($0)/:id") },
            at: "http://base/artcles/1")
        #expect(error.causes.count == 6)
        #expect(error.causes[1].contains(#"does not match "/articles/:id""#))
    }

    @Test func explainsThatTypeIsAnother() throws {
        let descriptors = [
            ResponseDescriptor(Author.self, at: "/articles"),
            ResponseDescriptor(Article.self, at: "/articles", statusCodes: [201]),
        ]
        let error = try responseError(
            of: #"{"id": 1}"#, descriptors,
            expecting: ResponseDescriptor(Article.self, statusCodes: nil))
        try #require(error.causes.count == 3)
        #expect(error.causes.contains { $0.contains("status 200 is not in 201") })
        #expect(error.causes.contains { $0.hasSuffix("the requested type is Article") })
    }

    // MARK: The requested type

    @Test func usesDefaultForPathsWithoutDescriptorOfType() throws {
        let expected = ResponseDescriptor(Article.self, statusCodes: nil)
        let body = #"{"author": {}, "articles": [], "id": 1}"#
        let author = ResponseDescriptor(Author.self, keyPath: "author")
        let articles = ResponseDescriptor(Article.self, at: "/articles", keyPath: "articles")
        let described = try readResponse(body, [author, articles], expecting: expected)
        #expect(described.matches.map(\.descriptor.keyPath) == ["articles"])
        let undescribed = try readResponse(body, [author], expecting: expected)
        #expect(undescribed.matches.map(\.descriptor) == [expected])
        for url in ["http://base/other", "http://base/repositories/1000/issues?page=2"] {
            let other = try readResponse(body, [author, articles], at: url, expecting: expected)
            #expect(other.matches.map(\.descriptor) == [expected])
        }
    }

    @Test func usesNoDefaultForOtherMethodOrStatus() throws {
        let expected = ResponseDescriptor(Article.self, statusCodes: nil)
        for descriptor in [
            ResponseDescriptor(Article.self, at: "/articles", methods: .post),
            ResponseDescriptor(Article.self, at: "/articles", statusCodes: [201]),
            ResponseDescriptor(Article.self, statusCodes: [201]),
        ] {
            let error = try responseError(of: #"{"id": 1}"#, [descriptor], expecting: expected)
            #expect(error.code == .noMatchingDescriptor)
        }
    }

    @Test func descriptorOfSubclassDescribesSuperclass() throws {
        let expected = ResponseDescriptor(Animal.self, statusCodes: nil)
        let dogs = ResponseDescriptor(Dog.self, at: "/dogs", keyPath: "dogs")
        let body = #"{"dogs": [{"name": "Rex"}], "name": "x"}"#
        let response = try readResponse(
            body, [dogs], at: "http://base/dogs", expecting: expected)
        #expect(response.matches.map(\.descriptor.keyPath) == ["dogs"])
        let cats = try readResponse(body, [dogs], at: "http://base/cats", expecting: expected)
        #expect(cats.matches.map(\.descriptor) == [expected])
        // A superclass may not be of the requested subclass.
        let animals = ResponseDescriptor(Animal.self, at: "/dogs", keyPath: "dogs")
        let fallback = try readResponse(
            body, [animals], at: "http://base/dogs",
            expecting: ResponseDescriptor(Dog.self, statusCodes: nil))
        #expect(fallback.matches.map(\.descriptor.keyPath) == [.root])
    }

    @Test func undeclaredDynamicMappingDoesNotReplaceDefault() throws {
        let expected = ResponseDescriptor(Article.self, statusCodes: nil)
        let dynamic = ResponseDescriptor(
            DynamicMapping(selection: { _ in ObjectMapping(for: Article.self) }), at: "/feed",
            keyPath: "feed")
        let body = #"{"feed": [{"id": 1}], "id": 2}"#
        let feed = try readResponse(body, [dynamic], at: "http://base/feed", expecting: expected)
        #expect(feed.matches.map(\.descriptor.keyPath) == ["feed"])
        let other = try readResponse(body, [dynamic], at: "http://base/other", expecting: expected)
        #expect(other.matches.map(\.descriptor) == [expected])
    }

    @Test func ignoresRequestedTypeForErrorStatus() throws {
        let error = try responseError(
            of: #"{"message": "no"}"#,
            [
                ResponseDescriptor(Article.self, at: "/articles"),
                ResponseDescriptor(Refusal.self, statusCodes: .error),
            ], status: 422, expecting: ResponseDescriptor(Article.self, statusCodes: nil))
        #expect(error.code == .errorResponse)
        #expect(error.mappedErrors as? [Refusal] == [Refusal(message: "no")])
    }

    @Test func explainsThatKeyPathHasNoValue() throws {
        let error = try responseError(
            of: #"{"id": 1}"#, [ResponseDescriptor(Article.self, keyPath: "articles")],
            expecting: ResponseDescriptor(Article.self, statusCodes: nil))
        #expect(error.code == .noMatchingDescriptor)
        #expect(error.stage == .selection)
    }
}
