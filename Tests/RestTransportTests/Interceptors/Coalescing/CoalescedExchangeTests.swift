// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.concurrency)) struct CoalescedExchangeTests {
    private let gate = Gate()

    private func streaming(_ first: [UInt8], _ second: [UInt8], length: Int? = nil) -> StubTransport
    {
        StubTransport { [gate] request in
            try await gate.pass()
            let fields: HTTPFields = length.map { [.contentLength: "\($0)"] } ?? [:]
            return TransportResponse(
                to: request, head: HTTPResponse(status: .ok, headerFields: fields),
                body: ResponseBody(source: TwoChunkBody(first, second)))
        }
    }

    @Test func streamsToSingleRequest() async throws {
        gate.open()
        let long = Array(repeating: UInt8(1), count: 1000)
        let client = try HTTPClient.coalescing(streaming(long, long))
        let response = try await client.send(try client.request(at: "a"))
        #expect(response.body.completeBytes == nil)
        #expect(try await response.collect().count == 2000)
    }

    @Test func deliversBufferedBodyToAll() async throws {
        let transport = streaming([1, 2], [3])
        let client = try HTTPClient.coalescing(transport)
        let request = try client.request(at: "a")
        let tasks = try await gate.send([request, request, request], client, exchangeCount: 1)
        gate.open()
        for task in tasks { #expect(try await task.value == [1, 2, 3]) }
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [100, 101], [true, false])
    func sendsLongBodiesSeparately(byteCount: Int, isAnnounced: Bool) async throws {
        let transport = streaming(
            Array(repeating: 1, count: byteCount - 1), [2],
            length: isAnnounced ? byteCount : nil)
        let client = try HTTPClient.coalescing(transport)
        let request = try client.request(at: "a")
        let tasks = try await gate.send([request, request, request], client, exchangeCount: 1)
        gate.open()
        for task in tasks { #expect(try await task.value.count == byteCount) }
        #expect(transport.requests.count == (byteCount == 100 ? 1 : 3))
    }
}

extension HTTPClient {
    /// Returns a client that coalesces requests and shares bodies of up to 100 bytes.
    static func coalescing(_ transport: StubTransport) throws -> HTTPClient {
        try HTTPClient(transport, interceptors: [RequestCoalescingInterceptor(bodyByteCount: 100)])
    }
}

extension Gate {
    /// Sends requests and waits until each has reached this gate or waits for one that has.
    func send(
        _ requests: [TransportRequest], _ client: HTTPClient, exchangeCount: Int
    ) async throws -> [Task<[UInt8], any Error>] {
        let sent = Count()
        var client = client
        client.interceptors.insert(CountingInterceptor(sent), at: 0)
        let executor = SerialTaskExecutor()
        let tasks = requests.map { [client] request in
            Task(executorPreference: executor) { try await client.send(request).collect() }
        }
        #expect(try await eventually { sent.value == requests.count })
        // After counting, a request runs without suspension up to the point where it waits.
        await executor.drain()
        #expect(try await eventually { arrivalCount >= exchangeCount })
        return tasks
    }
}

/// An executor that runs one job at a time.
private final class SerialTaskExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "serial executor")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Waits until all enqueued jobs have run.
    func drain() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
