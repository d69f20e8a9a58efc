// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import NIOCore
import Synchronization

/// The open connections over HTTP/2 of a transport, by the authorities of their servers.
final class HTTP2Connections: Sendable {
    typealias Connection = NIOLoopBound<SilenceDetector>

    private let connections = Mutex<[String: [ObjectIdentifier: Connection]]>([:])

    /// Adds a connection when its first request is sent.
    func add(_ detector: SilenceDetector, to authority: String, on eventLoop: any EventLoop) {
        let connection = NIOLoopBound(detector, eventLoop: eventLoop)
        connections.withLock {
            $0[authority, default: [:]][ObjectIdentifier(detector)] = connection
        }
    }

    /// Removes a connection that has ended.
    func remove(_ detector: SilenceDetector, to authority: String) {
        connections.withLock { connections in
            connections[authority]?[ObjectIdentifier(detector)] = nil
            if connections[authority]?.isEmpty == true { connections[authority] = nil }
        }
    }

    /// Retires the connections to a server that are silent.
    ///
    /// - Parameters:
    ///   - authority: The authority of the server.
    ///   - start: The time since when a byte of the server was missing.
    ///   - completion: A closure that is called once no request is sent over them, on any thread.
    func retireSilent(
        to authority: String, since start: NIODeadline, completion: @escaping @Sendable () -> Void
    ) {
        guard NIODeadline.now() - start >= SilenceDetector.minimumDuration else {
            completion()
            return
        }
        let candidates = connections.withLock { $0[authority].map { Array($0.values) } ?? [] }
        Self.retire(candidates[...], since: start, completion: completion)
    }

    private static func retire(
        _ candidates: ArraySlice<Connection>, since start: NIODeadline,
        completion: @escaping @Sendable () -> Void
    ) {
        guard let candidate = candidates.first else {
            completion()
            return
        }
        candidate.eventLoop.execute {
            candidate.value.retireIfSilent(since: start)
            retire(candidates.dropFirst(), since: start, completion: completion)
        }
    }
}
#endif
