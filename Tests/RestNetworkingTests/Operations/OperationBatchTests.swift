// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTesting
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite(.tags(.socket), .timeLimit(.hang)) struct OperationBatchTests {
    @Test(.parity("N213", "S039")) func countsFailuresAsFinished() async throws {
        try await withOperations({
            $0.path == "/humans/fail"
                ? .json(#"{"errors": ["error1"]}"#, status: 500)
                : .json(#"{"human": {"name": "My Name"}}"#, status: 201)
        }) { api, server in
            try api.add(ResponseDescriptor(Author.self, keyPath: "human"))
            var progress: [(finished: Int, total: Int)] = []
            let operations = try await api.enqueueBatch(of: [
                ObjectRequest<MappingResult>(.get, at: "humans"),
                ObjectRequest<MappingResult>(.post, at: "humans"),
                ObjectRequest<MappingResult>(.post, at: "humans/fail"),
            ]).finished { progress.append(($0.finishedCount, $0.totalCount)) }
            #expect(progress.map(\.finished) == [1, 2, 3])
            #expect(progress.map(\.total) == [3, 3, 3])
            #expect(operations.map { $0.error == nil } == [true, true, false])
            #expect(operations.map(\.request.url.path) == ["/humans", "/humans", "/humans/fail"])
            #expect(operations.allSatisfy { $0.state.isFinished })
            #expect(server.requests.count == 3)
        }
    }

    @Test(.parity("N214", "S038")) func classRouteUpdatesEachObject() async throws {
        try await withOperations({ _ in .json(#"{"title": "made"}"#, status: 201) }) {
            api, server in
            try api.add(Route(Article.self, "articles/:id/revisions", methods: .post))
            let articles = (1...3).map { Article(id: $0, title: "draft", tags: ["\($0)"]) }
            var counts: [Int] = []
            let batch = try api.enqueueBatch(.post, objects: articles)
            let operations = try await batch.finished { counts.append($0.finishedCount) }
            #expect(counts == [1, 2, 3])
            #expect(operations.count == 3)
            #expect(
                Set(server.requests.map(\.target)) == [
                    "/articles/1/revisions", "/articles/2/revisions", "/articles/3/revisions",
                ])
            #expect(server.requests.allSatisfy { $0.method == "POST" && !$0.body.isEmpty })
            for (operation, article) in zip(operations, articles) {
                let result = try await operation.takeValue()
                // The response has neither id nor tags: they are those of the target.
                let expected = Article(id: article.id, title: "made", tags: article.tags)
                #expect(result.objects(of: Article.self) == [expected])
            }
        }
    }

    @Test(.parity("S038")) func otherRoutesHaveNoTarget() async throws {
        try await withOperations({ _ in .json(#"{"id": 9, "title": "other"}"#) }) { api, server in
            try api.add(ResponseDescriptor(Article.self))
            try api.add(
                Route(named: "similar", "articles/:id/similar"),
                Route(relationship: "original", of: Article.self, "articles/:id/original"))
            let articles = (1...2).map { Article(id: $0, title: "a", tags: ["t"]) }
            let batches = [
                try api.enqueueBatch(objects: articles, at: .route(named: "similar")),
                try api.enqueueBatch(.get, objects: articles, at: .relationship("original")),
            ]
            for batch in batches {
                for operation in try await batch.finished() {
                    let result = try await operation.takeValue()
                    #expect(result.objects(of: Article.self) == [Article(id: 9, title: "other")])
                }
            }
            #expect(
                Set(server.requests.map(\.target)) == [
                    "/articles/1/similar", "/articles/2/similar", "/articles/1/original",
                    "/articles/2/original",
                ])
        }
    }

    @Test(.parity("S009", "S010")) func metadataOfBatchesIsThatOfRequests() async throws {
        try await withOperations({ _ in .json(#"{"id": 9}"#) }) { api, _ in
            try api.add(
                Route(Article.self, "articles/:id", methods: .put),
                Route(named: "similar", "articles/:id/similar"),
                Route(relationship: "original", of: Article.self, "articles/:id/original"))
            try api.add(
                ResponseDescriptor(
                    ObjectMapping(
                        for: RequestTrace.self,
                        ["@metadata.routing": "routing", "@metadata.query": "query"])))
            let articles = (3...4).map { Article(id: $0, title: "a") }
            let batches = [
                try api.enqueueBatch(.put, objects: articles),
                try api.enqueueBatch(objects: articles, at: .route(named: "similar")),
                try api.enqueueBatch(.get, objects: articles, at: .relationship("original")),
            ]
            let routes: [Document] = [
                ["pathPattern": "articles/:id", "method": "PUT"],
                ["name": "similar", "pathPattern": "articles/:id/similar", "method": "GET"],
                ["name": "original", "pathPattern": "articles/:id/original", "method": "GET"],
            ]
            for (index, batch) in batches.enumerated() {
                let operations = try await batch.finished()
                for (operation, article) in zip(operations, articles) {
                    let requests: [ObjectRequest<MappingResult>] = [
                        ObjectRequest(.put, at: .object, object: RequestObject(article)),
                        ObjectRequest(
                            at: .route(named: "similar"), object: RequestObject(article)),
                        ObjectRequest(at: .relationship("original", of: article)),
                    ]
                    let parameters = Document.object([("id", .number(article.id))])
                    let expected = RequestTrace(
                        routing: .object([("parameters", parameters), ("route", routes[index])]))
                    let ofBatch = try await operation.takeValue()
                    #expect(ofBatch.objects(of: RequestTrace.self) == [expected])
                    let single = try await api.send(requests[index]).value
                    #expect(single.objects(of: RequestTrace.self) == [expected])
                }
            }
        }
    }

    @Test func emptyBatchCompletesAtOnce() async throws {
        try await withOperations { api, _ in
            let requests: [ObjectRequest<Article>] = []
            let operations = try await api.enqueueBatch(of: requests).finished { _ in
                Issue.record("progress of an empty batch")
            }
            #expect(operations.isEmpty)
            for await _ in try api.enqueueBatch(of: requests) {
                Issue.record("progress of an empty batch")
            }
        }
    }

    @Test func everyIterationSeesAllProgress() async throws {
        try await withOperations { api, _ in
            let batch = try api.enqueueBatch(
                of: (0..<20).map { ObjectRequest<Article>(at: "articles/\($0)") })
            var first: [ObjectRequestOperation<Article>] = []
            for await progress in batch {
                first.append(progress.operation)
                #expect(progress.finishedCount == first.count)
                #expect(progress.totalCount == 20)
                #expect(progress.operation.state == .finished(.succeeded))
            }
            var second: [ObjectRequestOperation<Article>] = []
            for await progress in batch { second.append(progress.operation) }
            #expect(first == second)
            #expect(Set(first) == Set(batch.operations))
            #expect(first.count == 20)
        }
    }

    @Test func cancelledTaskCancelsBatch() async throws {
        let gate = Gate()
        try await withOperations({ _ in
            await gate.pass()
            return .json("{}")
        }) { api, _ in
            defer { gate.open() }
            let requests = (0..<5).map { "\($0)" }
            let task = Task {
                try await api.enqueueBatch(of: requests.map { ObjectRequest<Void>(at: $0) })
                    .finished()
            }
            await gate.arrivals(5)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(api.operationQueue.operationCount == 0)
        }
    }

    @Test func enqueuesNothingIfOneCannotBe() async throws {
        try await withOperations { api, server in
            let requests = ["a", "http://other.example/"].map { ObjectRequest<Void>(at: $0) }
            #expect(code { try api.enqueueBatch(of: requests) } == .crossOrigin)
            let operation = try api.operation(for: ObjectRequest<Void>(at: "a"))
            #expect(
                code { try api.enqueueBatch(of: [operation, operation.copy(), operation]) }
                    == .invalidRequest)
            #expect(api.operationQueue.operationCount == 0)
            #expect(server.requests.isEmpty)
            try await api.enqueueBatch(of: [operation]).finished()
            #expect(operation.state == .finished(.succeeded))
        }
    }
}

/// The metadata of a request.
private struct RequestTrace: Mapped, Equatable {
    var routing: Document?
    var query: Document?

    struct Draft: MappingDraft {
        private var trace = RequestTrace()

        init() {}

        init(editing subject: RequestTrace) { trace = subject }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: trace.routing = try source.read(Document?.self)
            case 1: trace.query = try source.read(Document?.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> RequestTrace { trace }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(routing)
        case 1: try writer.write(query)
        default: break
        }
    }

    static let properties = PropertyTable(
        RequestTrace.self,
        [
            Property("routing", \RequestTrace.routing, Document?.self),
            Property("query", \RequestTrace.query, Document?.self),
        ])
}
