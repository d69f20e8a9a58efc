// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Testing

@Suite struct FaultInjectingTransportTests {
    private let stub = StubTransport { request in
        .json(#"{"id": 12345}"#, to: request)
    }

    private func client(
        _ plan: FaultInjectingTransport.Plan, clock: any TransportClock = .system
    ) throws -> HTTPClient {
        try HTTPClient(
            baseURL: "https://example.com/",
            transport: FaultInjectingTransport(stub, plan: plan, clock: clock))
    }

    private func read(_ client: HTTPClient) async throws -> String {
        let response = try await client.send(try client.request(at: "a"))
        return String(decoding: try await response.collect(), as: UTF8.self)
    }

    @Test(
        arguments: [
            (.reset(at: .connecting), .connectionFailed, .connecting, 0),
            (.reset(at: .sendingRequest), .connectionLost, .sendingRequest, 0),
            (.reset(at: .receivingHeader), .connectionLost, .receivingHeader, 1),
            (.reset(at: .receivingBody), .incompleteBody, .receivingBody, 1),
            (.truncation(after: 0), .incompleteBody, .receivingBody, 1),
            (.truncation(after: 12), .incompleteBody, .receivingBody, 1),
            (.wrongLength(by: 1), .incompleteBody, .receivingBody, 1),
            (.wrongLength(by: -1), .malformedResponse, .receivingBody, 1),
            (.garbage, .malformedResponse, .receivingHeader, 1),
        ] as [(TransportFault, TransportError.Code, TransportError.Stage, Int)])
    func throwsErrorOfFault(
        fault: TransportFault, code: TransportError.Code, stage: TransportError.Stage,
        arrivals: Int
    ) async throws {
        let client = try client(.inOrder([fault]))
        let error = await #expect(throws: TransportError.self) { try await read(client) }
        #expect(error?.code == code)
        #expect(error?.stage == stage)
        #expect(error?.url == "https://example.com/a")
        #expect(stub.requests.count == arrivals)
        #expect(try await read(client) == #"{"id": 12345}"#)
    }

    @Test(
        arguments: [
            .truncation(after: 13), .truncation(after: 100), .wrongLength(by: 0),
            .delay(.zero, at: .connecting), .delay(.zero, at: .receivingHeader),
            .delay(.zero, at: .receivingBody), .slowBody(byteCount: 5, every: .zero),
        ] as [TransportFault])
    func deliversCompleteBody(fault: TransportFault) async throws {
        #expect(try await read(try client(.always(fault))) == #"{"id": 12345}"#)
    }

    @Test func respondsWithInjectedStatus() async throws {
        let client = try client(
            .always(.status(.serviceUnavailable, headerFields: [.retryAfter: "7"])))
        let response = try await client.send(try client.request(at: "a"))
        #expect(response.status == .serviceUnavailable)
        #expect(response.headerFields[.retryAfter] == "7")
        #expect(stub.requests.isEmpty)
    }

    @Test func replacesBodyBySeed() async throws {
        let one = try await read(try client(.always(.garbageBody(seed: 1))))
        #expect(try await read(try client(.always(.garbageBody(seed: 1)))) == one)
        #expect(try await read(try client(.always(.garbageBody(seed: 2)))) != one)
        #expect(one != #"{"id": 12345}"#)
    }

    @Test func measuresPausesWithItsClock() async throws {
        let clock = ManualClock()
        let client = try client(
            .always(.slowBody(byteCount: 10, every: .seconds(20))), clock: clock)
        let response = try await client.send(try client.request(at: "a"))
        async let text = response.collect()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(20))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(19))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await text.count == 13)
    }

    @Test(arguments: [TransportError.Stage.connecting, .receivingHeader])
    func endsDelayOnCancellation(stage: TransportError.Stage) async throws {
        let clock = ManualClock()
        let client = try client(.always(.delay(.seconds(1), at: stage)), clock: clock)
        let task = Task { try await client.send(try client.request(at: "a")) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func choosesSameFaultsForSameSeed() async throws {
        func faults(_ seed: UInt64) async throws -> [TransportFault?] {
            let plan = FaultInjectingTransport.Plan.random(
                seed: seed, probability: 0.4, of: [.garbage, .reset(at: .connecting)])
            let transport = FaultInjectingTransport(stub, plan: plan)
            let client = try HTTPClient(baseURL: "https://example.com/", transport: transport)
            for _ in 0..<200 { _ = try? await read(client) }
            return transport.faults
        }
        let faults7 = try await faults(7)
        #expect(try await faults(7) == faults7)
        #expect(try await faults(8) != faults7)
        #expect((50...110).contains(faults7.count { $0 != nil }))
        #expect(Set(faults7).count == 3)
    }
}
