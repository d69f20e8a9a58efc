// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket)) struct ObjectManagerUpdatingTests {
    /// Sends a request about a note and checks the result.
    private func send(
        _ method: HTTPRequest.Method, answer: LoopbackResponse,
        descriptors: [ResponseDescriptor] = [],
        _ check: (Note, ObjectResponse, MappingResult) throws -> Void
    ) async throws {
        try await LoopbackServer.run({ _ in answer }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(descriptors)
            let note = Note(text: "before")
            let parameters: RequestParameters = method == .post ? ["text": "sent"] : [:]
            let request = try api.request(method, at: "notes/1", parameters: parameters)
            // In one call, and stage by stage to check the status.
            let result = try await api.send(
                ObjectRequest(method, at: "notes/1", parameters: parameters), updating: note
            ).value
            let expected = descriptors.isEmpty ? ResponseDescriptor(Note.self) : nil
            let response = try await api.response(to: request, expecting: expected)
            try check(note, response, result)
            let staged = Note(text: "before")
            try check(staged, response, try response.result(updating: staged))
            #expect(server.requests.map(\.method) == [method.rawValue, method.rawValue])
        }
    }

    private static let elsewhere = ResponseDescriptor(
        Refusal.self, at: "elsewhere", keyPath: "no.such.place")

    @Test(.parity("N237"), arguments: [" ", "\n", "\r\n\t "])
    func acceptsBlankBodyWithoutMatchingDescriptor(body: String) async throws {
        let answer = LoopbackResponse(
            headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        for descriptors in [[Self.elsewhere], [ResponseDescriptor(Refusal.self, keyPath: "no")]] {
            try await send(.delete, answer: answer, descriptors: descriptors) { note, _, result in
                #expect(result.count == 1)
                #expect(result.first as? Note === note)
            }
        }
    }

    @Test(.parity("N238")) func noContentLeavesTargetUnchanged() async throws {
        try await send(.post, answer: LoopbackResponse(status: 204)) { note, response, result in
            #expect(response.head.status == .noContent)
            #expect(result.objects(of: Note.self).map { $0 === note } == [true])
            #expect(note.text == "before")
            #expect(result.report.issueCount == 0)
        }
    }

    @Test(.parity("N239", "N240", "N245"), arguments: [HTTPRequest.Method.delete, .get, .put])
    func emptyBodyLeavesTargetUnchanged(method: HTTPRequest.Method) async throws {
        try await send(method, answer: LoopbackResponse(status: 200)) { note, response, result in
            #expect(response.head.status == .ok)
            #expect(response.document == nil)
            #expect(result.objects(of: Note.self).map { $0 === note } == [true])
            #expect(result.dictionary[""]?.count == 1)
            #expect(note.text == "before")
        }
    }

    @Test func updatesTargetFromResponse() async throws {
        let answer = LoopbackResponse.json(#"{"text": "after"}"#, status: 201)
        try await send(.post, answer: answer) { note, response, result in
            #expect(response.head.status == .created)
            #expect(result.count == 1 && result.first as? Note === note)
            #expect(note.text == "after")
        }
    }

    @Test func updatesCopyOfValue() async throws {
        let answer = LoopbackResponse.json(#"{"title": "after"}"#)
        try await LoopbackServer.run({ _ in answer }) { server in
            let api = try manager(at: server.baseURL)
            let article = Article(id: 7, title: "before", author: Author(name: "Ann"))
            let result = try await api.send(
                ObjectRequest(.put, at: "articles/7"), updating: article
            ).value
            #expect(
                result.objects(of: Article.self)
                    == [Article(id: 7, title: "after", author: Author(name: "Ann"))])
        }
    }

    @Test func updatesByOwnMappingBesideErrorDescriptors() async throws {
        let answer = LoopbackResponse.json(#"{"title": "after"}"#)
        try await LoopbackServer.run({ _ in answer }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(
                ResponseDescriptor(ErrorMessage.self, keyPath: "errors", statusCodes: .error))
            let article = Article(id: 7, title: "before", author: Author(name: "Ann"))
            let request = ObjectRequest<MappingResult>(.put, at: "articles/7")
            let sent = try await api.send(request, updating: article).value
            #expect(sent.objects(of: Article.self).map(\.title) == ["after"])
            let result = try await api.enqueue(request, updating: article).takeValue()
            #expect(result.objects(of: Article.self).map(\.title) == ["after"])
        }
    }

    @Test func listsAndOtherTypesCreateNewObjects() async throws {
        let list = LoopbackResponse.json(#"[{"text": "a"}, {"text": "b"}]"#)
        try await send(.get, answer: list) { note, _, result in
            #expect(result.objects(of: Note.self).map(\.text) == ["a", "b"])
            #expect(note.text == "before")
        }
        let parts = LoopbackResponse.json(
            #"{"author": {"name": "Ann"}, "note": {"text": "after"}}"#)
        try await send(
            .get, answer: parts,
            descriptors: [
                ResponseDescriptor(Author.self, keyPath: "author"),
                ResponseDescriptor(Note.self, keyPath: "note"),
            ]
        ) { note, _, result in
            #expect(result.dictionary["author"] as? [Author] == [Author(name: "Ann")])
            #expect(result.objects(of: Note.self).map { $0 === note } == [true])
            #expect(note.text == "after")
        }
    }

    @Test func failureOfAnotherMatchLeavesTargetUnchanged() async throws {
        let parts = LoopbackResponse.json(#"{"note": {"text": "after"}, "refusal": {}}"#)
        let note = Note(text: "before")
        let error = try await LoopbackServer.run({ _ in parts }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(
                ResponseDescriptor(Refusal.self, keyPath: "refusal"),
                ResponseDescriptor(Note.self, keyPath: "note"))
            return await networkingError {
                _ = try await api.send(ObjectRequest(at: "notes/1"), updating: note)
            }
        }
        #expect(error?.code == .mappingFailed)
        #expect(note.text == "before")
    }
}
