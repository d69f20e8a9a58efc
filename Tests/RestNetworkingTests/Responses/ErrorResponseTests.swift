// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket)) struct ErrorResponseTests {
    private static let twoErrors = #"{"errors": ["error1", "error2"]}"#

    // MARK: Mapped errors

    @Test(
        .parity("N182", "N252", "N254"),
        arguments: [
            (500, StatusCodeSet.serverError), (400, .error), (422, .error),
        ])
    func joinsMessagesOfResponse(status: Int, statuses: StatusCodeSet) async throws {
        let error = try await error(
            of: .json(Self.twoErrors, status: status),
            [ResponseDescriptor(ErrorMessage.self, keyPath: "errors", statusCodes: statuses)])
        #expect(error.code == .errorResponse)
        #expect(error.localizedDescription == "error1, error2")
        #expect(
            error.mappedErrors as? [ErrorMessage]
                == [ErrorMessage("error1"), ErrorMessage("error2")])
        #expect(error.head?.status.code == status)
        #expect(String(decoding: error.body, as: UTF8.self) == Self.twoErrors)
        #expect(!error.description.contains("error1"))
    }

    @Test(.parity("N255")) func descriptorWithoutStatusesIsForErrors() async throws {
        let error = try await error(
            of: .json(Self.twoErrors, status: 500),
            [
                ResponseDescriptor(Author.self, keyPath: "user", statusCodes: 200),
                ResponseDescriptor(ErrorMessage.self, keyPath: "errors", statusCodes: nil),
            ])
        #expect(error.localizedDescription == "error1, error2")
    }

    @Test(.parity("N247")) func mapsMemberToMessage() async throws {
        let error = try await error(
            of: .json(#"{"message": "Failure"}"#, status: 422),
            [ResponseDescriptor(ErrorMessage.self, statusCodes: 422)])
        #expect(error.code == .errorResponse)
        #expect(error.localizedDescription == "Failure")
        let nested = ResponseDescriptor(
            ErrorMessage.self, keyPath: "message", statusCodes: .clientError)
        let text = try await self.error(
            of: .json(#"{"message": "Failure"}"#, status: 422), [nested])
        #expect(text.localizedDescription == "Failure")
    }

    @Test(.parity("N250")) func mapsErrorsOfCustomType() async throws {
        let error = try await error(
            of: .json(
                #"{"message": "This is the error message", "code": 12345}"#, status: 422),
            [ResponseDescriptor(Rejection.self, statusCodes: 422)])
        #expect(error.code == .errorResponse)
        #expect(error.localizedDescription == "This is the error message (12345)")
        #expect(error.mappedErrors.first is Rejection)
    }

    @Test(.parity("N251")) func errorResponseLeavesTargetUnchanged() async throws {
        try await LoopbackServer.run({ _ in .json(#"{"message": "no"}"#, status: 422) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(
                ResponseDescriptor(Note.self, statusCodes: 200),
                ResponseDescriptor(ErrorMessage.self, statusCodes: 422))
            let note = Note(text: "before")
            let error = await networkingError {
                _ = try await api.send(ObjectRequest(at: "a"), updating: note)
            }
            #expect(error?.code == .errorResponse)
            #expect(error?.localizedDescription == "no")
            #expect(note.text == "before")
        }
    }

    @Test(.parity("N256")) func namesStatusAndContentTypeOfMalformedBody() async throws {
        let error = try await error(
            of: .json("application/json", status: 500),
            [ResponseDescriptor(ErrorMessage.self, keyPath: "errors", statusCodes: .error)])
        #expect(error.code == .unexpectedStatus)
        #expect(error.status == 500)
        #expect(error.description.contains("500"))
        #expect(error.description.contains("application/json"))
        #expect(error.underlying is DocumentError)
    }

    @Test func readsMessageFromAnyUsualMember() throws {
        for (text, message) in [
            (#""a""#, "a"), (#"{"error": "a"}"#, "a"), (#"{"error": "x", "message": "a"}"#, "a"),
            (#"{"title": "x", "detail": "a"}"#, "a"), (#"{"message": null, "title": "a"}"#, "a"),
            (#"{"error": "x", "error_description": "a"}"#, "a"),
        ] {
            let document = try Document(parsing: text)
            let read = try DocumentDecoder().decode(ErrorMessage.self, from: document.root)
            #expect(read == ErrorMessage(message))
        }
        #expect(throws: DocumentError.self) {
            try DocumentDecoder().decode(ErrorMessage.self, from: Document(parsing: "{}").root)
        }
    }

    @Test(arguments: [
        // Rails, in its two forms.
        (
            #"{"errors": {"title": ["can't be blank", "is short"], "base": ["No"]}}"#, "errors",
            ["title can't be blank, title is short, No"]
        ),
        (#"{"title": ["can't be blank"]}"#, "", ["title can't be blank"]),
        // FastAPI.
        (
            #"{"detail": [{"loc": ["body", "tags", 0], "msg": "required", "type": "x"}]}"#,
            "detail",
            ["tags.0: required"]
        ),
        (#"{"detail": "Not found"}"#, "detail", ["Not found"]),
        // Laravel, Nest, ASP.NET, Google and JSON:API.
        (#"{"message": "Invalid", "errors": {"email": ["is taken"]}}"#, "", ["Invalid"]),
        (#"{"message": ["a", "b"], "error": "Bad Request"}"#, "", ["a, b"]),
        (#"{"title": "Invalid", "errors": {"Name": ["is required"]}}"#, "", ["Name is required"]),
        (#"{"error": {"code": 401, "message": "No"}}"#, "", ["No"]),
        (#"{"errors": [{"title": "A", "detail": "a"}, {"title": "B"}]}"#, "errors", ["a", "B"]),
        (#"{"errors": [{"message": "a"}, {"message": "b"}]}"#, "", ["a, b"]),
    ])
    func readsMessagesOfFrameworks(
        body: String, keyPath: String, messages: [String]
    ) async throws {
        let error = try await error(
            of: .json(body, status: 422),
            [
                ResponseDescriptor(
                    ErrorMessage.self, keyPath: DocumentPath(parsing: keyPath),
                    statusCodes: .clientError)
            ])
        #expect(error.code == .errorResponse)
        #expect((error.mappedErrors as? [ErrorMessage])?.map(\.message) == messages)
    }

    @Test func readsMessagesOfFields() throws {
        for (text, fields) in [
            (#"{"email": ["is taken", "is odd"]}"#, ["email": ["is taken", "is odd"]]),
            (#"{"message": "x", "errors": {"email": ["is taken"]}}"#, ["email": ["is taken"]]),
            (#"{"loc": ["query", "page"], "msg": "too large"}"#, ["page": ["too large"]]),
            (#"{"message": "x", "errors": "y"}"#, [:]),
        ] {
            let document = try Document(parsing: text)
            let read = try DocumentDecoder().decode(ErrorMessage.self, from: document.root)
            #expect(read.fields == fields)
        }
        for text in [#"{"id": 1}"#, #"{"a": [1]}"#, #"{"a": []}"#, "[]", "7"] {
            let document = try Document(parsing: text)
            #expect(throws: DocumentError.self) {
                try DocumentDecoder().decode(ErrorMessage.self, from: document.root)
            }
        }
    }

    @Test func unfitDescriptorHidesNoOtherErrors() async throws {
        let unfit = ResponseDescriptor(
            CodableMapping(for: PlainFailure.self), statusCodes: .error)
        let messages = ResponseDescriptor(
            ErrorMessage.self, keyPath: "errors", statusCodes: .error)
        let answer = LoopbackResponse.json(#"{"errors": ["a", 5, "b"]}"#, status: 422)
        for descriptors in [[unfit, messages], [messages, unfit]] {
            let error = try await error(of: answer, descriptors)
            #expect(error.code == .errorResponse)
            #expect(error.localizedDescription == "a, b")
            #expect(error.causes.count { $0.contains("does not fit") } == 2)
            #expect(error.underlying != nil)
        }
        let problem = LoopbackResponse(
            status: 403, headers: [("Content-Type", "application/problem+json")],
            body: Array(Self.problem.utf8))
        let error = try await error(of: problem, [unfit])
        #expect(error.problem?.title == "No credit")
        #expect(error.code == .errorResponse)
    }

    // MARK: Problem details

    private static let problem = #"""
        {"type": "https://example.com/credit", "title": "No credit", "status": 403,
         "detail": "30 is not enough", "instance": "/accounts/1", "balance": 30}
        """#

    @Test func readsProblemDetailsWithoutDescriptor() async throws {
        for type in ["application/problem+json", "application/problem+json; charset=utf-8"] {
            let answer = LoopbackResponse(
                status: 403, headers: [("Content-Type", type)], body: Array(Self.problem.utf8))
            let error = try await error(of: answer, [])
            #expect(error.code == .errorResponse)
            #expect(
                error.problem
                    == ProblemDetails(
                        type: "https://example.com/credit", title: "No credit", status: 403,
                        detail: "30 is not enough", instance: "/accounts/1",
                        extensions: ["balance": 30]))
            #expect(error.localizedDescription == "No credit: 30 is not enough")
        }
        // As JSON it is an ordinary body.
        let plain = try await error(of: .json(Self.problem, status: 403), [])
        #expect(plain.problem == nil && plain.code == .unexpectedStatus)
    }

    @Test func ignoresProblemMembersOfOtherKinds() throws {
        let document = try Document(
            parsing: #"{"type": 1, "title": null, "status": "403", "detail": {}}"#)
        #expect(ProblemDetails(document) == ProblemDetails())
        #expect(ProblemDetails(["a"]) == nil)
        #expect(ProblemDetails().description == "about:blank")
    }

    @Test func descriptorPrecedesProblemDetails() async throws {
        let answer = LoopbackResponse(
            status: 403, headers: [("Content-Type", "application/problem+json")],
            body: Array(Self.problem.utf8))
        let error = try await error(
            of: answer, [ResponseDescriptor(ErrorMessage.self, statusCodes: .error)])
        #expect(error.problem == nil)
        #expect(error.localizedDescription == "30 is not enough")
    }

    // MARK: Texts

    @Test func descriptionWithBodyHasMessagesAndCappedBody() async throws {
        let long = #"{"message": "no", "x": ""# + String(repeating: "é", count: 9_000) + "\"}"
        let error = try await error(
            of: .json(long, status: 422),
            [ResponseDescriptor(ErrorMessage.self, statusCodes: 422)])
        #expect(error.body.count == NetworkingError.maximumBodyByteCount)
        #expect(error.descriptionWithBody.hasPrefix(error.description))
        #expect(error.descriptionWithBody.contains("server: "))
        #expect(error.descriptionWithBody.contains("body: {\"message\": \"no\""))
        #expect(error.descriptionWithBody.utf8.count < 2_000)
        #expect(error.descriptionWithBody.hasSuffix(" …"))
        #expect(!error.description.contains("message"))
        let control = NetworkingError(
            .unexpectedStatus, stage: .response, body: Array("a\u{1B}[31mb".utf8))
        #expect(control.descriptionWithBody.contains("a\u{FFFD}[31mb"))
    }

    @Test func printingNeverShowsBody() async throws {
        let error = try await error(
            of: .json(#"{"message": "secret"}"#, status: 422),
            [ResponseDescriptor(ErrorMessage.self, statusCodes: 422)])
        #expect(error.localizedDescription == "secret")
        let texts = [
            "\(error)", "\([error])", "\(Optional(error) as Any)", String(reflecting: error),
            "\(["a": error])", "\(Result<Int, NetworkingError>.failure(error))",
        ]
        for text in texts {
            #expect(text.contains("status 422"))
            #expect(!text.contains("secret"))
        }
    }

    @Test func localizedDescriptionHasMessagesOnly() async throws {
        let statuses = StatusCodeSet.error
        let answer = LoopbackResponse.json(
            #"{"plain": {"code": 7}, "message": "no", "empty": ""}"#, status: 422)
        let plain = ResponseDescriptor(
            CodableMapping(for: PlainFailure.self), keyPath: "plain", statusCodes: statuses)
        let error = try await error(of: answer, [plain])
        #expect(error.mappedErrors.first as? PlainFailure == PlainFailure(code: 7))
        #expect(
            error.localizedDescription.hasPrefix("The server answered with status 422. (GET http"))
        let both = try await self.error(
            of: answer,
            [
                plain,
                ResponseDescriptor(ErrorMessage.self, keyPath: "message", statusCodes: statuses),
                ResponseDescriptor(ErrorMessage.self, keyPath: "empty", statusCodes: statuses),
            ])
        #expect(both.mappedErrors.count == 3)
        #expect(both.localizedDescription == "no")
    }

    @Test func descriptionHasNoEmptyParts() {
        let root = NetworkingError(
            .mappingFailed, stage: .mapping, method: "GET", url: "http://base/a", path: .root,
            underlying: Refusal(message: "x"))
        #expect(!root.description.contains("at ("))
        #expect(!root.description.contains("at  "))
        #expect(root.description.hasPrefix("mappingFailed at mapping of GET http://base/a ("))
        let bare = NetworkingError(.invalidRequest, stage: .assembly, method: "GET")
        #expect(bare.description == "invalidRequest at assembly of GET")
        #expect(bare.localizedDescription == "The request cannot be created. (GET)")
    }

    @Test func everyCodeHasSentence() async throws {
        let error = try await error(of: .json("{}", status: 503), [])
        #expect(
            error.localizedDescription.hasPrefix("The server answered with status 503. (GET http"))
        #expect(error.failureReason == "expected (200-299), found 503")
        let refused = try manager(at: "http://127.0.0.1:1/")
        let transport = await networkingError { try await refused.get("a", as: Author.self) }
        #expect(
            transport?.localizedDescription
                == "The host refused the connection. (GET http://127.0.0.1:1/a)")
        #expect(transport?.code == .transportFailed)
        for code in Self.codes {
            let text = NetworkingError(code, stage: .response).localizedDescription
            #expect(text.hasSuffix(".") && text != "\(code).")
        }
    }

    private static let codes: [NetworkingError.Code] = [
        .invalidConfiguration, .invalidRequest, .transportFailed, .unexpectedStatus,
        .errorResponse, .unexpectedContentType, .emptyResponse, .malformedBody,
        .noMatchingDescriptor, .noMatchingRoute, .duplicateRoute, .mappingFailed, .crossOrigin,
        .endlessPagination, .mappingDeclined, .cancelled, .valueTaken, .pageUnavailable,
        .loadInProgress,
    ]

    @Test(arguments: [
        (#"{"data": [{"name": "Ann"}]}"#, true), (#"{"name": {}, "data": []}"#, false),
        (#"["Ann"]"#, false),
    ])
    func advisesKeyPathOfWrappedValue(body: String, isAdvised: Bool) async throws {
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            let api = try manager(at: server.baseURL)
            let error = await networkingError { try await api.get("a", as: [Author].self) }
            #expect(error?.code == .mappingFailed)
            let advice = "the document is an object; if the value is inside it, name its key path"
            #expect(error?.causes == (isAdvised ? [advice] : []))
            let located = await networkingError {
                try await api.get("a", keyPath: "data", as: Author.self)
            }
            #expect(located?.causes.contains(advice) == false)
        }
    }

    @Test func namesDescriptorsForOtherPaths() async throws {
        let body = LoopbackResponse.json(#"{"author": {"name": "Ann"}}"#)
        try await LoopbackServer.run({ _ in body }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(Author.self, at: "authors", keyPath: "author"))
            let error = await networkingError { try await api.get("a", as: Author.self) }
            #expect(error?.code == .mappingFailed)
            let advice =
                "no descriptor for the type is for this path, so its default mapping applies; another "
                + #"is Author at "authors" in "author" with status 200-299"#
            #expect(error?.causes.last == advice)
        }
    }

    private func error(
        of answer: LoopbackResponse, _ descriptors: [ResponseDescriptor]
    ) async throws -> NetworkingError {
        try await LoopbackServer.run({ _ in answer }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(descriptors)
            let error = await networkingError { _ = try await api.getObjects(at: "a") }
            return try #require(error)
        }
    }
}

/// An error whose text combines two members.
private struct Rejection: Error, LocalizedError, MappableCodable {
    var message: String
    var code: Int

    var errorDescription: String? { "\(message) (\(code))" }
}

/// An error without a text of its own.
private struct PlainFailure: Error, Equatable, MappableCodable {
    var code: Int
}
