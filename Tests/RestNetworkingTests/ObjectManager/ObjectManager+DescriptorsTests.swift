// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket)) struct ObjectManagerDescriptorsTests {
    @Test(
        .parity("N135", "N136"),
        arguments: ["/JSON/ComplexNestedUser.json", #"/JSON/:name\.json"#])
    func updatesTargetByDescriptorOfPath(pattern: String) async throws {
        let body = #"{"data": {"STUser": {"firstname": "Diego", "id": 7}}}"#
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            // Without a path in the base URL, patterns may begin with a slash.
            let api = try manager(at: String(server.baseURL.dropLast()))
            let mapping = ObjectMapping(for: Note.self, ["firstname": "text"])
            try api.add(ResponseDescriptor(mapping, at: pattern, keyPath: "data.STUser"))
            let user = Note(text: "before")
            let response = try await api.send(
                ObjectRequest<MappingResult>(.get, at: "/JSON/ComplexNestedUser.json"),
                updating: user)
            #expect(user.text == "Diego")
            #expect(response.value.first as? Note === user)
            #expect(response.value.count == 1)
        }
    }

    @Test func comparesRequestedPathAfterRedirect() async throws {
        let answer: @Sendable (LoopbackRequest) -> LoopbackResponse = { request in
            request.path == "/articles/1"
                ? LoopbackResponse(status: 302, headers: [("Location", "/moved/2")])
                : .json(#"{"article": {"id": 2, "title": "b"}}"#)
        }
        try await LoopbackServer.run(answer) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(Article.self, at: "articles/:id", keyPath: "article"))
            let article: Article = try await api.get("articles/1")
            #expect(article == Article(id: 2, title: "b"))
            let error = await networkingError {
                try await api.get("moved/2", as: Article.self)
            }
            #expect(error?.code == .mappingFailed)
        }
    }

    @Test(.parity("S046", "S048")) func returnsAndRemovesWhatWasAdded() throws {
        let api = try manager(at: "http://restkit.org/")
        let responses = ["a", "b", "a"].map { ResponseDescriptor(Article.self, at: $0) }
        let requests = [
            RequestDescriptor(Article.self, methods: .post),
            RequestDescriptor(Article.self, methods: .put),
        ]
        try api.add(responses)
        try api.add(requests)
        #expect(api.responseDescriptors == responses)
        #expect(api.requestDescriptors == requests)
        api.remove(ResponseDescriptor(Article.self, at: "a"))
        api.remove(RequestDescriptor(Article.self, methods: .post))
        #expect(api.responseDescriptors == [responses[1]])
        #expect(api.requestDescriptors == [requests[1]])
    }

    @Test(.parity("S047")) func addsAllDescriptorsOfArrayOrNone() throws {
        let api = try manager(at: "http://restkit.org/")
        let add: ([ResponseDescriptor]) throws(NetworkingError) -> Void = api.add
        let valid = ResponseDescriptor(Article.self, at: "a")
        #expect(
            code { try add([valid, ResponseDescriptor(Article.self, at: ":a:b")]) }
                == .invalidConfiguration)
        #expect(api.responseDescriptors.isEmpty)
        try add([valid, valid])
        #expect(api.responseDescriptors == [valid, valid])
    }
}
