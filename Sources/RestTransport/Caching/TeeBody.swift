// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A body that passes chunks to its reader and collects a copy of them, up to a limit.
///
/// The copy is delivered only when the reader has read the complete body. The copy of a body that
/// is truncated, cancelled or too long is discarded.
final class TeeBody: ResponseBodySource {
    /// A closure that receives the complete body.
    typealias Completion = @Sendable ([UInt8]) async -> Void

    private struct State {
        var inner: ResponseBody.Iterator?
        var collected: [UInt8]?
    }

    private let state: Mutex<State>
    private let limit: Int
    private let completion: Completion

    init(_ body: ResponseBody, limit: Int, completion: @escaping Completion) {
        state = Mutex(State(inner: body.makeAsyncIterator(), collected: []))
        self.limit = limit
        self.completion = completion
    }

    func next() async throws -> [UInt8]? {
        guard var iterator = state.withLock({ $0.inner.take() }) else { return nil }
        guard let chunk = try await iterator.next() else {
            if let body = state.withLock({ $0.collected.take() }) {
                await completion(body)
            }
            return nil
        }
        state.withLock { [iterator] state in
            state.inner = iterator
            if let count = state.collected?.count, count + chunk.count <= limit {
                state.collected?.append(contentsOf: chunk)
            } else {
                state.collected = nil
            }
        }
        return chunk
    }

    func cancel() {
        state.withLock { state in
            state.inner = nil
            state.collected = nil
        }
    }
}
