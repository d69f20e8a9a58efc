// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Errors in responses whose status is one of success.
@Suite(.tags(.socket)) struct ErrorsOfSuccessTests {
    private static let errors: [ResponseDescriptor] = [
        ResponseDescriptor(ErrorMessage.self, keyPath: "error", statusCodes: .successful),
        ResponseDescriptor(ErrorMessage.self, keyPath: "errors", statusCodes: 200),
    ]

    private func run<Value>(
        _ body: String, _ descriptors: [ResponseDescriptor] = errors,
        _ work: (ObjectManager) async throws -> Value
    ) async throws -> Value {
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(descriptors)
            return try await work(api)
        }
    }

    @Test(arguments: [
        (#"{"ok": false, "error": "invalid_auth"}"#, "invalid_auth"),
        (#"{"data": null, "errors": [{"message": "a"}, {"message": "b"}]}"#, "a, b"),
        (#"{"data": {"name": "Ann"}, "errors": [{"message": "partial"}]}"#, "partial"),
        (#"{"errors": {"name": ["is taken"]}}"#, "name is taken"),
    ])
    func areErrorsOfRequest(body: String, message: String) async throws {
        try await run(body) { api in
            let value = await networkingError {
                try await api.get("a", keyPath: "data", as: Author.self)
            }
            let list = await networkingError { try await api.get("a", as: [Author].self) }
            let nothing = await networkingError { try await api.post("a") }
            let response = await networkingError {
                _ = try await api.send(ObjectRequest<ObjectResponse>(at: "a"))
            }
            for error in [value, list, nothing, response] {
                #expect(error?.code == .errorResponse)
                #expect(error?.status == 200)
                #expect(error?.localizedDescription == message)
                #expect(error?.description.contains(message) == false)
            }
        }
    }

    @Test(arguments: [
        #"{"data": {"name": "Ann"}}"#, #"{"data": {"name": "Ann"}, "errors": []}"#,
        #"{"data": {"name": "Ann"}, "error": null, "errors": {}}"#,
        #"{"data": {"name": "Ann"}, "error": false}"#, #"{"data": {"name": "Ann"}, "error": ""}"#,
        #"{"data": {"name": "Ann"}, "error": 0}"#,
    ])
    func areAbsentIfValueSaysSo(body: String) async throws {
        try await run(body) { api in
            let author: Author = try await api.get("a", keyPath: "data")
            #expect(author.name == "Ann")
            try await api.post("a")
        }
    }

    @Test func areValuesBesideDataInResult() async throws {
        let data = ResponseDescriptor(Author.self, keyPath: "data")
        let body = #"{"data": {"name": "Ann"}, "errors": [{"message": "partial"}]}"#
        let result = try await run(body, Self.errors + [data]) { api in
            try await api.getObjects(at: "a")
        }
        #expect(result.dictionary["data"]?.first as? Author == Author(name: "Ann"))
        #expect(result.dictionary["errors"]?.first as? ErrorMessage == ErrorMessage("partial"))
    }

    @Test func areOnlyThoseThatAreDeclaredForSuccess() async throws {
        let body = #"{"name": "Ann", "error": "x"}"#
        for statuses in [StatusCodeSet.error, nil] {
            let descriptor = ResponseDescriptor(
                ErrorMessage.self, keyPath: "error", statusCodes: statuses)
            let author = try await run(body, [descriptor]) { api in
                try await api.get("a", as: Author.self)
            }
            #expect(author.name == "Ann")
        }
        // An error that is asked for is a value.
        let message = try await run(body) { api in
            try await api.get("a", keyPath: "error", as: ErrorMessage.self)
        }
        #expect(message == ErrorMessage("x"))
    }

    @Test func unfitErrorIsErrorNevertheless() async throws {
        let error = try await run(#"{"name": "Ann", "error": 7}"#) { api in
            await networkingError { try await api.get("a", as: Author.self) }
        }
        #expect(error?.code == .errorResponse)
        #expect(error?.mappedErrors.isEmpty == true)
        #expect(error?.underlying is MappingError)
    }

    @Test func unreadableBodyOfCallWithoutValueIsIgnored() async throws {
        try await LoopbackServer.run({ _ in
            LoopbackResponse(
                status: 200, headers: [("Content-Type", "text/html")], body: Array("<p>".utf8))
        }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(Self.errors)
            try await api.post("a")
        }
    }
}
