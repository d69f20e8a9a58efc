// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import Testing

/// A door that tasks wait at until a test opens it.
final class Door: Sendable {
    private struct State {
        var isOpen = false
        var arrivalCount = 0
        var leftCount = 0
    }

    private let state = Mutex(State())

    /// How many have come to the door.
    var arrivalCount: Int { state.withLock { $0.arrivalCount } }

    /// How many were cancelled while they waited.
    var leftCount: Int { state.withLock { $0.leftCount } }

    /// Waits until the door is open.
    func pass() async throws {
        state.withLock { $0.arrivalCount += 1 }
        while !state.withLock({ $0.isOpen }) {
            do {
                try await Task.sleep(for: .milliseconds(1))
            } catch {
                state.withLock { $0.leftCount += 1 }
                throw error
            }
        }
    }

    /// Lets everybody through, now and later.
    func open() {
        state.withLock { $0.isOpen = true }
    }
}

/// A number that several tasks count up.
final class Count: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    /// Counts one up and returns the new number.
    @discardableResult
    func up() -> Int {
        number.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    }
}

/// Counts what comes by.
///
/// What follows runs without suspension until the request has joined another or gone out.
struct CountingInterceptor: HTTPInterceptor {
    let count: Count

    init(_ count: Count) {
        self.count = count
    }

    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        count.up()
        return try await next.send(request)
    }
}

/// Random numbers that are the same for each run.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// A body that comes in two chunks, the second one behind a door, and knows whether it was let go.
final class TwoChunkBody: ResponseBodySource {
    private let chunks: [[UInt8]]
    private let index = Atomic(0)
    private let isCancelled = Atomic(false)

    init(_ first: [UInt8], _ second: [UInt8]) {
        chunks = [first, second]
    }

    var isLetGo: Bool { isCancelled.load(ordering: .sequentiallyConsistent) }

    func next() async throws -> [UInt8]? {
        let position = index.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
        return position < chunks.count ? chunks[position] : nil
    }

    func cancel() {
        isCancelled.store(true, ordering: .sequentiallyConsistent)
    }
}

extension HTTPClient {
    /// A client for tests of interceptors.
    init(
        _ transport: some HTTPTransport, interceptors: [any HTTPInterceptor] = [],
        networkInterceptors: [any HTTPInterceptor] = [], clock: any TransportClock = .system
    ) throws {
        try self.init(baseURL: "https://api.test/v1/", transport: transport)
        self.interceptors = interceptors
        self.networkInterceptors = networkInterceptors
        self.clock = clock
    }

    /// Sends a GET and returns its status.
    func status(_ path: String) async throws -> Int {
        try await send(try request(at: path)).status.code
    }
}
