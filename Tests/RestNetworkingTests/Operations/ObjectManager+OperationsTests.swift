// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTesting
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite(.tags(.socket), .timeLimit(.hang)) struct ObjectManagerOperationsTests {
    /// Enqueues requests that the server does not answer before the closure has returned.
    private func withUnanswered(
        _ requests: [(HTTPRequest.Method, String)], at base: String = "",
        body: (ObjectManager, [ObjectRequestOperation<Void>]) async throws -> Void
    ) async throws {
        let gate = Gate()
        try await withOperations(
            at: base,
            { _ in
                await gate.pass()
                return LoopbackResponse(status: 204)
            }
        ) { api, _ in
            defer { gate.open() }
            let operations = try requests.map { method, path in
                try api.enqueue(ObjectRequest<Void>(method, at: path))
            }
            await gate.arrivals(requests.count)
            try await body(api, operations)
        }
    }

    @Test(
        .parity("N200", "N201", "N202", "N203", "S036"),
        arguments: [
            ("/object_manager/cancel", MethodSet.get, "/object_manager/cancel", true),
            ("/object_manager/1234/cancel", .get, "/object_manager/:objectID/cancel", true),
            ("/object_manager/cancel", .post, "/object_manager/cancel", false),
            ("/object_manager/cancel", .get, "/wrong", false),
            ("/object_manager/cancel", .any, "/object_manager/cancel", true),
            ("/object_manager/cancel", .any, "/wrong", false),
            // Written without the slash, which the base URL ends with.
            ("object_manager/cancel", .get, "object_manager/cancel", true),
        ])
    func cancelsByMethodAndPath(
        path: String, methods: MethodSet, pattern: String, isCancelled: Bool
    ) async throws {
        try await withUnanswered([(.get, path)]) { api, operations in
            let cancelled = try api.cancelAll(methods: methods, matching: pattern)
            #expect(cancelled == (isCancelled ? [operations[0].operation] : []))
            #expect(operations[0].isCancelled == isCancelled)
            if isCancelled {
                await operations[0].finished()
                #expect(code(of: operations[0].error) == .cancelled)
                #expect(api.operationQueue.operationCount == 0)
            }
        }
    }

    @Test(.parity("N204", "N211", "S037")) func matchesPathsRelativeToBaseURL() async throws {
        try await withOperations(at: "object_manager/") { api, server in
            api.operationQueue.isSuspended = true
            let operation = try api.enqueue(
                ObjectRequest<Void>(at: server.baseURL + "object_manager/1234/cancel"))
            #expect(try api.operations(methods: .get, matching: ":objectID/cancel").count == 1)
            try api.cancelAll(methods: .get, matching: ":objectID/cancel")
            #expect(operation.isCancelled)
        }
    }

    @Test(.parity("N205")) func cancelsMultipartRequest() async throws {
        let gate = Gate()
        try await withOperations(
            at: "object_manager/",
            { _ in
                await gate.pass()
                return LoopbackResponse(status: 404)
            }
        ) { api, server in
            defer { gate.open() }
            var request = ObjectRequest<Void>(.post, at: "path")
            request.form = { form in try form.addField("value", named: "name") }
            let operation = try api.enqueue(request)
            await gate.arrivals()
            let type = server.requests.first?.headers["content-type"]
            #expect(type?.hasPrefix("multipart/form-data") == true)
            try api.cancelAll(methods: .post, matching: "path")
            #expect(operation.isCancelled)
        }
    }

    @Test(
        .parity("N206", "N208", "N209", "N210", "S037"),
        arguments: [
            ("/object_manager/cancel", MethodSet.get, "/object_manager/cancel", 1),
            ("/object_manager/1234/cancel", .get, "/object_manager/:objectID/cancel", 1),
            ("/object_manager/cancel", .post, "/object_manager/cancel", 0),
            ("/object_manager/cancel", .get, "/wrong", 0),
            ("/object_manager/cancel?q=1", .get, "/object_manager/cancel", 1),
        ])
    func listsByMethodAndPath(
        path: String, methods: MethodSet, pattern: String, count: Int
    ) async throws {
        try await withUnanswered([(.get, path)]) { api, operations in
            let found = try api.operations(methods: methods, matching: pattern)
            #expect(found == operations.prefix(count).map(\.operation))
            #expect(operations[0].state == .executing(.transport))
        }
    }

    @Test(.parity("N207")) func listsCopies() async throws {
        try await withUnanswered([(.get, "/object_manager/cancel")]) { api, operations in
            let copies = [operations[0].copy(), operations[0].copy()]
            for copy in copies { try api.enqueue(copy) }
            let found = try api.operations(methods: .get, matching: "/object_manager/cancel")
            #expect(found == (operations + copies).map(\.operation))
        }
    }

    @Test(.parity("N212")) func listsSeveralMethods() async throws {
        let requests: [(HTTPRequest.Method, String)] = [
            (.get, "/a"), (.post, "/a"), (.delete, "/a"),
        ]
        try await withUnanswered(requests) { api, operations in
            let found = try api.operations(methods: [.get, .post], matching: "/a")
            #expect(found == operations.prefix(2).map(\.operation))
            #expect(try api.operations().count == 3)
            #expect(try api.operations(methods: .delete) == [operations[2].operation])
        }
    }

    @Test(.parity("S037")) func urlOutsideBaseNeverMatches() async throws {
        try await withUnanswered([(.get, "/elsewhere")], at: "v1/") { api, operations in
            for pattern in ["elsewhere", "/elsewhere", ":any"] {
                let found = try api.operations(matching: pattern)
                #expect(found.isEmpty)
            }
            let all = try api.operations()
            #expect(all == operations.map(\.operation))
        }
    }

    @Test func throwsForInvalidPattern() async throws {
        try await withUnanswered([(.get, "/a")]) { api, operations in
            #expect(
                code { try api.cancelAll(matching: "articles/:a:b") } == .invalidConfiguration)
            #expect(!operations[0].isCancelled)
        }
    }

    @Test(.parity("N184", "N185")) func carriesDescriptorsOfMethodAndPath() async throws {
        try await withOperations { api, _ in
            let coordinate = ResponseDescriptor(Article.self, at: "coordinate", methods: [.post])
            let address = ResponseDescriptor(Author.self, at: "address", methods: [.get])
            try api.add(coordinate, address)
            let author = Author(name: "Ann")
            let post = try api.operation(
                for: RequestObject(author), method: .post, at: "coordinate")
            #expect(post.responseDescriptors == [coordinate])
            #expect(post.request.method == .post)
            let get = try api.operation(method: .get, at: "address")
            #expect(get.responseDescriptors == [address])
        }
    }

    @Test(.parity("S034")) func sendsListOfObjects() async throws {
        try await withOperations { api, server in
            try api.setRequestFormat(.json)
            let authors = [Author(name: "Ann"), Author(name: "Bo")]
            let operation = try api.operation(
                for: RequestObject(authors), method: .post, at: "authors")
            try api.enqueue(operation)
            await operation.finished()
            let body = server.requests.first?.body ?? []
            #expect(String(decoding: body, as: UTF8.self) == #"[{"name":"Ann"},{"name":"Bo"}]"#)
        }
    }

    @Test(.parity("S019")) func queueIsReplaceable() async throws {
        try await withOperations { api, _ in
            let first = api.operationQueue
            first.isSuspended = true
            let operation = try api.enqueue(ObjectRequest<Article>(at: "a"))
            let second = ObjectRequestQueue()
            api.configure { $0.operationQueue = second }
            let other = try api.enqueue(ObjectRequest<Article>(at: "b"))
            _ = try await other.value
            #expect(first.operations == [operation.operation])
            #expect(second.operationCount == 0)
            #expect(try api.operations().isEmpty)
            first.isSuspended = false
            _ = try await operation.value
        }
    }
}
