// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension ResponseBody {
    /// Returns the body with its beginning in memory; with all of it if it is not longer than the
    /// limit.
    ///
    /// - Throws: Errors of reading the body.
    func buffered(upTo limit: Int) async throws -> ResponseBody {
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
        return ResponseBody(source: PrefixedBody(bytes, rest: iterator))
    }
}

/// A body whose beginning has been read into memory.
private final class PrefixedBody: ResponseBodySource {
    private struct State {
        var prefix: [UInt8]?
        var rest: ResponseBody.Iterator?
    }

    private let state: Mutex<State>

    init(_ prefix: [UInt8], rest: ResponseBody.Iterator) {
        state = Mutex(State(prefix: prefix, rest: rest))
    }

    func next() async throws -> [UInt8]? {
        if let prefix = state.withLock({ $0.prefix.take() }) { return prefix }
        guard var rest = state.withLock({ $0.rest.take() }) else { return nil }
        let chunk = try await rest.next()
        state.withLock { [rest] in $0.rest = chunk == nil ? nil : rest }
        return chunk
    }

    func cancel() {
        state.withLock { $0.rest = nil }
    }
}
