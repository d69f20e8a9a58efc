// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import Synchronization

/// A counter shared by several tasks.
final class Count: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    /// Increments the counter and returns the new value.
    @discardableResult
    func up() -> Int {
        number.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    }
}

/// An interceptor that counts requests.
///
/// After counting, a request runs without suspension until it waits for another one or is sent.
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

/// A generator of reproducible random numbers.
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

/// A body of two chunks that records whether it was cancelled.
final class TwoChunkBody: ResponseBodySource {
    private let chunks: [[UInt8]]
    private let index = Atomic(0)
    private let isCancelled = Atomic(false)

    init(_ first: [UInt8], _ second: [UInt8]) {
        chunks = [first, second]
    }

    var isReleased: Bool { isCancelled.load(ordering: .sequentiallyConsistent) }

    func next() async throws -> [UInt8]? {
        let position = index.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
        return position < chunks.count ? chunks[position] : nil
    }

    func cancel() {
        isCancelled.store(true, ordering: .sequentiallyConsistent)
    }
}

extension HTTPClient {
    /// Creates a client for tests of interceptors.
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
