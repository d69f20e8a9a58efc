// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.concurrency)) struct AuthorizationRaceTests {
    typealias Tokens = AuthorizationInterceptorTests.Tokens

    /// Sends requests concurrently and returns their results.
    private static func send(
        _ count: Int, through client: HTTPClient
    ) async -> [Result<Int, any Error>] {
        await withTaskGroup(of: Result<Int, any Error>.self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        return .success(try await client.status("items/\(number)"))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func refreshesOnceForConcurrentRefusals() async throws {
        let count = 200
        let arrived = Count()
        let transport = StubTransport { request in
            if request.headerFields[.authorization] == "Bearer t2" { return .stub(to: request) }
            // All requests are refused after all have been sent.
            arrived.up()
            while arrived.value < count { await Task.yield() }
            return .stub(.unauthorized, to: request)
        }
        let gate = Gate()
        let authorizer = Tokens { _, previous, _ in
            try await gate.pass()
            #expect(previous == BearerToken("old"))
            return BearerToken("t2")
        }
        let interceptor = AuthorizationInterceptor(authorizer)
        interceptor.setCredential(BearerToken("old"))
        let client = try HTTPClient(transport, interceptors: [interceptor])
        let sending = Task { await Self.send(count, through: client) }
        #expect(try await eventually { gate.arrivalCount == 1 })
        gate.open()
        let results = await sending.value
        #expect(results.allSatisfy { (try? $0.get()) == 200 })
        #expect(authorizer.count.value == 1)
        #expect(transport.requests.count == 2 * count)
    }

    @Test func failsAllWaitersWithOneRefresh() async throws {
        let count = 200
        let gate = Gate()
        let arrived = Count()
        let transport = StubTransport { request in
            // Half of the refusals arrive after the refresh has failed.
            let number = arrived.up()
            while arrived.value < count { await Task.yield() }
            if number.isMultiple(of: 2) { try await gate.pass() }
            return .stub(.unauthorized, to: request)
        }
        let authorizer = Tokens { _, _, _ in throw AuthorizationInterceptorTests.Failure() }
        let interceptor = AuthorizationInterceptor(authorizer)
        interceptor.setCredential(BearerToken("old"))
        let client = try HTTPClient(transport, interceptors: [interceptor])
        let sending = Task { await Self.send(count, through: client) }
        #expect(try await eventually { authorizer.count.value == 1 })
        #expect(try await eventually { gate.arrivalCount == count / 2 })
        // The probe waits for the same refresh or, if that has failed, for a second one.
        let probe = await transportError { _ = try await client.status("probe") }
        #expect(probe?.code == .authorizationFailed)
        let refreshCount = authorizer.count.value
        gate.open()
        let results = await sending.value
        #expect(results.count == count)
        for result in results {
            guard case .failure(let error as TransportError) = result else {
                Issue.record("\(result)")
                continue
            }
            #expect(error.code == .authorizationFailed)
        }
        #expect(authorizer.count.value == refreshCount)
        #expect(refreshCount <= 2)
        #expect(transport.requests.count == count)
    }

    @Test func resendsRequestsWithOlderTokenWithoutRefresh() async throws {
        let gate = Gate()
        let transport = StubTransport { request in
            if request.headerFields[.authorization] == "Bearer t2" { return .stub(to: request) }
            if request.url.path == "/v1/slow" { try await gate.pass() }
            return .stub(.unauthorized, to: request)
        }
        let authorizer = Tokens()
        let client = try HTTPClient(
            transport, interceptors: [AuthorizationInterceptor(authorizer)])
        let slow = Task { try await client.status("slow") }
        #expect(try await eventually { gate.arrivalCount == 1 })
        #expect(try await client.status("fast") == 200)
        #expect(authorizer.count.value == 2)
        gate.open()
        #expect(try await slow.value == 200)
        #expect(authorizer.count.value == 2)
    }

    @Test(arguments: [1, 7, 8])
    func cancelsSingleWaiter(cancelledCount: Int) async throws {
        let gate = Gate()
        let authorizer = Tokens { number, _, _ in
            try await gate.pass()
            return BearerToken("t\(number)")
        }
        let interceptor = AuthorizationInterceptor(authorizer)
        let client = try HTTPClient(
            StubTransport { .stub(to: $0) }, interceptors: [interceptor])
        let tasks = (0..<8).map { number in
            Task { try await client.status("items/\(number)") }
        }
        #expect(try await eventually { gate.arrivalCount == 1 })
        for task in tasks.prefix(cancelledCount) {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(gate.leftCount == 0)
        gate.open()
        for task in tasks.dropFirst(cancelledCount) {
            #expect(try await task.value == 200)
        }
        // The result of the refresh is stored even if no request waits for it.
        #expect(try await eventually { interceptor.credential()?.token == "t1" })
        #expect(authorizer.count.value == 1)
    }

    @Test func continuesWithCredentialFromApplication() async throws {
        let gate = Gate()
        let transport = AuthorizationInterceptorTests.transport(accepting: "new")
        let authorizer = Tokens { _, _, _ in
            try await gate.pass()
            return BearerToken("late")
        }
        let interceptor = AuthorizationInterceptor(authorizer)
        interceptor.setCredential(BearerToken("old"))
        let client = try HTTPClient(transport, interceptors: [interceptor])
        let task = Task { try await client.status("a") }
        #expect(try await eventually { gate.arrivalCount == 1 })
        interceptor.setCredential(BearerToken("new"))
        #expect(try await task.value == 200)
        gate.open()
        #expect(try await client.status("b") == 200)
        #expect(interceptor.credential() == BearerToken("new"))
        interceptor.setCredential(nil)
        #expect(interceptor.credential() == nil)
    }

    @Test func releasesInterceptorAndAuthorizer() async throws {
        weak var weakInterceptor: AuthorizationInterceptor<Tokens>?
        weak var weakAuthorizer: Tokens?
        do {
            let authorizer = Tokens()
            let interceptor = AuthorizationInterceptor(authorizer)
            weakInterceptor = interceptor
            weakAuthorizer = authorizer
            let client = try HTTPClient(
                AuthorizationInterceptorTests.transport(accepting: "t2"),
                interceptors: [interceptor])
            #expect(try await client.status("a") == 200)
        }
        #expect(try await eventually { weakInterceptor == nil && weakAuthorizer == nil })
    }

    /// Expires tokens, fails refreshes and cancels requests at random.
    ///
    /// No request hangs, ends in another way, or is sent more than twice.
    @Test(arguments: UInt64(1)...20)
    func survivesRandomSchedules(seed: UInt64) async throws {
        struct Server {
            var generator: SeededGenerator
            var accepted = 1
        }
        let server = Mutex(Server(generator: SeededGenerator(seed: seed)))
        let transport = StubTransport { request in
            let (pauseCount, isAccepted) = server.withLock { server in
                if Int.random(in: 0..<20, using: &server.generator) == 0 {
                    server.accepted += 1
                }
                let isAccepted =
                    request.headerFields[.authorization] == "Bearer t\(server.accepted)"
                return (Int.random(in: 0..<4, using: &server.generator), isAccepted)
            }
            for _ in 0..<pauseCount { await Task.yield() }
            return .stub(isAccepted ? .ok : .unauthorized, to: request)
        }
        let authorizer = Tokens { _, _, _ in
            await Task.yield()
            let accepted = server.withLock { server in
                Int.random(in: 0..<5, using: &server.generator) == 0 ? nil : server.accepted
            }
            guard let accepted else { throw AuthorizationInterceptorTests.Failure() }
            return BearerToken("t\(accepted)")
        }
        let client = try HTTPClient(
            transport, interceptors: [AuthorizationInterceptor(authorizer)])
        var generator = SeededGenerator(seed: seed &+ 1000)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                let isCancelled = Int.random(in: 0..<10, using: &generator) == 0
                group.addTask {
                    let task = Task { try await client.status("items/\(number)") }
                    if isCancelled { task.cancel() }
                    switch await task.result {
                    case .success(let status): #expect(status == 200 || status == 401)
                    case .failure(let error as TransportError):
                        #expect(error.code == .authorizationFailed)
                    case .failure(let error): #expect(error is CancellationError && isCancelled)
                    }
                }
            }
        }
        let attempts = Dictionary(grouping: transport.requests, by: \.url)
        #expect(attempts.values.allSatisfy { $0.count <= 2 })
    }
}
