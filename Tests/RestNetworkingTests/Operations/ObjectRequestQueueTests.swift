// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTesting
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite(.tags(.socket, .concurrency), .timeLimit(.hang)) struct ObjectRequestQueueTests {
    @Test(arguments: [1, 4]) func neverExceedsItsLimit(limit: Int) async throws {
        let concurrency = Concurrency()
        try await withOperations({ _ in
            concurrency.enter()
            await Task.yield()
            concurrency.leave()
            return .json("{}")
        }) { api, server in
            api.operationQueue.maximumConcurrentOperationCount = limit
            for number in 0..<50 { try api.enqueue(ObjectRequest<Void>(at: "\(number)")) }
            try await api.operationQueue.waitUntilFinished()
            #expect(server.requests.count == 50)
            #expect(concurrency.maximum <= limit)
        }
    }

    @Test func reachesItsLimit() async throws {
        let gate = Gate()
        try await withOperations({ _ in
            await gate.pass()
            return .json("{}")
        }) { api, server in
            defer { gate.open() }
            api.operationQueue.maximumConcurrentOperationCount = 3
            let operations = try (0..<5).map { try api.enqueue(ObjectRequest<Void>(at: "\($0)")) }
            await gate.arrivals(3)
            #expect(operations.map(\.state.isExecuting) == [true, true, true, false, false])
            api.operationQueue.maximumConcurrentOperationCount = 4
            await gate.arrivals(4)
            #expect(operations.map(\.state).suffix(1) == [.ready])
            gate.open()
            try await api.operationQueue.waitUntilFinished()
            #expect(server.requests.count == 5)
        }
    }

    @Test func startsByPriorityThenByAge() async throws {
        try await withOperations({ _ in .json("{}") }) { api, server in
            let queue = api.operationQueue
            queue.maximumConcurrentOperationCount = 1
            queue.isSuspended = true
            var operations: [String: ObjectRequestOperation<Void>] = [:]
            for (path, priority) in [
                ("a", RequestPriority.normal), ("b", .low), ("c", .high), ("d", .normal),
                ("e", .veryHigh), ("f", .veryLow), ("g", .high), ("h", .normal),
            ] {
                var request = ObjectRequest<Void>(at: path)
                request.priority = priority
                operations[path] = try api.enqueue(request)
            }
            operations["h"]?.priority = .veryHigh
            operations["c"]?.priority = .veryLow
            #expect(operations["h"]?.priority == .veryHigh)
            queue.isSuspended = false
            try await queue.waitUntilFinished()
            let paths = server.requests.map { $0.path.dropFirst() }
            #expect(paths == ["e", "h", "g", "a", "d", "b", "c", "f"])
        }
    }

    @Test(.parity("S064")) func mapsByPriorityOfOperation() async throws {
        let mapping = ResponseMappingQueue()
        mapping.isSuspended = true
        try await withOperations(mapping: mapping) { api, _ in
            let mapped = Log<String>()
            api.register(RecordingKind(mapped: mapped))
            for (count, (path, priority)) in [
                ("a", RequestPriority.normal), ("b", .veryLow), ("c", .high),
            ].enumerated() {
                var request = ObjectRequest<Article>(at: path)
                request.priority = priority
                try api.enqueue(request)
                // The order of arrival in the mapping queue is that of the loop.
                while mapping.count <= count { await Task.yield() }
            }
            mapping.isSuspended = false
            try await api.operationQueue.waitUntilFinished()
            #expect(
                mapped.elements == [
                    "/c \(TaskPriority.high)", "/a \(TaskPriority.medium)",
                    "/b \(TaskPriority.background)",
                ])
        }
    }

    /// Records the paths of the responses and the priorities of the tasks that map them.
    private struct RecordingKind: OperationKind {
        let mapped: Log<String>

        func willMap(_ response: ObjectResponse, of operation: RequestOperation) {
            let priority = Task.basePriority ?? .medium
            mapped.append("\(response.url.path) \(priority)")
        }
    }

    @Test(.parity("S077")) func mapsOneResponseAtTimeByDefault() async throws {
        try await withOperations(mapping: .shared) { api, _ in
            let kind = OverlapKind()
            api.register(kind)
            for number in 0..<50 { try api.enqueue(ObjectRequest<Article>(at: "\(number)")) }
            try await api.operationQueue.waitUntilFinished()
            #expect(kind.concurrency.maximum == 1)
            #expect(ObjectRequestQueue().mappingQueue === ResponseMappingQueue.shared)
        }
    }

    /// Counts the responses that are at the same point of their mapping.
    private struct OverlapKind: OperationKind {
        let concurrency = Concurrency()

        func willMap(_ response: ObjectResponse, of operation: RequestOperation) {
            concurrency.enter()
            // Long enough for another mapping to arrive.
            Thread.sleep(forTimeInterval: 0.0005)
            concurrency.leave()
        }
    }

    @Test(.parity("N216")) func suspendedQueueStartsNothing() async throws {
        try await withOperations({ _ in .json("{}") }) { api, server in
            let queue = api.operationQueue
            queue.isSuspended = true
            let operation = try api.enqueue(ObjectRequest<Void>(at: "a"))
            #expect(operation.state == .ready)
            #expect(queue.operations == [operation.operation])
            queue.isSuspended = false
            try await operation.value
            #expect(server.requests.count == 1)
        }
    }

    @Test func reportsOperationsInOrderOfTheirEnd() async throws {
        try await withOperations({ .json("{}", status: $0.path == "/1" ? 500 : 200) }) { api, _ in
            let queue = api.operationQueue
            queue.maximumConcurrentOperationCount = 1
            queue.isSuspended = true
            let finished = queue.finishedOperations
            let operations = try (0..<4).map { try api.enqueue(ObjectRequest<Void>(at: "\($0)")) }
            operations[3].cancel()
            queue.isSuspended = false
            var seen: [RequestOperation] = []
            for await operation in finished {
                #expect(operation.state.isFinished)
                seen.append(operation)
                if seen.count == 4 { break }
            }
            #expect(seen == [3, 0, 1, 2].map { operations[$0].operation })
        }
    }

    @Test func waitingEndsWithItsTask() async throws {
        try await withOperations { api, _ in
            let queue = api.operationQueue
            try await queue.waitUntilFinished()
            queue.isSuspended = true
            let operation = try api.enqueue(ObjectRequest<Void>(at: "a"))
            let task = Task { try await queue.waitUntilFinished() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(operation.state == .ready)
            operation.cancel()
        }
    }

    @Test func lateDependencyKeepsOperationFromStarting() async throws {
        try await withOperations({ _ in .json("{}") }) { api, server in
            let queue = api.operationQueue
            queue.isSuspended = true
            let first = try api.enqueue(ObjectRequest<Void>(at: "first"))
            let second = try api.enqueue(ObjectRequest<Void>(at: "second"))
            try first.addDependency(second)
            #expect(first.state == .pending)
            queue.isSuspended = false
            try await queue.waitUntilFinished()
            #expect(server.requests.map(\.path) == ["/second", "/first"])
            #expect(
                code { try first.addDependency(first.copy()) }
                    == .invalidRequest)
        }
    }
}
