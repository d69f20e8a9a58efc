// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension ResponseBody {
    /// The body with what comes first held in memory: whole when it is not longer than the limit.
    ///
    /// - Throws: What reading throws.
    func gathered(upTo limit: Int) async throws -> ResponseBody {
        if completeBytes != nil { return self }
        var iterator = makeAsyncIterator()
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            guard let chunk = try await iterator.next() else { return ResponseBody(bytes) }
            if bytes.isEmpty {
                bytes = chunk
            } else {
                bytes += chunk
            }
        }
        return ResponseBody(source: GatheredBody(bytes, rest: iterator))
    }
}

/// The beginning of a body and the rest that has not been read.
private final class GatheredBody: ResponseBodySource {
    private struct State {
        var beginning: [UInt8]?
        var rest: ResponseBody.Iterator?
    }

    private let state: Mutex<State>

    init(_ beginning: [UInt8], rest: ResponseBody.Iterator) {
        state = Mutex(State(beginning: beginning, rest: rest))
    }

    func next() async throws -> [UInt8]? {
        if let beginning = state.withLock({ $0.beginning.take() }) { return beginning }
        guard var rest = state.withLock({ $0.rest.take() }) else { return nil }
        let chunk = try await rest.next()
        state.withLock { [rest] in $0.rest = chunk == nil ? nil : rest }
        return chunk
    }

    func cancel() {
        state.withLock { $0.rest = nil }
    }
}
