// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@testable import RestNetworking

@Suite(.tags(.socket, .concurrency), .timeLimit(.hang))
struct OperationCancellationTests {
    /// Expects that an operation was cancelled at a stage, called its failure callback once, and has
    /// nothing else.
    private func expectCancelled<Value>(
        _ operation: ObjectRequestOperation<Value>, at stage: NetworkingError.Stage,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let calls = Log<String>()
        let called = Gate()
        called.open()
        operation.onFinish { _ in
            calls.append("success")
            await called.pass()
        } failure: { _, error in
            calls.append("\((error as? NetworkingError)?.code.description ?? "other")")
            await called.pass()
        }
        await operation.finished()
        await called.arrivals()
        let error = operation.error as? NetworkingError
        #expect(error?.code == .cancelled, sourceLocation: sourceLocation)
        #expect(error?.stage == stage, sourceLocation: sourceLocation)
        #expect(error?.url == operation.request.url.redacted, sourceLocation: sourceLocation)
        #expect(operation.state == .finished(.cancelled), sourceLocation: sourceLocation)
        #expect(operation.isCancelled, sourceLocation: sourceLocation)
        #expect(calls.elements == ["cancelled"], sourceLocation: sourceLocation)
        #expect(operation.mappingReport == nil, sourceLocation: sourceLocation)
        let thrown = await networkingError { _ = try await operation.takeValue() }
        #expect(thrown?.code == .cancelled, sourceLocation: sourceLocation)
    }

    @Test(.parity("N221")) func endsBeforeItIsEnqueued() async throws {
        try await withOperations { api, server in
            let operation = try api.operation(for: ObjectRequest<Article>(at: "a"))
            operation.cancel()
            await expectCancelled(operation, at: .assembly)
            try api.enqueue(operation)
            #expect(api.operationQueue.operationCount == 0)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(.parity("N216", "N221", "S079")) func endsInSuspendedQueue() async throws {
        try await withOperations { api, server in
            api.operationQueue.isSuspended = true
            let operation = try api.enqueue(ObjectRequest<Article>(at: "a"))
            let other = try api.enqueue(ObjectRequest<Void>(.delete, at: "b"))
            #expect(api.operationQueue.operationCount == 2)
            api.operationQueue.cancelAll()
            await expectCancelled(operation, at: .assembly)
            await expectCancelled(other, at: .assembly)
            api.operationQueue.isSuspended = false
            try await api.operationQueue.waitUntilFinished()
            #expect(api.operationQueue.operationCount == 0)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(.parity("S065", "S079")) func endsDuringTransport() async throws {
        let gate = Gate()
        try await withOperations({ _ in
            await gate.pass()
            return .json(#"{"id": 1, "title": "a"}"#)
        }) { api, _ in
            // The server answers only after the operation has ended.
            defer { gate.open() }
            let operation = try api.enqueue(ObjectRequest<Article>(at: "a"))
            await gate.arrivals()
            #expect(operation.state == .executing(.transport))
            operation.cancel()
            #expect(operation.isCancelled)
            await expectCancelled(operation, at: .transport)
            #expect(api.operationQueue.operationCount == 0)
        }
    }

    @Test(.parity("N220", "S079")) func endsInWillMapDocument() async throws {
        try await withOperations({ _ in .json(#"{"human": {"name": "My Name"}}"#, status: 201) }) {
            api, _ in
            let operation = try api.operation(
                for: ObjectRequest<Author>(.post, at: "humans", keyPath: "human"))
            let states = Log<OperationState>()
            operation.willMapDocument = { [weak target = operation.operation] document in
                if let target {
                    states.append(target.state)
                    target.cancel()
                }
                return document
            }
            try api.enqueue(operation)
            await expectCancelled(operation, at: .transport)
            #expect(states.elements == [.executing(.transport)])
        }
    }

    @Test(.parity("N217", "N221")) func endsWhileResponseWaitsToBeMapped() async throws {
        let mapping = ResponseMappingQueue()
        mapping.isSuspended = true
        try await withOperations(mapping: mapping) { api, server in
            let operation = try api.enqueue(ObjectRequest<Article>(at: "a"))
            for await state in operation.states where state == .executing(.mapping) { break }
            #expect(server.requests.count == 1)
            api.operationQueue.cancelAll()
            await expectCancelled(operation, at: .mapping)
            #expect(api.operationQueue.operationCount == 0)
            #expect(mapping.count == 0)
        }
    }

    @Test(.parity("N219", "S065")) func discardsValueWhenCancelledDuringMapping() async throws {
        try await withOperations { api, _ in
            let calls = Log<String>()
            api.register(CancellingKind(calls: calls))
            let operation = try api.enqueue(ObjectRequest<Article>(at: "a"))
            await expectCancelled(operation, at: .mapping)
            // The work succeeded, and the cancellation takes precedence.
            #expect(calls.elements == ["mapped"])
        }
    }

    /// Cancels its operation when the value exists already.
    private struct CancellingKind: OperationKind {
        let calls: Log<String>

        func response<Value>(
            of execution: OperationExecution<Value>
        ) async throws -> sending MappedResponse<Value> {
            let response = try await execution.map(execution.receive())
            calls.append("mapped")
            execution.operation.cancel()
            return response
        }
    }

    @Test func finishedOperationIgnoresCancellation() async throws {
        try await withOperations { api, _ in
            let operation = try api.enqueue(ObjectRequest<Article>(at: "a"))
            let article = try await operation.value
            operation.cancel()
            #expect(operation.state == .finished(.succeeded))
            #expect(operation.error == nil)
            #expect(try await operation.value == article)
        }
    }

    @Test func descriptionContainsNoQuery() async throws {
        try await withOperations { api, _ in
            let operation = try api.operation(
                for: ObjectRequest<Article>(at: "a?token=secret"))
            operation.cancel()
            await operation.finished()
            let error = try #require(operation.error as? NetworkingError)
            #expect(!"\(error)\(operation)\(operation.operation)".contains("secret"))
            #expect("\(operation)".contains("cancelled"))
        }
    }
}
