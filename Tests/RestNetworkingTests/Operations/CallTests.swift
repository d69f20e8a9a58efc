// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestMapping
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@testable import RestNetworking

/// A call of an object manager, by its name.
struct ManagerCall: Sendable, CustomTestStringConvertible {
    let name: String
    let method: HTTPRequest.Method
    let perform: @Sendable (ObjectManager) async throws -> Void

    var testDescription: String { name }

    init(
        _ name: String, _ method: HTTPRequest.Method = .get,
        _ perform: @escaping @Sendable (ObjectManager) async throws -> Void
    ) {
        self.name = name
        self.method = method
        self.perform = perform
    }

    /// One call of each kind, all to the path `articles`.
    static let all: [ManagerCall] = [
        ManagerCall("get") { let _: Article = try await $0.get("articles") },
        ManagerCall("get a list") { _ = try await $0.getObjects(Article.self, at: "articles") },
        ManagerCall("get a result") { _ = try await $0.getObjects(at: "articles") },
        ManagerCall("head", .head) { _ = try await $0.head("articles") },
        ManagerCall("post", .post) { let _: Article = try await $0.post("articles") },
        ManagerCall("put", .put) { try await $0.put(Author(name: "Ann"), at: "articles") },
        ManagerCall("patch", .patch) { try await $0.patch("articles", parameters: ["a": 1]) },
        ManagerCall("patch changes", .patch) {
            _ = try await $0.patch(
                Author(name: "Ann"), changesSince: Author(name: "Bo"), at: "articles")
        },
        ManagerCall("delete", .delete) { try await $0.delete("articles") },
        ManagerCall("send") { _ = try await $0.send(ObjectRequest<Article>(at: "articles")) },
        ManagerCall("update") {
            _ = try await $0.send(
                ObjectRequest<MappingResult>(at: "articles"), updating: Author(name: "Ann"))
        },
        ManagerCall("response") {
            _ = try await $0.response(to: try $0.request(.get, at: "articles"))
        },
        ManagerCall("pages") {
            for try await _ in $0.pages(of: Article.self, at: "articles", by: .linkHeader) {}
        },
        ManagerCall("paginator") {
            $0.configure { $0.paginationMapping = ObjectMapping(for: PaginationState.self) {} }
            let paginator = try $0.paginator(of: Article.self, pathPattern: "articles")
            try await paginator.loadPage(1)
        },
        ManagerCall("download") {
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            _ = try await $0.download("articles", to: file.path)
        },
    ]
}

extension ManagerCall {
    /// One call of each kind that configures its request, with a high priority.
    static let prioritized: [ManagerCall] = [
        ManagerCall("get") { let _: Article = try await $0.get("a") { $0.priority = .high } },
        ManagerCall("get a list") {
            _ = try await $0.getObjects(Article.self, at: "a") { $0.priority = .high }
        },
        ManagerCall("get an object") {
            try $0.add(Route(Author.self, "a"))
            _ = try await $0.get(Author(name: "Ann")) { $0.priority = .high }
        },
        ManagerCall("head", .head) { _ = try await $0.head("a") { $0.priority = .high } },
        ManagerCall("post", .post) {
            let _: Article = try await $0.post("a") { $0.priority = .high }
        },
        ManagerCall("put", .put) {
            try await $0.put(Author(name: "Ann"), at: "a") { $0.priority = .high }
        },
        ManagerCall("patch changes", .patch) {
            _ = try await $0.patch(
                Author(name: "Ann"), changesSince: Author(name: "Bo"), at: "a"
            ) { $0.priority = .high }
        },
        ManagerCall("pages") {
            let pages = $0.pages(of: Article.self, at: "a", by: .linkHeader) { $0.priority = .high }
            for try await _ in pages {}
        },
    ]
}

