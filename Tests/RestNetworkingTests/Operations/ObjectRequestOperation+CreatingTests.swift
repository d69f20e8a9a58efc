// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Operations for requests that the caller made.
@Suite(.tags(.socket), .timeLimit(.hang)) struct OperationCreationTests {
    /// Runs a server, and passes an operation without a manager and one of a manager for the same
    /// request, neither of which is enqueued.
    private func withBoth(
        _ descriptors: [ResponseDescriptor], answer: LoopbackResponse,
        _ work: (
            [ObjectRequestOperation<MappingResult>], ObjectRequestQueue, LoopbackServer
        ) async throws -> Void
    ) async throws {
        try await LoopbackServer.run({ _ in answer }) { server in
            let client = try HTTPClient(baseURL: server.baseURL, transport: CurlTransport())
            var request = TransportRequest(
                method: .post, url: try HTTPURL(parsing: server.baseURL + "articles?draft=1"))
            request.headerFields[.contentType] = "application/json"
            let body = try RequestDescriptor(Article.self).parameters(
                of: Article(id: 1, title: "posted"))
            request.body = .bytes(JSONWriter.compact.bytes(of: body))
            let api = ObjectManager(client: client)
            try api.add(descriptors)
            let operations = [
                try ObjectRequestOperation(
                    request, responseDescriptors: descriptors, client: client),
                api.operation(for: request),
            ]
            #expect(server.requests.isEmpty)
            try await work(operations, ObjectRequestQueue(), server)
        }
    }

    @Test(.parity("S078")) func mapsResponseWithoutManager() async throws {
        let other = ResponseDescriptor(Author.self, at: "authors")
        let article = ResponseDescriptor(Article.self, at: "articles", keyPath: "made")
        let answer = LoopbackResponse.json(#"{"made": {"id": 7, "title": "made"}}"#, status: 201)
        try await withBoth([other, article], answer: answer) { operations, queue, server in
            for operation in operations {
                #expect(operation.state == .ready)
                #expect(operation.responseDescriptors == [article])
                #expect(operation.kind is DefaultOperationKind)
                try queue.enqueue(operation.operation)
                let response = try await operation.takeResponse()
                #expect(response.head.status == .created)
                #expect(response.report.objectCount == 1)
                #expect(
                    response.value.dictionary["made"] as? [Article]
                        == [Article(id: 7, title: "made")])
                #expect(operation.state == .finished(.succeeded))
                #expect(operation.error == nil)
            }
            // The request is sent as it is.
            for received in server.requests {
                #expect(received.method == "POST")
                #expect(received.target == "/articles?draft=1")
                #expect(
                    String(decoding: received.body, as: UTF8.self)
                        == #"{"id":1,"title":"posted","tags":[]}"#)
            }
            #expect(server.requests.count == 2)
        }
    }

    @Test(.parity("S078")) func failsWithoutManagerAsWithOne() async throws {
        let answer = LoopbackResponse.json(#"{"message": "no"}"#, status: 422)
        let refusal = ResponseDescriptor(Refusal.self, statusCodes: .error)
        try await withBoth([refusal], answer: answer) { operations, queue, _ in
            for operation in operations {
                try queue.enqueue(operation.operation)
                await operation.finished()
                let error = try #require(operation.error as? NetworkingError)
                #expect(error.code == .errorResponse)
                #expect(error.mappedErrors as? [Refusal] == [Refusal(message: "no")])
                #expect(operation.response?.status.code == 422)
            }
        }
    }

    @Test(.parity("S078")) func updatesTargetWithoutManager() async throws {
        let descriptor = ResponseDescriptor(Article.self)
        let answer = LoopbackResponse.json(#"{"title": "changed"}"#)
        try await withBoth([descriptor], answer: answer) { operations, queue, _ in
            for operation in operations {
                let copy = try operation.copy(updating: Article(id: 1, title: "a", tags: ["t"]))
                try queue.enqueue(copy.operation)
                let result = try await copy.takeValue()
                #expect(
                    result.objects(of: Article.self)
                        == [Article(id: 1, title: "changed", tags: ["t"])])
            }
        }
    }

    @Test(.parity("S078")) func rejectsInvalidDescriptor() throws {
        let client = try HTTPClient(baseURL: "http://127.0.0.1:1/", transport: CurlTransport())
        let request = TransportRequest(
            method: .get, url: try HTTPURL(parsing: "http://127.0.0.1:1/a"))
        let invalid = ResponseDescriptor(ObjectMapping(for: Article.self, ["id": "nmae"]))
        #expect(
            code {
                try ObjectRequestOperation(
                    request, responseDescriptors: [invalid], client: client)
            } == .invalidConfiguration)
    }
}
