// SPDX-License-Identifier: Apache-2.0

import RestNetworking
import RestTesting
import Synchronization

/// Runs a loopback server and an object manager whose operations have queues of their own.
func withOperations(
    at base: String = "", mapping: ResponseMappingQueue = ResponseMappingQueue(),
    _ handler: @escaping LoopbackServer.Handler = { _ in .json(#"{"id": 1, "title": "a"}"#) },
    body: (ObjectManager, LoopbackServer) async throws -> Void
) async throws {
    try await LoopbackServer.run(handler) { server in
        let root = String(server.baseURL.dropLast())
        let api = try manager(at: base.isEmpty ? root : "\(root)/\(base)")
        api.configure { $0.operationQueue = ObjectRequestQueue(mappingQueue: mapping) }
        try await body(api, server)
    }
}

/// A list that concurrent callbacks append to.
final class Log<Element: Sendable>: Sendable {
    private let stored = Mutex<[Element]>([])

    var elements: [Element] { stored.withLock(\.self) }

    func append(_ element: Element) {
        stored.withLock { $0.append(element) }
    }
}

/// A count of concurrent calls, and its maximum.
final class Concurrency: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var maximum: Int { counts.withLock(\.most) }

    func enter() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func leave() {
        counts.withLock { $0.now -= 1 }
    }
}

/// Returns the ``NetworkingError`` code of an operation's error.
func code(of error: (any Error)?) -> NetworkingError.Code? {
    (error as? NetworkingError)?.code
}