@Suite(.tags(.socket, .concurrency), .timeLimit(.hang))
struct CallTests {
    private static let article = LoopbackResponse.json(#"{"id": 1, "title": "a", "name": "b"}"#)

    /// Returns the error of a call.
    private func failure(of call: () async throws -> Void) async -> (any Error)? {
        do {
            try await call()
            return nil
        } catch {
            return error
        }
    }

    /// Waits until the queue of a manager has a number of operations.
    private func operations(_ count: Int, of api: ObjectManager) async -> [RequestOperation] {
        while api.operationQueue.operationCount < count { await Task.yield() }
        return api.operationQueue.operations
    }

    @Test(.parity("S040", "S012"), arguments: ManagerCall.all)
    func callIsOperation(_ call: ManagerCall) async throws {
        let gate = Gate()
        try await withOperations({ _ in
            await gate.pass()
            return Self.article
        }) { api, _ in
            let enqueued = Log<String>()
            api.register(Enqueued(paths: enqueued))
            let task = Task { await failure { try await call.perform(api) } }
            await gate.arrivals()
            let operations = try api.operations(
                methods: MethodSet([call.method]), matching: "articles")
            #expect(operations.map(\.state) == [.executing(.transport)])
            #expect(operations.first?.kind is Enqueued)
            #expect(enqueued.elements == ["/articles"])
            try api.cancelAll(methods: MethodSet([call.method]), matching: "articles")
            // The server answers only after the call has ended.
            #expect(code(of: await task.value) == .cancelled)
            #expect(api.operationQueue.operationCount == 0)
            gate.open()
        }
    }

    @Test(.parity("S040"), arguments: ManagerCall.all)
    func callWaitsInSuspendedQueue(_ call: ManagerCall) async throws {
        try await withOperations({ _ in Self.article }) { api, server in
            try api.add(ResponseDescriptor(Article.self, at: "articles"))
            api.operationQueue.isSuspended = true
            let task = Task { await failure { try await call.perform(api) } }
            let operations = await operations(1, of: api)
            #expect(operations.map(\.state) == [.ready])
            #expect(server.requests.isEmpty)
            api.operationQueue.isSuspended = false
            let error = await task.value
            #expect(error == nil)
            #expect(server.requests.map(\.method) == [call.method.rawValue])
        }
    }

    @Test(.parity("S040"), arguments: ManagerCall.all)
    func callWaitsForItsTurn(_ call: ManagerCall) async throws {
        let gate = Gate()
        try await withOperations({ request in
            if request.path == "/first" { await gate.pass() }
            return Self.article
        }) { api, server in
            try api.add(ResponseDescriptor(Article.self))
            api.operationQueue.maximumConcurrentOperationCount = 1
            let first = Task { await failure { let _: Article = try await api.get("first") } }
            await gate.arrivals()
            let task = Task { await failure { try await call.perform(api) } }
            #expect(await operations(2, of: api).last?.state == .ready)
            #expect(server.requests.map(\.path) == ["/first"])
            gate.open()
            #expect(await first.value == nil)
            #expect(await task.value == nil)
            #expect(server.requests.map(\.path) == ["/first", "/articles"])
        }
    }

    /// A transport that notes the paths of its requests.
    private final class NotingTransport: HTTPTransport {
        let transport: any HTTPTransport
        let paths = Log<String>()

        init(_ transport: any HTTPTransport) { self.transport = transport }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            paths.append(request.url.path)
            return try await transport.send(request)
        }
    }

    @Test(.parity("S040", "S013"), arguments: ManagerCall.all)
    func callUsesTransportAndIsObserved(_ call: ManagerCall) async throws {
        try await withOperations({ _ in Self.article }) { api, _ in
            try api.add(ResponseDescriptor(Article.self, at: "articles"))
            let transport = NotingTransport(api.client.transport)
            api.register(transport)
            var finished = api.operationQueue.finishedOperations.makeAsyncIterator()
            let error = await failure { try await call.perform(api) }
            #expect(error == nil)
            #expect(transport.paths.elements == ["/articles"])
            let operation = try #require(await finished.next())
            #expect(operation.request.method == call.method)
            #expect(operation.state == .finished(.succeeded))
        }
    }

    @Test(.parity("S040"), arguments: ManagerCall.prioritized)
    func callHasPriorityOfItsRequest(_ call: ManagerCall) async throws {
        try await withOperations({ _ in Self.article }) { api, _ in
            api.operationQueue.isSuspended = true
            let task = Task { await failure { try await call.perform(api) } }
            let operations = await operations(1, of: api)
            #expect(operations.map(\.priority) == [.high])
            api.operationQueue.isSuspended = false
            #expect(await task.value == nil)
        }
    }

    /// Notes the paths of operations.
    private struct Enqueued: OperationKind {
        let paths: Log<String>

