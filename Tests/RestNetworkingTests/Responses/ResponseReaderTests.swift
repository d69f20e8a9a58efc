// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite struct ResponseReaderTests {
    // MARK: Empty bodies

    @Test(
        .parity("N234", "N235"),
        arguments: ["", " ", "  ", "\n", "\r\n\t "])
    func readsBlankBodyAsEmpty(body: String) throws {
        let response = try readResponse(body, [ResponseDescriptor(Article.self)], contentType: nil)
        #expect(response.document == nil)
        #expect(response.matches.isEmpty)
    }

    @Test(.parity("N242", "N243"), arguments: ["[]", "{}"])
    func readsEmptyContainerWithoutDescriptorsAsEmpty(body: String) throws {
        #expect(try readResponse(body, []).matches.isEmpty)
    }

    @Test(.parity("N226")) func needsNoContentTypeForHead() throws {
        #expect(try readResponse("", [], method: .head, contentType: nil).matches.isEmpty)
    }

    @Test(.parity("N227", "N229", "N230", "N244"), arguments: [200, 202, 204])
    func needsNoContentTypeForEmptyBody(status: Int) throws {
        #expect(try readResponse("", [], status: status, contentType: nil).matches.isEmpty)
    }

    // MARK: Content types

    @Test(arguments: [
        "application/json", "Application/JSON; charset=utf-8", "application/problem+json",
        "application/vnd.github.v3+json; q=1", "text/json",
    ])
    func readsAllJSONMediaTypes(contentType: String) throws {
        let response = try readResponse(
            #"{"id": 1}"#, [ResponseDescriptor(Article.self)], contentType: contentType)
        #expect(response.matches.count == 1)
    }

    @Test(arguments: ["text/html", "application/xml; charset=utf-8", "nonsense", nil])
    func rejectsUnsupportedContentType(contentType: String?) throws {
        let error = try responseError(
            of: "<html>secret</html>", [ResponseDescriptor(Article.self)],
            contentType: contentType)
        #expect(error.code == .unexpectedContentType)
        #expect(error.stage == .response)
        #expect(error.description.contains("application/json"))
        #expect(!error.description.contains("secret"))
        #expect(String(decoding: error.body, as: UTF8.self) == "<html>secret</html>")
    }

    @Test(.parity("N224")) func reportsExpectedAndReceivedContentType() throws {
        let error = try responseError(
            of: "<a/>", [ResponseDescriptor(Article.self, statusCodes: 200)],
            contentType: "application/xml")
        #expect(error.code == .unexpectedContentType)
        #expect(error.description.contains("expected application/json"))
        #expect(error.description.contains("application/xml"))
    }

    @Test(arguments: [201, 202]) func readsCreatedResponseOfAnyContentType(status: Int) throws {
        let response = try readResponse(
            #"{"id": 1}"#, [ResponseDescriptor(Article.self)], status: status, contentType: nil)
        #expect(response.matches.count == 1)
    }

    // MARK: Bodies

    @Test(arguments: [
        (#"{"id": "#, "id", DocumentError.Code.unexpectedEnd),
        (#"{"id": 1}x"#, "", .trailingContent), (#"{"a": [1, 2, tru]}"#, "a[2]", .unexpectedByte),
    ])
    func reportsLocationOfSyntaxError(body: String, path: String, code: DocumentError.Code) throws {
        let error = try responseError(of: body, [ResponseDescriptor(Article.self)])
        #expect(error.code == .malformedBody)
        #expect(error.stage == .parsing)
        #expect(error.path?.description == path)
        #expect((error.underlying as? DocumentError)?.code == code)
    }

    @Test func rejectsTooDeepDocument() throws {
        let error = try responseError(
            of: String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
            [ResponseDescriptor(Article.self)])
        #expect(error.code == .malformedBody)
        #expect((error.underlying as? DocumentError)?.code == .limitExceeded)
    }

    @Test func keepsLimitedPrefixOfBodyInError() throws {
        let error = try responseError(
            of: String(repeating: "x", count: 100_000), [ResponseDescriptor(Article.self)])
        #expect(error.body.count == NetworkingError.maximumBodyByteCount)
        #expect(!error.description.contains("xxx"))
    }

    // MARK: Statuses

    @Test(.parity("N225")) func checksStatusBeforeContentType() throws {
        let error = try responseError(
            of: "<html></html>", [ResponseDescriptor(Article.self, statusCodes: 200)], status: 503,
            contentType: "text/xml")
        #expect(error.code == .unexpectedStatus)
        #expect(error.status == 503)
        #expect(error.description.contains("expected (200), found 503"))
        #expect(!error.description.contains("text/xml"))
    }

    @Test func reportsStatusCodesThatDescriptorsExpect() throws {
        let descriptors = [
            ResponseDescriptor(Article.self, at: "/articles", statusCodes: [200, 201, 304]),
            ResponseDescriptor(Article.self, at: "/other", statusCodes: 203),
            ResponseDescriptor(Article.self, methods: [.post], statusCodes: 204),
            ResponseDescriptor(Refusal.self, keyPath: "errors", statusCodes: .error),
        ]
        let error = try responseError(of: "", descriptors, status: 404)
        #expect(error.description.contains("expected (200-201, 304), found 404"))
        let other = try responseError(of: "", [], status: 302)
        #expect(other.description.contains("expected (200-299), found 302"))
    }

    @Test(.parity("N228")) func acceptsNotModifiedNamedByDescriptor() throws {
        let response = try readResponse(
            "", [ResponseDescriptor(Article.self, statusCodes: [200, 304])], status: 304,
            contentType: nil)
        #expect(response.head.status.code == 304)
        #expect(response.matches.isEmpty)
    }

    @Test(.parity("N241")) func matchesObjectsWithoutMembers() throws {
        let response = try readResponse(
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
    func rejectsErrorStatusWithoutDescriptor(
        body: String, descriptors: [ResponseDescriptor]
    ) throws {
        let error = try responseError(of: body, descriptors, status: 422)
        #expect(error.code == .unexpectedStatus)
        #expect(error.description.contains("422"))
        #expect(error.mappedErrors.isEmpty)
    }

    @Test func mapsErrorBody() throws {
        let error = try responseError(
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

    @Test(.parity("N253")) func reportsStatusWhenErrorBodyLacksKeyPath() throws {
        let error = try responseError(
            of: #"{"status": "not found"}"#,
            [ResponseDescriptor(Refusal.self, keyPath: "errors", statusCodes: .error)], status: 404)
        #expect(error.code == .unexpectedStatus)
        #expect(error.mappedErrors.isEmpty)
    }

    @Test func reportsStatusWhenErrorBodyIsMalformed() throws {
        let descriptor = ResponseDescriptor(Refusal.self, statusCodes: nil)
        let html = try responseError(
            of: "<html>", [descriptor], status: 502, contentType: "text/html")
        #expect(html.code == .unexpectedStatus && html.causes.count == 2)
        let cut = try responseError(of: #"{"mess"#, [descriptor], status: 502)
        #expect(cut.code == .unexpectedStatus && cut.underlying is DocumentError)
        let other = try responseError(of: #"{"text": 1}"#, [descriptor], status: 502)
        #expect(other.code == .unexpectedStatus && other.underlying is MappingError)
    }

    @Test(.threat("T17"), arguments: [0, 100, 199, 304, 300, 404, 500, 600, 999])
    func rejectsEveryStatusButSuccess(status: Int) throws {
        let error = try responseError(
            of: "", [ResponseDescriptor(Article.self)], status: status, contentType: nil)
        #expect(error.code == .unexpectedStatus)
        #expect(error.status == status)
        // A 204 or 205 response with a body is read like any other.
        #expect(try readResponse("", [], status: 204, contentType: nil).matches.isEmpty)
        #expect(
            try readResponse(#"{"id": 1}"#, [ResponseDescriptor(Article.self)], status: 204)
                .matches.count == 1)
    }

    @Test func describesRequestWithoutItsQuery() throws {
        let error = try responseError(
            of: "", [], status: 500, at: "http://base/articles?token=secret#part")
        #expect(error.method == "GET")
        #expect(error.url?.hasPrefix("http://base/articles") == true)
        #expect(!error.description.contains("secret"))
        #expect(error.description.hasPrefix("unexpectedStatus"))
    }
}
