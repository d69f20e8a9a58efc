// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.concurrency)) struct JoiningBodyTests {
    private let door = Door()

    private func streaming(_ first: [UInt8], _ second: [UInt8], length: Int? = nil) -> StubTransport
    {
        StubTransport { [door] request in
            try await door.pass()
            let fields: HTTPFields = length.map { [.contentLength: "\($0)"] } ?? [:]
            return TransportResponse(
                to: request, head: HTTPResponse(status: .ok, headerFields: fields),
                body: ResponseBody(source: TwoChunkBody(first, second)))
        }
    }

    @Test func streamsToASingleOne() async throws {
        door.open()
        let long = Array(repeating: UInt8(1), count: 1000)
        let client = try HTTPClient.joining(streaming(long, long))
        let response = try await client.send(try client.request(at: "a"))
        #expect(response.body.completeBytes == nil)
        #expect(try await response.collect().count == 2000)
    }

    @Test func deliversACollectedBodyToAll() async throws {
        let transport = streaming([1, 2], [3])
        let client = try HTTPClient.joining(transport)
        let request = try client.request(at: "a")
        let tasks = try await door.send([request, request, request], client, exchangeCount: 1)
        door.open()
        for task in tasks { #expect(try await task.value == [1, 2, 3]) }
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [100, 101], [true, false])
    func sendsAloneWhatIsTooLong(byteCount: Int, isAnnounced: Bool) async throws {
        let transport = streaming(
            Array(repeating: 1, count: byteCount - 1), [2],
            length: isAnnounced ? byteCount : nil)
        let client = try HTTPClient.joining(transport)
        let request = try client.request(at: "a")
        let tasks = try await door.send([request, request, request], client, exchangeCount: 1)
        door.open()
        for task in tasks { #expect(try await task.value.count == byteCount) }
        #expect(transport.requests.count == (byteCount == 100 ? 1 : 3))
    }
}

extension HTTPClient {
    /// A client that joins, and holds bodies of up to 100 bytes.
    static func joining(_ transport: StubTransport) throws -> HTTPClient {
        try HTTPClient(transport, interceptors: [JoiningInterceptor(bodyByteCount: 100)])
    }
}

extension Door {
    /// Sends requests, and waits until each has come to this door or joined one that has.
    func send(
        _ requests: [TransportRequest], _ client: HTTPClient, exchangeCount: Int
    ) async throws -> [Task<[UInt8], any Error>] {
        let sent = Count()
        var client = client
        client.interceptors.insert(CountingInterceptor(sent), at: 0)
        let executor = OneByOne()
        let tasks = requests.map { [client] request in
            Task(executorPreference: executor) { try await client.send(request).collect() }
        }
        #expect(try await eventually { sent.value == requests.count })
        // Who is counted goes on, without giving way to others, to where it waits.
        await executor.drain()
        #expect(try await eventually { arrivalCount >= exchangeCount })
        return tasks
    }
}

/// Runs tasks one at a time, each until it waits.
private final class OneByOne: TaskExecutor {
    private let queue = DispatchQueue(label: "one by one")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Waits until all that could go on has done so.
    func drain() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