        func willEnqueue(_ operation: RequestOperation) {
            paths.append(operation.request.url.path)
        }
    }

    @Test(.parity("S012", "S040")) func registeredKindPerformsCall() async throws {
        try await withOperations({ _ in Self.article }) { api, server in
            api.register(Replaced())
            let article: Article = try await api.get("articles")
            #expect(article.title == "a")
            _ = try await api.getObjects(Article.self, at: "articles")
            for try await _ in api.pages(of: Article.self, at: "articles", by: .linkHeader) {}
            #expect(server.requests.map { $0.headers["user-agent"] } == ["kind", "kind", "kind"])
        }
    }

    /// Sends requests with a field of its own.
    private struct Replaced: OperationKind {
        func response<Value>(
            of execution: OperationExecution<Value>
        ) async throws -> sending MappedResponse<Value> {
            var request = execution.request
            request.headerFields[.userAgent] = "kind"
            return try await execution.map(execution.receive(request))
        }
    }

    @Test func queueLimitsCalls() async throws {
        let concurrency = Concurrency()
        try await withOperations({ _ in
            concurrency.enter()
            defer { concurrency.leave() }
            await Task.yield()
            return Self.article
        }) { api, server in
            api.operationQueue.maximumConcurrentOperationCount = 2
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 {
                    group.addTask { let _: Article = try await api.get("articles") }
                }
                try await group.waitForAll()
            }
            #expect(server.requests.count == 12)
            #expect(concurrency.maximum <= 2)
        }
    }

    @Test func priorityOrdersWaitingCalls() async throws {
        let gate = Gate()
        try await withOperations({ _ in
            await gate.pass()
            return Self.article
        }) { api, server in
            api.operationQueue.maximumConcurrentOperationCount = 1
            try await withThrowingTaskGroup(of: Void.self) { group in
                let calls: [(String, RequestPriority)] = [
                    ("first", .normal), ("low", .low), ("high", .high),
                ]
                for (index, (path, priority)) in calls.enumerated() {
                    group.addTask {
                        let _: Article = try await api.get(path) { $0.priority = priority }
                    }
                    _ = await operations(index + 1, of: api)
                }
                await gate.arrivals()
                gate.open()
                try await group.waitForAll()
            }
            #expect(server.requests.map(\.path) == ["/first", "/high", "/low"])
        }
    }

    @Test func mappingOfCallsIsConcurrent() async throws {
        let mapping = ResponseMappingQueue()
        mapping.isSuspended = true
        try await withOperations(mapping: mapping, { _ in Self.article }) { api, _ in
            let article: Article = try await api.get("articles")
            #expect(article.id == 1)
        }
    }

    @Test func cancelledTaskCancelsWaitingCall() async throws {
        try await withOperations({ _ in Self.article }) { api, server in
            api.operationQueue.isSuspended = true
            let task = Task { await failure { let _: Article = try await api.get("articles") } }
            let operation = try #require(await operations(1, of: api).first)
            task.cancel()
            #expect(await task.value is CancellationError)
            #expect(operation.state == .finished(.cancelled))
            #expect(api.operationQueue.operationCount == 0)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func callOfCancelledTaskSendsNothing() async throws {
        try await withOperations({ _ in Self.article }) { api, server in
            let task = Task {
                unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
                return await failure { let _: Article = try await api.get("articles") }
            }
            #expect(await task.value is CancellationError)
            #expect(server.requests.isEmpty)
            #expect(api.operationQueue.operationCount == 0)
        }
    }

    @Test func cancelledTaskCancelsExecutingCall() async throws {
        let gate = Gate()
        try await withOperations({ _ in
            await gate.pass()
            return Self.article
        }) { api, _ in
            defer { gate.open() }
            let task = Task { await failure { let _: Article = try await api.get("articles") } }
            await gate.arrivals()
            let operation = try #require(api.operationQueue.operations.first)
            task.cancel()
            #expect(await task.value is CancellationError)
            #expect(operation.state == .finished(.cancelled))
        }
    }

    @Test func cancelledOperationLeavesTaskAlone() async throws {
        let gate = Gate()
        try await withOperations({ _ in
            await gate.pass()
            return Self.article
        }) { api, _ in
            let task = Task {
                let first = await failure { let _: Article = try await api.get("articles") }
                let second = await failure { let _: Article = try await api.get("articles") }
                return (first, second, Task.isCancelled)
            }
            await gate.arrivals()
            api.operationQueue.cancelAll()
            gate.open()
            let (first, second, isCancelled) = await task.value
            #expect(code(of: first) == .cancelled)
            #expect(second == nil)
            #expect(!isCancelled)
        }
    }

    /// Requests a token by the same manager before each other request.
    private struct Tokens: HTTPInterceptor {
        let api: ObjectManager
        let seen: Log<String>

        func send(
            _ request: TransportRequest, through next: InterceptorChain
        ) async throws -> TransportResponse {
            if request.url.path != "/token" {
                let token: Document = try await api.get("token")
                seen.append(token.root["title"]?.string ?? "")
            }
            return try await next.send(request)
        }
    }

    @Test(arguments: [false, true]) func callWithinCallNeedsNoSlot(isSuspended: Bool) async throws {
        try await withOperations({ _ in Self.article }) { api, server in
            let queue = api.operationQueue
            queue.maximumConcurrentOperationCount = 1
            let seen = Log<String>()
            api.configure { $0.client.interceptors = [Tokens(api: api, seen: seen)] }
            defer { api.configure { $0.client.interceptors = [] } }
            if isSuspended {
                api.register(Suspending(queue: queue))
            }
            let article: Article = try await api.get("articles")
            #expect(article.id == 1)
            #expect(seen.elements == ["a"])
            #expect(server.requests.map(\.path) == ["/token", "/articles"])
            #expect(queue.operationCount == 0)
        }
    }

    /// Suspends the queue as soon as an operation executes.
    private struct Suspending: OperationKind {
        let queue: ObjectRequestQueue

        func response<Value>(
            of execution: OperationExecution<Value>
        ) async throws -> sending MappedResponse<Value> {
            queue.isSuspended = true
            return try await execution.map(execution.receive())
        }
    }

    @Test func callWithinEnqueuedOperationNeedsNoSlot() async throws {
        try await withOperations({ _ in Self.article }) { api, _ in
            api.operationQueue.maximumConcurrentOperationCount = 1
            let seen = Log<String>()
            api.configure { $0.client.interceptors = [Tokens(api: api, seen: seen)] }
            defer { api.configure { $0.client.interceptors = [] } }
            let operation = try api.enqueue(ObjectRequest<Article>(at: "articles"))
            #expect(try await operation.value.id == 1)
            #expect(seen.elements == ["a"])
        }
    }

    @TaskLocal private static var trace = "none"

    /// Notes the task-local value.
    private struct Traces: HTTPInterceptor {
        let seen: Log<String>

        func send(
            _ request: TransportRequest, through next: InterceptorChain
        ) async throws -> TransportResponse {
            seen.append(CallTests.trace)
            return try await next.send(request)
        }
    }

    @Test func callKeepsTaskLocalValues() async throws {
        try await withOperations({ _ in Self.article }) { api, _ in
            let seen = Log<String>()
            api.configure { $0.client.interceptors = [Traces(seen: seen)] }
            api.operationQueue.isSuspended = true
            let task = Task {
                try await Self.$trace.withValue("mine") { let _: Article = try await api.get("a") }
            }
            _ = await operations(1, of: api)
            // Starts the call from a task with another value.
            Self.$trace.withValue("other") { api.operationQueue.isSuspended = false }
            try await task.value
            #expect(seen.elements == ["mine"])
        }
    }

    @Test @MainActor func callsOfActorRunConcurrently() async throws {
        let gate = Gate()
        try await withOperations({ _ in
            await gate.pass()
            return Self.article
        }) { api, _ in
            async let first: Article = api.get("articles")
            async let second: Article = api.get("articles")
            await gate.arrivals(2)
            gate.open()
            let ids = try await [first.id, second.id]
            #expect(ids == [1, 1])
        }
    }

    @Test func finishedCallsAreObserved() async throws {
        try await withOperations({ _ in Self.article }) { api, _ in
            var finished = api.operationQueue.finishedOperations.makeAsyncIterator()
            let _: Article = try await api.get("articles")
            let operation = try #require(await finished.next())
            #expect(operation.request.url.path == "/articles")
            #expect(operation.state == .finished(.succeeded))
            #expect(operation.response?.status == .ok)
            #expect(operation.mappingReport?.objectCount == 1)
        }
    }
}
