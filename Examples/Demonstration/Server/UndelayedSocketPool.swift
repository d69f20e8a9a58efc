// SPDX-License-Identifier: Apache-2.0

import FlyingSocks

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A socket pool that disables the Nagle algorithm.
///
/// The server writes header and body separately. With the Nagle algorithm, the body would wait for
/// the client's acknowledgement of the header, which takes 40 ms for every response.
///
/// - Source: RFC 9293 §3.7.4, the Nagle algorithm and how to disable it.
struct UndelayedSocketPool<Base: AsyncSocketPool>: AsyncSocketPool {
    let base: Base

    func prepare() async throws { try await base.prepare() }

    func run() async throws { try await base.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        // Every connection suspends here for its first request. The options that it inherits from
        // the listening socket differ between systems, so the option is set on both.
        try? socket.setValue(true, for: .undelayed)
        try await base.suspendSocket(socket, untilReadyFor: events)
    }
}

extension SocketOption where Self == BoolSocketOption {
    fileprivate static var undelayed: Self {
        BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY)
    }
}
