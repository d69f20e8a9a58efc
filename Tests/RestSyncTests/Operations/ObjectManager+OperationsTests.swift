// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

@Suite(.tags(.socket), .timeLimit(.hang)) struct ObjectManagerManagedOperationsTests {
    private static let users = #"[{"id":1,"login":"ann"},{"id":2,"login":"bo"}]"#

    /// Runs a server of users, a manager with a descriptor for them, and a store.
    private func withUsers(
        _ body: (ObjectManager, TemporaryStore) async throws -> Void
    ) async throws {
        let temporary = try await TemporaryStore()
        try await LoopbackServer.run({ _ in .json(Self.users) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(User.self, at: "users"))
            try await body(api, temporary)
        }
    }

    @Test(.parity("N192")) func savesToStoreByDefault() async throws {
        try await withUsers { api, temporary in
            let operation = try api.operation(
                for: ManagedRequest(at: "users"), into: temporary.store)
            #expect(operation.state == .ready)
            try api.enqueue(operation)
            let result = try await operation.value
            #expect(result.objectIDs.count == 2)
            #expect(result.changes.inserted == 2)
            #expect(operation.mappingReport?.objectCount == 2)
            #expect(
                try temporary.rows("SELECT id, login FROM User ORDER BY id") == ["1|ann", "2|bo"])
        }
    }

    @Test func cancelledOperationLeavesStoreUnchanged() async throws {
        try await withUsers { api, temporary in
            let mapping = ResponseMappingQueue()
            mapping.isSuspended = true
            api.configure { $0.operationQueue = ObjectRequestQueue(mappingQueue: mapping) }
            let operation = try api.operation(
                for: ManagedRequest(at: "users"), into: temporary.store)
            try api.enqueue(operation)
            for await state in operation.states where state == .executing(.mapping) { break }
            operation.cancel()
            await operation.finished()
            #expect((operation.error as? NetworkingError)?.code == .cancelled)
            #expect(try temporary.rows("SELECT count(*) FROM User") == ["0"])
        }
    }

    /// Processes requests to one path.
    private struct Matching: OperationKind {
        func canProcess(_ request: TransportRequest) -> Bool { request.url.path == "/match" }
    }

    @Test(.parity("N190", "N191", "S030", "X011")) func storeHasKindsOfItsOwn() async throws {
        try await withUsers { (api, temporary) async throws in
            func managed(_ path: String) throws -> any OperationKind {
                try api.operation(
                    for: ManagedRequest(at: path), into: temporary.store
                ).kind
            }
            func plain(_ path: String) throws -> any OperationKind {
                try api.operation(for: ObjectRequest<ObjectResponse>(at: path)).kind
            }
            api.register(Matching(), for: .store)
            #expect(try managed("match") is Matching)
            #expect(try managed("mismatch") is DefaultOperationKind)
            #expect(try plain("match") is DefaultOperationKind)
            api.unregister(Matching.self)
            api.register(Matching())
            #expect(try managed("match") is DefaultOperationKind)
            #expect(try plain("match") is Matching)
        }
    }

    @Test(.parity("S068")) func plainOperationCannotMapEntities() async throws {
        try await withUsers { api, temporary in
            let operation = try api.enqueue(ObjectRequest<MappingResult>(at: "users"))
            await operation.finished()
            #expect((operation.error as? NetworkingError)?.code == .mappingFailed)
            #expect(try temporary.rows("SELECT count(*) FROM User") == ["0"])
        }
    }

    /// Records the operations that it performs, and those that are enqueued.
    private struct Recording: OperationKind {
        let performed: Journal
        let enqueued: Journal

        func response<Value>(
            of execution: OperationExecution<Value>
        ) async throws -> sending MappedResponse<Value> {
            performed.add(execution.request.url.path)
            return try await execution.map(execution.receive())
        }

        func willEnqueue(_ operation: RequestOperation) {
            enqueued.add(operation.request.url.path)
        }
    }

    /// Records the requests of the manager.
    private struct RecordingInterceptor: HTTPInterceptor {
        let requests: Journal

        func send(
            _ request: TransportRequest, through next: InterceptorChain
        ) async throws -> TransportResponse {
            requests.add(request.url.path)
            return try await next.send(request)
        }
    }

    @Test(.parity("S012")) func everyStepCanBeCustomized() async throws {
        try await withUsers { api, temporary in
            let (requests, plain, managed) = (Journal(), Journal(), Journal())
            let enqueued = Journal()
            api.configure { $0.client.interceptors = [RecordingInterceptor(requests: requests)] }
            api.register(Recording(performed: plain, enqueued: enqueued))
            api.register(Recording(performed: managed, enqueued: enqueued), for: .store)
            _ = try? await api.send(ObjectRequest<Void>(at: "sent"))
            try await api.enqueue(ObjectRequest<Void>(at: "plain")).value
            let operation = try api.operation(
                for: ManagedRequest(at: "users"), into: temporary.store)
            try api.enqueue(operation)
            _ = try await operation.value
            #expect(requests.entries == ["/sent", "/plain", "/users"])
            #expect(plain.entries == ["/sent", "/plain"])
            #expect(managed.entries == ["/users"])
            #expect(enqueued.entries == requests.entries)
        }
    }

    @Test(.tags(.concurrency), .parity("N199"))
    func buildsOperationsWhileObjectsAreInserted() async throws {
        try await withUsers { api, temporary in
            let store = temporary.store
            async let inserted: Void = store.perform { context in
                for id in 1...1_000 {
                    let user = try context.insert(User.self)
                    user.id = id
                    user.login = "inserted"
                }
                try context.save()
            }
            let operations = try await store.perform { context in
                defer { context.rollback() }
                let user = try context.insert(User.self)
                user.id = 5_000
                user.login = "ann"
                return try (0..<1_000).map { _ in
                    try api.operation(
                        for: ObjectRequest<ObjectResponse>(
                            .post, at: "users", object: RequestObject(user)))
                }
            }
            try await inserted
            #expect(operations.count == 1_000)
            #expect(Set(operations.map(\.request.body)).count == 1)
            #expect(operations.first?.request.body != .empty)
            #expect(try temporary.rows("SELECT count(*) FROM User") == ["1000"])
        }
    }
}
