// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite struct ResponseReaderTests {
    // MARK: Choosing descriptors

    @Test(
        .parity("N127", "N128", "N129", "N130", "N131"),
        arguments: [
            ("http://restkit.org", "/api/v1/organizations/", ""),
            ("http://restkit.org/", "api/v1/organizations/", ""),
            ("http://restkit.org/api/v1", "/organizations/", ""),
            ("http://restkit.org/api/v1/", "organizations/", ""),
            ("http://restkit.org/api/v1/", "organizations/", "?client_search=s"),
        ])
    func findsTheMappingOfTheRoot(base: String, pattern: String, query: String) throws {
        var descriptor = ResponseDescriptor(Article.self, at: pattern)
        descriptor.baseURL = try HTTPURL(parsing: base)
        let response = try read(
            "{}", [descriptor], at: "http://restkit.org/api/v1/organizations/" + query)
        #expect(response.matches.map(\.descriptor) == [descriptor])
        #expect(response.matches.first?.descriptor.keyPath == .root)
    }

    @Test(.parity("N132"), arguments: [HTTPRequest.Method.get, .post])
    func choosesByMethod(method: HTTPRequest.Method) throws {
        let response = try read(
            #"{"id": 1}"#,
            [
                ResponseDescriptor(Article.self, methods: [.get]),
                ResponseDescriptor(Author.self, methods: [.post]),
            ], method: method)
        let expected = method == .get ? "Article" : "Author"
        #expect(response.matches.map(\.plan.table.name) == [expected])
    }

    @Test(.parity("N139"), arguments: [false, true])
    func prefersTheExactMethodWhateverTheOrder(isReversed: Bool) throws {
        let descriptors = [
            ResponseDescriptor(Author.self, keyPath: "user"),
            ResponseDescriptor(Article.self, methods: [.get], keyPath: "user"),
            ResponseDescriptor(Author.self, methods: [.get, .post], keyPath: "user"),
        ]
        let response = try read(
            #"{"user": {}}"#, isReversed ? descriptors.reversed() : descriptors)
        #expect(response.matches.map(\.plan.table.name) == ["Article"])
    }

    @Test func prefersTheNewestOfEqualClaims() throws {
        let response = try read(
            "{\"id\": 1}", [ResponseDescriptor(Author.self), ResponseDescriptor(Article.self)])
        #expect(response.matches.map(\.plan.table.name) == ["Article"])
    }

    @Test(.parity("S091")) func findsEveryKeyPathThatIsThere() throws {
        let response = try read(
            #"{"articles": [{}, {}], "meta": {"author": {}}, "none": null}"#,
            [
                ResponseDescriptor(Article.self, keyPath: "articles"),
                ResponseDescriptor(Author.self, keyPath: "meta.author"),
                ResponseDescriptor(Author.self, keyPath: "none"),
                ResponseDescriptor(Author.self, keyPath: "absent"),
            ])
        #expect(response.matches.map(\.descriptor.keyPath) == ["meta.author", "articles"])
        #expect(response.representationCount == 3)
        let whole = try read(#"{"id": 1}"#, [ResponseDescriptor(Article.self)])
        #expect(whole.matches.map(\.representation) == [whole.document?.root])
    }

    @Test(.parity("N134")) func findsTheOnePatternAmongMany() throws {
        let patterns = [
            "/categories", "/categories/:categoryName",
            "/categories/:categorySlug/articles/:articleSlug",
        ]
        let response = try read(
            #"{"id": 1}"#, patterns.map { ResponseDescriptor(Article.self, at: $0) },
            at: "http://base/categories/some-category-name/articles/the-article-name")
        #expect(response.matches.map(\.descriptor.path) == [patterns[2]])
        #expect(
            response.matches.first?.arguments == [
                "categorySlug": "some-category-name", "articleSlug": "the-article-name",
            ])
    }

    @Test(.parity("N133")) func saysForEveryDescriptorWhyItDoesNotMatch() throws {
        var foreign = ResponseDescriptor(Author.self, at: "/users")
        foreign.baseURL = try HTTPURL(parsing: "http://google.com")
        let error = try refusal(
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

    @Test func takesTheDefaultOnlyWithoutADescriptorOfTheType() throws {
        let expected = ResponseDescriptor(Article.self, statusCodes: nil)
        let descriptors = [
            ResponseDescriptor(Author.self, keyPath: "author"),
            ResponseDescriptor(Article.self, at: "/articles", keyPath: "articles"),
        ]
        let body = #"{"author": {}, "articles": []}"#
        let described = try read(
            body, descriptors, at: "http://base/articles", expecting: expected)
        #expect(described.matches.map(\.descriptor.keyPath) == ["articles"])
        let other = try read(body, descriptors, at: "http://base/other", expecting: expected)
        #expect(other.matches.map(\.descriptor) == [expected])
    }

    @Test func saysThatADescriptorsPlaceIsEmpty() throws {
        let error = try refusal(
            of: #"{"id": 1}"#, [ResponseDescriptor(Article.self, keyPath: "articles")],
            expecting: ResponseDescriptor(Article.self, statusCodes: nil))
        #expect(error.code == .noMatchingDescriptor)
        #expect(error.stage == .selection)
    }

    // MARK: Empty bodies

    @Test(
        .parity("N234", "N235"),
        arguments: ["", " ", "  ", "\n", "\r\n\t "])
    func readsABlankBodyAsNothing(body: String) throws {
        let response = try read(body, [ResponseDescriptor(Article.self)], contentType: nil)
        #expect(response.document == nil)
        #expect(response.matches.isEmpty)
    }

    @Test(.parity("N242", "N243"), arguments: ["[]", "{}"])
    func readsAnEmptyContainerWithoutDescriptorsAsNothing(body: String) throws {
        #expect(try read(body, []).matches.isEmpty)
    }

    @Test(.parity("N226")) func needsNoContentTypeForAHeadRequest() throws {
        #expect(try read("", [], method: .head, contentType: nil).matches.isEmpty)
    }

    @Test(.parity("N227", "N229", "N230", "N244"), arguments: [200, 202, 204])
    func needsNoContentTypeForAnEmptyBody(status: Int) throws {
        #expect(try read("", [], status: status, contentType: nil).matches.isEmpty)
    }

    // MARK: Content types

    @Test(arguments: [
        "application/json", "Application/JSON; charset=utf-8", "application/problem+json",
        "application/vnd.github.v3+json; q=1", "text/json",
    ])
    func readsEveryKindOfJSON(contentType: String) throws {
        let response = try read(
            #"{"id": 1}"#, [ResponseDescriptor(Article.self)], contentType: contentType)
        #expect(response.matches.count == 1)
    }

    @Test(arguments: ["text/html", "application/xml; charset=utf-8", "nonsense", nil])
    func refusesAnotherContentType(contentType: String?) throws {
        let error = try refusal(
            of: "<html>secret</html>", [ResponseDescriptor(Article.self)],
            contentType: contentType)
        #expect(error.code == .unexpectedContentType)
        #expect(error.stage == .response)
        #expect(error.description.contains("application/json"))
        #expect(!error.description.contains("secret"))
        #expect(String(decoding: error.body, as: UTF8.self) == "<html>secret</html>")
    }

    @Test(.parity("N224")) func namesTheExpectedAndTheReceivedContentType() throws {
        let error = try refusal(
            of: "<a/>", [ResponseDescriptor(Article.self, statusCodes: 200)],
            contentType: "application/xml")
        #expect(error.code == .unexpectedContentType)
        #expect(error.description.contains("expected application/json"))
        #expect(error.description.contains("application/xml"))
    }

    @Test(arguments: [201, 202]) func readsWhatWasCreatedWhateverItsType(status: Int) throws {
        let response = try read(
            #"{"id": 1}"#, [ResponseDescriptor(Article.self)], status: status, contentType: nil)
        #expect(response.matches.count == 1)
    }

    // MARK: Bodies

    @Test(arguments: [
        (#"{"id": "#, "id", DocumentError.Code.unexpectedEnd),
        (#"{"id": 1}x"#, "", .trailingContent), (#"{"a": [1, 2, tru]}"#, "a[2]", .unexpectedByte),
    ])
    func saysWhereABodyIsMalformed(body: String, path: String, code: DocumentError.Code) throws {
        let error = try refusal(of: body, [ResponseDescriptor(Article.self)])
        #expect(error.code == .malformedBody)
        #expect(error.stage == .parsing)
        #expect(error.path?.description == path)
        #expect((error.underlying as? DocumentError)?.code == code)
    }

    @Test func refusesWhatIsTooDeep() throws {
        let error = try refusal(
            of: String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
            [ResponseDescriptor(Article.self)])
        #expect(error.code == .malformedBody)
        #expect((error.underlying as? DocumentError)?.code == .limitExceeded)
    }

    @Test func keepsABoundedPartOfTheBodyInAnError() throws {
        let error = try refusal(
            of: String(repeating: "x", count: 100_000), [ResponseDescriptor(Article.self)])
        #expect(error.body.count == NetworkingError.maximumBodyByteCount)
        #expect(!error.description.contains("xxx"))
    }

    // MARK: Statuses

    @Test(.parity("N225")) func judgesTheStatusBeforeTheContentType() throws {
        let error = try refusal(
            of: "<html></html>", [ResponseDescriptor(Article.self, statusCodes: 200)], status: 503,
            contentType: "text/xml")
        #expect(error.code == .unexpectedStatus)
        #expect(error.status == 503)
        #expect(error.description.contains("expected (200), found 503"))
        #expect(!error.description.contains("text/xml"))
    }

    @Test func namesTheStatusesThatDescriptorsOfThePlaceAccept() throws {
        let descriptors = [
            ResponseDescriptor(Article.self, at: "/articles", statusCodes: [200, 201, 304]),
            ResponseDescriptor(Article.self, at: "/other", statusCodes: 203),
            ResponseDescriptor(Article.self, methods: [.post], statusCodes: 204),
            ResponseDescriptor(Refusal.self, keyPath: "errors", statusCodes: .error),
        ]
        let error = try refusal(of: "", descriptors, status: 404)
        #expect(error.description.contains("expected (200-201, 304), found 404"))
        let other = try refusal(of: "", [], status: 302)
        #expect(other.description.contains("expected (200-299), found 302"))
    }

    @Test(.parity("N228")) func acceptsANotModifiedThatADescriptorNames() throws {
        let response = try read(
            "", [ResponseDescriptor(Article.self, statusCodes: [200, 304])], status: 304,
            contentType: nil)
        #expect(response.head.status.code == 304)
        #expect(response.matches.isEmpty)
    }

    @Test(.parity("N241")) func findsObjectsWithoutAnyMember() throws {
        let response = try read(
            #"{"firstUser": {}, "secondUser": {}}"#,
            [
                ResponseDescriptor(Author.self, keyPath: "firstUser"),
                ResponseDescriptor(Author.self, keyPath: "secondUser"),
            ])
        #expect(
            response.matches.map(\.descriptor.keyPath) == ["secondUser", "firstUser"])
    }

    @Test(
        .parity("N246", "N248", "N249"),
        arguments: [
            ("", [ResponseDescriptor(Article.self)]),
            ("{}", [ResponseDescriptor(Article.self, statusCodes: 200)]), ("{}", []),
        ])
    func refusesAnErrorStatusThatNobodyDescribes(
        body: String, descriptors: [ResponseDescriptor]
    ) throws {
        let error = try refusal(of: body, descriptors, status: 422)
        #expect(error.code == .unexpectedStatus)
        #expect(error.description.contains("422"))
        #expect(error.mappedErrors.isEmpty)
    }

    @Test func mapsWhatTheServerSaysAboutAnError() throws {
        let error = try refusal(
            of: #"{"errors": [{"message": "secret one"}, {"message": "two", "code": 7}]}"#,
            [
                ResponseDescriptor(Article.self, statusCodes: 200),
                ResponseDescriptor(Refusal.self, keyPath: "errors", statusCodes: .error),
            ], status: 400, expecting: ResponseDescriptor(Article.self, statusCodes: nil))
        #expect(error.code == .errorResponse)
        #expect(
            error.mappedErrors as? [Refusal] == [
                Refusal(message: "secret one", code: nil), Refusal(message: "two", code: 7),
            ])
        #expect(!error.description.contains("secret"))
    }

    @Test(.parity("N253")) func reportsTheStatusIfTheErrorBodyLacksTheDescribedPlace() throws {
        let error = try refusal(
            of: #"{"status": "not found"}"#,
            [ResponseDescriptor(Refusal.self, keyPath: "errors", statusCodes: .error)], status: 404)
        #expect(error.code == .unexpectedStatus)
        #expect(error.mappedErrors.isEmpty)
    }

    @Test func reportsTheStatusIfTheErrorBodyCannotBeRead() throws {
        let descriptor = ResponseDescriptor(Refusal.self, statusCodes: nil)
        let html = try refusal(of: "<html>", [descriptor], status: 502, contentType: "text/html")
        #expect(html.code == .unexpectedStatus && html.causes.count == 2)
        let cut = try refusal(of: #"{"mess"#, [descriptor], status: 502)
        #expect(cut.code == .unexpectedStatus && cut.underlying is DocumentError)
        let other = try refusal(of: #"{"text": 1}"#, [descriptor], status: 502)
        #expect(other.code == .unexpectedStatus && other.underlying is MappingError)
    }

    @Test(.threat("T17"), arguments: [0, 100, 199, 304, 300, 404, 500, 600, 999])
    func refusesEveryStatusButSuccess(status: Int) throws {
        let error = try refusal(
            of: "", [ResponseDescriptor(Article.self)], status: status, contentType: nil)
        #expect(error.code == .unexpectedStatus)
        #expect(error.status == status)
        // The success that should have no body is read like any other if it has one.
        #expect(try read("", [], status: 204, contentType: nil).matches.isEmpty)
        #expect(
            try read(#"{"id": 1}"#, [ResponseDescriptor(Article.self)], status: 204)
                .matches.count == 1)
    }

    @Test func namesTheRequestWithoutItsSecrets() throws {
        let error = try refusal(
            of: "", [], status: 500, at: "http://base/articles?token=secret#part")
        #expect(error.method == "GET")
        #expect(error.url?.hasPrefix("http://base/articles") == true)
        #expect(!error.description.contains("secret"))
        #expect(error.description.hasPrefix("unexpectedStatus"))
    }

    // MARK: Reading

    private func read(
        _ body: String, _ descriptors: [ResponseDescriptor], status: Int = 200,
        method: HTTPRequest.Method = .get, at url: String = "http://base/articles",
        base: String = "http://base", contentType: String? = "application/json",
        expecting expected: ResponseDescriptor? = nil
    ) throws -> ObjectResponse {
        var buffer = BodyBuffer(expecting: 0)
        buffer.append(Array(body.utf8))
        var head = HTTPResponse(status: .init(code: status))
        head.headerFields[.contentType] = contentType
        let reader = ResponseReader(
            selection: DescriptorSelection(descriptors: descriptors, expected: expected),
            baseURL: try HTTPURL(parsing: base),
            format: ResponseFormat(formats: .standard, limits: .default))
        return try reader.read(
            head, of: TransportRequest(method: method, url: HTTPURL(parsing: url)), body: buffer)
    }

    private func refusal(
        of body: String, _ descriptors: [ResponseDescriptor], status: Int = 200,
        at url: String = "http://base/articles", base: String = "http://base",
        contentType: String? = "application/json", expecting expected: ResponseDescriptor? = nil
    ) throws -> NetworkingError {
        try #require(throws: NetworkingError.self) {
            try read(
                body, descriptors, status: status, at: url, base: base, contentType: contentType,
                expecting: expected)
        }
    }
}
