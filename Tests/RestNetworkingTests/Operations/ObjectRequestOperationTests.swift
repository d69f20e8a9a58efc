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

@Suite(.tags(.socket), .timeLimit(.hang)) struct ObjectRequestOperationTests {
    private let article = Article(id: 1, title: "a")

    // MARK: Value

    @Test(.parity("S031", "S035", "S072", "S074")) func returnsValueHeadAndReport() async throws {
        try await withOperations { api, server in
            let operation = try api.operation(for: ObjectRequest<Article>(at: "articles/1"))
            #expect(operation.state == .ready)
            #expect(operation.response == nil)
            #expect(server.requests.isEmpty)
            try api.enqueue(operation)
            #expect(try await operation.value == article)
            // Again, because the value is Sendable.
            #expect(try await operation.value == article)
            #expect(operation.state == .finished(.succeeded))
            #expect(operation.error == nil)
            #expect(operation.response?.status == .ok)
            #expect(operation.mappingReport?.objectCount == 1)
            #expect(operation.request.url.text == server.baseURL + "articles/1")
            #expect(try await operation.mappedResponse.head.status == .ok)
            #expect(api.operationQueue.operationCount == 0)
        }
    }

    @Test(.parity("S072")) func keepsBytesOfBodyOnDemand() async throws {
        let body = " {\"id\": 1,\n \"title\": \"a\", \"more\": true} "
        try await withOperations({ _ in
            LoopbackResponse(
                headers: [("Content-Type", "application/json"), ("X-Sent", "1")],
                body: Array(body.utf8))
        }) { api, server in
            var request = ObjectRequest<Article>(.post, at: "articles", parameters: ["n": 1])
            let other = try api.enqueue(request)
            #expect(try await other.value == article)
            #expect(other.responseBody == nil)
            request.keepsResponseBody = true
            let operation = try api.operation(for: request)
            #expect(operation.responseBody == nil)
            try api.enqueue(operation)
            #expect(try await operation.value == article)
            #expect(operation.responseBody == Array(body.utf8))
            #expect(operation.request.url.text == server.baseURL + "articles")
            #expect(operation.request.method == .post)
            #expect(operation.response?.headerFields[HTTPField.Name("X-Sent")!] == "1")
            #expect(try await api.send(request).body == Array(body.utf8))
            #expect(try await operation.mappedResponse.body == Array(body.utf8))
            // A body that is not read has bytes as well.
            var ignoring = ObjectRequest<Void>(at: "articles")
            ignoring.keepsResponseBody = true
            #expect(try await api.send(ignoring).body == Array(body.utf8))
        }
    }

    // MARK: Targets

    @MainActor @Test func updatesObjectOfClassInPlace() async throws {
        try await withOperations({ _ in .json(#"{"text": "new"}"#) }) { @MainActor api, _ in
            let note = Note(text: "old")
            let request = ObjectRequest<MappingResult>(at: "note")
            let operation = try api.operation(for: request, updatingInPlace: note)
            let copy = operation.copy()
            try api.enqueue(operation)
            // Nobody takes a value.
            await operation.finished()
            #expect(operation.state == .finished(.succeeded))
            #expect(operation.mappingReport?.objectCount == 1)
            #expect(note.text == "new")
            note.text = "newer"
            try api.enqueue(copy)
            try await copy.value
            #expect(note.text == "new")
        }
    }

    @MainActor @Test func failedOperationLeavesObjectUnchanged() async throws {
        try await withOperations({ _ in .json(#"{"text": "new"}"#, status: 500) }) {
            @MainActor api, _ in
            let note = Note(text: "old")
            let request = ObjectRequest<MappingResult>(at: "note")
            let operation = try api.operation(for: request, updatingInPlace: note)
            try api.enqueue(operation)
            await #expect(throws: NetworkingError.self) { try await operation.value }
            #expect(note.text == "old")
        }
    }

    @concurrent private func updateOutsideOfActor(_ api: ObjectManager) async throws {
        let request = ObjectRequest<MappingResult>(at: "note")
        _ = try api.operation(for: request, updatingInPlace: Note(text: "old"))
    }

    @Test func objectOfTaskNeedsCall() async throws {
        try await withOperations { api, _ in
            let error = await networkingError { try await updateOutsideOfActor(api) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.description.contains("send(_:updating:)") == true)
        }
    }

    @Test func transfersValueThatIsNotSendableOnce() async throws {
        try await withOperations({ _ in .json(#"{"text": "a"}"#) }) { api, _ in
            let operation = try api.enqueue(ObjectRequest<Note>(at: "note"))
            let note = try await operation.takeValue()
            note.text += "b"
            #expect(note.text == "ab")
            let error = await networkingError { _ = try await operation.takeValue() }
            #expect(error?.code == .valueTaken)
        }
    }

    @Test(.parity("N258", "S040")) func sendsEveryMethod() async throws {
        try await withOperations({ .json("{}", status: $0.method == "PUT" ? 400 : 200) }) {
            api, server in
            for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] {
                let operation = try api.enqueue(ObjectRequest<Void>(method, at: "a"))
                await operation.finished()
                #expect((operation.error == nil) == (method != .put))
                #expect(operation.response?.status.code == (method == .put ? 400 : 200))
            }
            #expect(server.requests.map(\.method) == ["GET", "POST", "PUT", "PATCH", "DELETE"])
        }
    }

    @Test(.parity("S060", "S073", "S074")) func failsWithErrorOfItsStage() async throws {
        try await withOperations({ request in
            switch request.path {
            case "/status": .json("{}", status: 500)
            case "/syntax": .json("{")
            case "/mapping": .json(#"{"id": true}"#)
            default: .json(#"{"id": 1, "title": "a"}"#)
            }
        }) { api, _ in
            let expected: [(String, NetworkingError.Code?, OperationState.Outcome)] = [
                ("status", .unexpectedStatus, .failed), ("syntax", .malformedBody, .failed),
                ("mapping", .mappingFailed, .failed), ("ok", nil, .succeeded),
            ]
            for (path, code, outcome) in expected {
                let operation = try api.enqueue(ObjectRequest<Article>(at: path))
                await operation.finished()
                #expect(RestNetworkingTests.code(of: operation.error) == code)
                #expect(operation.state == .finished(outcome))
                #expect((operation.mappingReport == nil) == (code != nil))
            }
        }
        let unreachable = try manager(at: "http://127.0.0.1:1")
        let operation = try unreachable.enqueue(ObjectRequest<Article>(at: "a"))
        let error = await networkingError { _ = try await operation.value }
        #expect(error?.code == .transportFailed)
        #expect(error?.underlying is TransportError)
        #expect(code(of: operation.error) == .transportFailed)
        #expect(operation.response == nil)
    }

    @Test func throwsIfRequestCannotBeAssembled() async throws {
        try await withOperations { api, server in
            #expect(throws: NetworkingError.self) {
                try api.enqueue(ObjectRequest<Article>(at: "http://other.example/"))
            }
            #expect(api.operationQueue.operationCount == 0)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func cancelledAwaitingTaskCancelsOperation() async throws {
        let gate = Gate()
        try await withOperations({ _ in
            await gate.pass()
            return .json("{}")
        }) { api, _ in
            defer { gate.open() }
            let operation = try api.enqueue(ObjectRequest<Void>(at: "a"))
            let task = Task { try await operation.value }
            await gate.arrivals()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(operation.state == .finished(.cancelled))
            #expect(code(of: operation.error) == .cancelled)
        }
    }

    // MARK: Callbacks

    @Test(.parity("N257", "N258", "S031")) func callsSuccessOrFailure() async throws {
        try await withOperations({
            $0.path == "/empty" ? .json("[]") : .json("{}", status: 400)
        }) { api, _ in
            let calls = Log<String>()
            for path in ["empty", "errors.json"] {
                let operation = try api.operation(for: ObjectRequest<MappingResult>(at: path))
                let called = Gate()
                operation.onFinish { _ in
                    calls.append("\(path) succeeded")
                    await called.pass()
                } failure: { _, error in
                    calls.append("\(path) \((error as? NetworkingError)?.status ?? 0)")
                    await called.pass()
                }
                called.open()
                try api.enqueue(operation)
                await called.arrivals()
            }
            #expect(calls.elements == ["empty succeeded", "errors.json 400"])
        }
    }

    @Test func callsEachCallbackOnceInOrder() async throws {
        try await withOperations { api, _ in
            let calls = Log<Int>()
            let called = Gate()
            called.open()
            let operation = try api.operation(for: ObjectRequest<Article>(at: "a"))
            for number in 0..<10 {
                operation.onFinish { _ in
                    calls.append(number)
                    await called.pass()
                }
            }
            try api.enqueue(operation)
            await called.arrivals(10)
            operation.onFinish { _ in
                calls.append(10)
                await called.pass()
            }
            await called.arrivals(11)
            #expect(calls.elements == Array(0...10))
        }
    }

    @Test(.parity("S075")) func callsBackOnGivenExecutor() async throws {
        try await withOperations { api, _ in
            let executor = CountingExecutor()
            let operation = try api.operation(for: ObjectRequest<Article>(at: "a"))
            let called = Gate()
            called.open()
            let counts = Log<Int>()
            operation.onFinish(on: executor) { _ in
                counts.append(executor.count)
                await called.pass()
            }
            operation.onFinish { @MainActor _ in
                MainActor.assertIsolated()
                await called.pass()
            }
            #expect(executor.count == 0)
            try api.enqueue(operation)
            await called.arrivals(2)
            #expect(counts.elements.count == 1)
            #expect(counts.elements[0] > 0)
        }
    }

    // MARK: Documents

    @Test(.parity("N259", "S081")) func mapsReplacedDocumentOnly() async throws {
        try await withOperations({ _ in .json(#"{"author": {"name": "Ann"}}"#) }) { api, _ in
            try api.add(ResponseDescriptor(Author.self, keyPath: "user"))
            let operation = try api.operation(for: ObjectRequest<MappingResult>(at: "a"))
            operation.willMapDocument = { document in
                document.root["author"] == nil ? document : ["user": ["name": "Blake"]]
            }
            try api.enqueue(operation)
            let result = try await operation.takeValue()
            #expect(result.objects(of: Author.self) == [Author(name: "Blake")])
            #expect(result.count == 1)
            let unchanged = try api.operation(
                for: ObjectRequest<Author>(at: "a", keyPath: "author"))
            unchanged.willMapDocument = { $0 }
            try api.enqueue(unchanged)
            #expect(try await unchanged.value == Author(name: "Ann"))
        }
    }

    @Test(.parity("S080")) func failsWhenMappingIsDeclined() async throws {
        try await withOperations { api, _ in
            let operation = try api.operation(for: ObjectRequest<Article>(at: "a"))
            operation.willMapDocument = { _ in nil }
            try api.enqueue(operation)
            let error = await networkingError { _ = try await operation.value }
            #expect(error?.code == .mappingDeclined)
            #expect(operation.state == .finished(.failed))
        }
    }

    // MARK: Observation

    @Test(.parity("N287")) func reportsStatesFromStartToFinish() async throws {
        try await withOperations { api, _ in
            let operation = try api.operation(for: ObjectRequest<Article>(at: "a"))
            let states = operation.states
            try api.enqueue(operation)
            var seen: [OperationState] = []
            for await state in states { seen.append(state) }
            #expect(
                seen == [
                    .ready, .executing(.transport), .executing(.mapping), .finished(.succeeded),
                ])
            seen = []
            for await state in operation.states { seen.append(state) }
            #expect(seen == [.finished(.succeeded)])
        }
    }

    @Test func reportsProgress() async throws {
        let body = #"{"id": 1, "title": "\#(String(repeating: "x", count: 100_000))"}"#
        try await withOperations({ _ in .json(body) }) { api, _ in
            let reports = Log<TransportProgress>()
            let operation = try api.operation(for: ObjectRequest<Article>(.post, at: "a"))
            operation.onProgress { reports.append($0) }
            let copy = operation.copy()
            try api.enqueue(operation)
            _ = try await operation.value
            #expect(reports.elements.last?.isComplete == true)
            #expect(reports.elements.last?.receivedByteCount == body.utf8.count)
            let count = reports.elements.count
            try api.enqueue(copy)
            _ = try await copy.value
            #expect(reports.elements.count > count)
            #expect(reports.elements.last?.isComplete == true)
        }
    }

    // MARK: Dependencies

    @Test(.parity("N215")) func becomesReadyAfterItsDependency() async throws {
        let gate = Gate()
        try await withOperations({ _ in
            await gate.pass()
            return .json(#"{"id": 1, "title": "a"}"#)
        }) { api, server in
            let first = try api.operation(for: ObjectRequest<Article>(at: "first"))
            let second = try api.operation(for: ObjectRequest<Article>(at: "second"))
            try second.addDependency(first)
            #expect(first.state == .ready)
            #expect(second.state == .pending)
            #expect(second.dependencies == [first.operation])
            let states = second.states
            try api.enqueue(second)
            try api.enqueue(first)
            await gate.arrivals()
            #expect(server.requests.map(\.path) == ["/first"])
            #expect(second.state == .pending)
            gate.open()
            _ = try await second.value
            #expect(first.state == .finished(.succeeded))
            #expect(second.dependencies.isEmpty)
            #expect(server.requests.map(\.path) == ["/first", "/second"])
            var seen: [OperationState] = []
            for await state in states { seen.append(state) }
            #expect(seen.prefix(3) == [.pending, .ready, .executing(.transport)])
        }
    }

    @Test func failedAndCancelledDependenciesReleaseToo() async throws {
        try await withOperations({ .json("{}", status: $0.path == "/fails" ? 500 : 200) }) {
            api, _ in
            let failing = try api.operation(for: ObjectRequest<Void>(at: "fails"))
            let cancelled = try api.operation(for: ObjectRequest<Void>(at: "cancelled"))
            let last = try api.operation(for: ObjectRequest<Void>(at: "last"))
            try last.addDependency(failing)
            try last.addDependency(cancelled)
            try api.enqueue(last)
            cancelled.cancel()
            #expect(last.state == .pending)
            try api.enqueue(failing)
            try await last.value
            #expect(failing.state == .finished(.failed))
            #expect(cancelled.state == .finished(.cancelled))
            try last.addDependency(failing)
        }
    }

    @Test func refusesCycleOfDependencies() async throws {
        try await withOperations { api, _ in
            let operations = try (0..<3).map {
                try api.operation(for: ObjectRequest<Void>(at: "\($0)"))
            }
            try operations[1].addDependency(operations[0])
            try operations[2].addDependency(operations[1])
            for (earlier, later) in [(0, 2), (0, 1), (1, 1)] {
                #expect(
                    code {
                        try operations[earlier].addDependency(operations[later])
                    } == .invalidRequest)
            }
            for operation in operations.reversed() { try api.enqueue(operation) }
            for operation in operations { try await operation.value }
        }
    }

    // MARK: Memory

    @Test(.parity("N218")) func releasesOperationThatNeverStarted() async throws {
        final class Captured: Sendable {}
        try await withOperations { api, _ in
            weak var operation: RequestOperation?
            weak var captured: Captured?
            do {
                let object = Captured()
                captured = object
                let first = try api.operation(for: ObjectRequest<Article>(at: "a"))
                let second = try api.operation(for: ObjectRequest<Article>(at: "b"))
                first.onFinish { _ in _ = object }
                first.onProgress { _ in _ = object }
                first.willMapDocument = { document in
                    _ = object
                    return document
                }
                try second.addDependency(first)
                operation = first.operation
                #expect(captured != nil)
            }
            #expect(operation == nil)
            #expect(captured == nil)
        }
    }

    @Test func releasesFinishedOperation() async throws {
        try await withOperations { api, _ in
            weak var operation: RequestOperation?
            do {
                let enqueued = try api.enqueue(ObjectRequest<Article>(at: "a"))
                operation = enqueued.operation
                _ = try await enqueued.value
            }
            // The task of the work may hold it for another moment.
            while operation != nil { await Task.yield() }
        }
    }

    // MARK: Copies

    @Test(.parity("N285", "N286", "S082")) func copyCarriesCallbacks() async throws {
        try await withOperations({ .json("{}", status: $0.path == "/fails" ? 500 : 200) }) {
            api, _ in
            for path in ["succeeds", "fails"] {
                let calls = Log<String>()
                let called = Gate()
                called.open()
                let operation = try api.operation(for: ObjectRequest<Void>(at: path))
                operation.onFinish { operation in
                    calls.append("success \(ObjectIdentifier(operation.operation))")
                    await called.pass()
                } failure: { operation, _ in
                    calls.append("failure \(ObjectIdentifier(operation.operation))")
                    await called.pass()
                }
                operation.priority = .high
                try api.enqueue(operation)
                await called.arrivals(1)
                let copy = operation.copy()
                #expect(copy.state == .ready)
                #expect(copy.priority == .normal)
                #expect(copy != operation)
                try api.enqueue(copy)
                await called.arrivals(2)
                let kind = path == "succeeds" ? "success" : "failure"
                #expect(
                    calls.elements == [
                        "\(kind) \(ObjectIdentifier(operation.operation))",
                        "\(kind) \(ObjectIdentifier(copy.operation))",
                    ])
            }
        }
    }

    @Test(.parity("N284", "S082")) func finishedOperationCanBeCopied() async throws {
        try await withOperations { api, server in
            try api.add(
                ResponseDescriptor(
                    ObjectMapping(for: Article.self) {
                        attribute("id", to: \.id)
                        attribute("@metadata.phoneNumber", to: \.title)
                    }))
            let operation = try api.enqueue(
                ObjectRequest<MappingResult>(at: "a"),
                updating: Article(id: 5, title: "first", tags: ["kept"]))
            let original = try await operation.takeValue()
            let copy = try operation.copy(metadata: ["phoneNumber": "867-5309"])
                .copy(updating: Article(id: 5, title: "unknown", tags: ["kept"]))
            #expect(copy.mappingMetadata.root["phoneNumber"]?.string == "867-5309")
            try api.enqueue(copy)
            let result = try await copy.takeValue()
            #expect(
                result.objects(of: Article.self)
                    == [Article(id: 1, title: "867-5309", tags: ["kept"])])
            #expect(operation.state == .finished(.succeeded))
            #expect(operation.mappingMetadata.root.count == 0)
            #expect(
                original.objects(of: Article.self) == [
                    Article(id: 1, title: "first", tags: ["kept"])
                ])
            #expect(server.requests.count == 2)
        }
    }

    @Test func copyKeepsWillMapDocument() async throws {
        try await withOperations { api, _ in
            let operation = try api.operation(for: ObjectRequest<Article>(at: "a"))
            operation.willMapDocument = { _ in ["id": 2, "title": "b"] }
            try api.enqueue(operation)
            #expect(try await operation.value.id == 2)
            let copy = operation.copy()
            try api.enqueue(copy)
            #expect(try await copy.value.id == 2)
        }
    }

    @Test func cannotBeEnqueuedTwice() async throws {
        try await withOperations { api, server in
            let operation = try api.enqueue(ObjectRequest<Article>(at: "a"))
            #expect(code { try api.enqueue(operation) } == .invalidRequest)
            _ = try await operation.value
            #expect(code { try api.enqueue(operation) } == .invalidRequest)
            #expect(server.requests.count == 1)
        }
    }
}

/// An executor that runs jobs at once, and counts them.
private final class CountingExecutor: TaskExecutor {
    private let jobs = Mutex(0)

    var count: Int { jobs.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.withLock { $0 += 1 }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
