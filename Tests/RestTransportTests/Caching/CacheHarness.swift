// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization

/// A client with a cache, a scripted server and a manual clock.
struct CacheHarness {
    let clock = ManualClock()
    let cache: HTTPCache
    let transport: StubTransport
    var client: HTTPClient

    init(
        storage: any CacheStorage = InMemoryCacheStorage(), entryByteCount: Int = 8 << 20,
        _ answer: @escaping StubTransport.Handler
    ) throws {
        cache = HTTPCache(storage: storage, entryByteCount: entryByteCount)
        transport = StubTransport(answer)
        client = try HTTPClient(baseURL: "http://api.example/", transport: transport)
        client.cache = cache
        client.clock = clock
        client.limits.totalTimeout = nil
    }

    /// The number of requests that the server received.
    var askedCount: Int { transport.requests.count }

    /// Sends a request and reads the body.
    func read(
        _ method: HTTPRequest.Method = .get, _ lines: [(String, String)] = [],
        policy: CachePolicy = .standard, principal: Principal? = nil, at path: String = "a"
    ) async throws -> (response: TransportResponse, body: String) {
        var request = try client.request(
            method, at: path, headerFields: CacheSamples.fields(lines))
        request.cachePolicy = policy
        request.principal = principal
        let response = try await client.send(request)
        return (response, String(decoding: try await response.collect(), as: UTF8.self))
    }
}

extension TransportResponse {
    /// Returns a response with a text and fields.
    static func text(
        _ text: String, _ lines: [(String, String)], status: Int = 200, to request: TransportRequest
    ) -> TransportResponse {
        .stub(
            .init(code: status), headerFields: CacheSamples.fields(lines), body: Array(text.utf8),
            to: request)
    }
}

/// A body in chunks, which may end with an error.
final class PiecewiseBody: ResponseBodySource {
    private let pieces: Mutex<[[UInt8]]>
    private let failure: TransportError?
    private let latch: Latch?

    init(_ pieces: [String], failure: TransportError? = nil, latch: Latch? = nil) {
        self.pieces = Mutex(pieces.map { Array($0.utf8) })
        self.failure = failure
        self.latch = latch
    }

    func next() async throws -> [UInt8]? {
        if let piece = pieces.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return piece }
        await latch?.pass()
        if let failure { throw failure }
        return nil
    }

    func cancel() {}
}

/// A latch at which tasks wait until a test opens it, and which counts them.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var arrivedCount = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Waits until the latch is open.
    func pass() async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.arrivedCount += 1
                let arrived = state.arrivedCount
                var ready = state.watchers.filter { $0.count <= arrived }.map(\.continuation)
                state.watchers.removeAll { $0.count <= arrived }
                if state.isOpen {
                    ready.append(continuation)
                } else {
                    state.waiting.append(continuation)
                }
                return ready
            }
            for continuation in ready { continuation.resume() }
        }
    }

    /// Waits until a number of tasks have reached the latch.
    func waitForArrivals(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.arrivedCount >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// Opens the latch for all present and future tasks.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
