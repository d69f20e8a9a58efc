// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTesting
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite(.tags(.socket), .timeLimit(.hang)) struct OperationKindTests {
    /// Processes requests to one path.
    private struct Matching: OperationKind {
        var path = "/match"

        func canProcess(_ request: TransportRequest) -> Bool { request.url.path == path }
    }

    private struct Everything: OperationKind {}

    @Test(.parity("N188", "N189", "S076")) func newestKindThatCanProcessIsUsed() async throws {
        try await withOperations { (api, _) async throws in
            func kind(_ path: String) throws -> any OperationKind {
                try api.operation(for: ObjectRequest<Article>(at: path)).kind
            }
            api.register(Matching())
            #expect(try kind("match") is Matching)
            #expect(try kind("mismatch") is DefaultOperationKind)
            // Without a function of its own, a kind can process every request.
            api.register(Everything())
            #expect(try kind("match") is Everything)
            #expect(try kind("mismatch") is Everything)
            api.register(Matching())
            #expect(try kind("match") is Matching)
            #expect(try kind("mismatch") is Everything)
            api.register(Matching(path: "/other"))
            #expect(try kind("match") is Everything)
            #expect(try kind("other") is Matching)
            api.unregister(Everything.self)
            api.unregister(Matching.self)
            #expect(try kind("match") is DefaultOperationKind)
        }
    }

    /// Adds a header field, reads the response of another request first, and records its calls.
    private struct Customized: OperationKind {
        let calls: Log<String>

        func response<Value>(
            of execution: OperationExecution<Value>
        ) async throws -> sending MappedResponse<Value> {
            calls.append("run")
            var request = execution.request
            request.headerFields[.userAgent] = "customized"
            _ = try await execution.receive(request)
            return try await execution.map(execution.receive(request))
        }

        func willEnqueue(_ operation: RequestOperation) {
            calls.append("will enqueue")
        }

        func willMap(_ response: ObjectResponse, of operation: RequestOperation) {
            calls.append("will map \(operation.state)")
        }

        func willFinish(_ operation: RequestOperation) {
            calls.append("will finish \(operation.state.isFinished)")
        }
    }

    @Test(.parity("N287", "N288", "S069", "S070", "S071")) func kindPerformsOperation() async throws
    {
        try await withOperations { api, server in
            let calls = Log<String>()
            api.register(Customized(calls: calls))
            let operation = try api.enqueue(ObjectRequest<Article>(at: "a"))
            #expect(try await operation.value == Article(id: 1, title: "a"))
            #expect(
                server.requests.map { $0.headers["user-agent"] } == ["customized", "customized"])
            #expect(
                calls.elements == [
                    "will enqueue", "run", "will map \(OperationState.executing(.mapping))",
                    "will finish false",
                ])
            // Cleaning up is possible for an operation that never ran, too.
            let cancelled = try api.operation(for: ObjectRequest<Article>(at: "a"))
            cancelled.cancel()
            cancelled.cancel()
            #expect(calls.elements.suffix(1) == ["will finish false"])
            #expect(calls.elements.count == 5)
        }
    }

    /// Notes the events of objects and properties.
    private final class Observer: MappingObserver {
        let calls: Log<String>

        init(_ calls: Log<String>) { self.calls = calls }

        func observe(_ event: MappingEvent) {
            switch event.kind {
            case .began: calls.append("began \(event.mapping)")
            case .failed(let code): calls.append("failed \(code)")
            case .ended: calls.append("ended \(event.mapping)")
            case .found: calls.append("found \(event.source)")
            case .notFound: calls.append("no \(event.source)")
            case .set: calls.append("set \(event.destination)")
            default: break
            }
        }
    }

    /// Receives the callbacks of the mapping.
    private struct Observing: OperationKind {
        let calls: Log<String>

        func willMap(_ response: ObjectResponse, of operation: RequestOperation) {
            for match in response.matches { calls.append("match \(match.descriptor.keyPath)") }
            for absent in response.absentDescriptors { calls.append("no \(absent.keyPath)") }
        }

        func mappingObserver(of operation: RequestOperation) -> (any MappingObserver)? {
            calls.append("observe \(operation.request.url.path)")
            return Observer(calls)
        }

        func willFinish(_ operation: RequestOperation) { calls.append("finish") }
    }

    @Test(.parity("S069")) func kindReceivesCallbacksOfMapper() async throws {
        let body = #"{"a": [{"id": 1, "title": "t", "tags": ["x"]}, {"id": 2}]}"#
        try await withOperations({ _ in .json(body) }) { api, _ in
            try api.add(
                ResponseDescriptor(Article.self, at: "list", keyPath: "a"),
                ResponseDescriptor(Article.self, at: "list", keyPath: "b"))
            let calls = Log<String>()
            api.register(Observing(calls: calls))
            let operation = try api.enqueue(ObjectRequest<[Article]>(at: "list"))
            let error = await networkingError { _ = try await operation.value }
            #expect(error?.code == .mappingFailed)
            #expect(
                calls.elements == [
                    "match a", "no b", "observe /list", "began Article", "found id", "set id",
                    "found title", "set title", "found tags", "set tags", "ended Article",
                    "began Article", "found id", "set id", "no title", "no tags", "ended Article",
                    "failed \(MappingIssue.Code.missingValue)", "finish",
                ])
            // Without an observer of its own, the next kind sees no event.
            api.unregister(Observing.self)
            let count = calls.elements.count
            _ = await networkingError {
                try await api.enqueue(ObjectRequest<[Article]>(at: "list")).value
            }
            #expect(calls.elements.count == count)
        }
    }

    /// Fails every operation.
    private struct Failing: OperationKind {
        struct Failure: Error {}

        func response<Value>(
            of execution: OperationExecution<Value>
        ) async throws -> sending MappedResponse<Value> {
            throw Failure()
        }
    }

    @Test(.parity("S070")) func errorOfKindIsErrorOfOperation() async throws {
        try await withOperations { api, server in
            api.register(Failing())
            let operation = try api.enqueue(ObjectRequest<Article>(at: "a"))
            await #expect(throws: Failing.Failure.self) { try await operation.value }
            #expect(operation.state == .finished(.failed))
            #expect(server.requests.isEmpty)
        }
    }

    /// Counts the requests that it passes on.
    private final class Counting: HTTPTransport {
        let transport: any HTTPTransport
        let paths = Log<String>()

        init(_ transport: any HTTPTransport) {
            self.transport = transport
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            paths.append(request.url.path)
            return try await transport.send(request)
        }
    }

    @Test(.parity("N186", "N187", "S013", "S028"))
    func registeredTransportSendsLaterRequests() async throws {
        try await withOperations { api, server in
            let counting = Counting(api.client.transport)
            let before = try api.operation(for: ObjectRequest<Article>(at: "before"))
            api.register(counting)
            try api.enqueue(before)
            _ = try await before.value
            #expect(counting.paths.elements.isEmpty)
            _ = try await api.enqueue(ObjectRequest<Article>(at: "operation")).value
            _ = try await api.send(ObjectRequest<Article>(at: "call"))
            _ = try await api.getObjects(Article.self, at: "list")
            #expect(counting.paths.elements == ["/operation", "/call", "/list"])
            api.unregister(Counting.self)
            _ = try await api.enqueue(ObjectRequest<Article>(at: "after")).value
            #expect(counting.paths.elements.count == 3)
            #expect(server.requests.count == 5)
        }
    }

    @Test(.parity("S029")) func newestTransportIsConsultedFirst() async throws {
        try await withOperations { (api, server) async throws in
            let counting = Counting(api.client.transport)
            let stub = StubTransport { .json(#"{"id": 2, "title": "stub"}"#, to: $0) }
            api.register(counting)
            api.register(stub) { $0.url.path == "/stub" }
            func id(_ path: String) async throws -> Int {
                try await api.enqueue(ObjectRequest<Article>(at: path)).value.id
            }
            #expect(try await id("stub") == 2)
            #expect(try await id("server") == 1)
            // Registering again makes it the newest.
            api.register(counting)
            #expect(try await id("stub") == 1)
            #expect(counting.paths.elements == ["/server", "/stub"])
            #expect(stub.requests.count == 1)
        }
    }
}
