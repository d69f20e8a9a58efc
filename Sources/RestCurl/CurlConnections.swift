// SPDX-License-Identifier: Apache-2.0

// libcurl's headers include those of sockets, whose types then belong to its module.
import CCurl

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The connections of a transport, by the sockets that libcurl opened for them.
///
/// Bytes that a server sends on a connection without an open request are not a response to the next
/// request. libcurl would read them as one, so a connection that has such bytes is not used. A
/// connection over HTTP/2 is exempt: its responses name their requests, and servers may send control
/// frames at any time.
///
/// libcurl reports the socket of a connection only when it opens it, and the endpoints only when the
/// connection is about to be used.
///
/// - Source: RFC 9112 §9.2.
struct CurlConnections {
    /// The identity of an open connection.
    struct Endpoints: Hashable {
        let localPort: Int32
        let remotePort: Int32
        let remoteHost: String
    }

    private struct Connection {
        let socket: Int32
        /// A Boolean value that indicates whether responses do not name their requests; `nil` until
        /// the first response.
        var isSequential: Bool?
    }

    private var unusedSockets: Set<Int32> = []
    private var connections: [Endpoints: Connection] = [:]

    /// Notes that libcurl opened a socket, whose number an earlier connection may have had.
    mutating func didOpen(_ socket: Int32) {
        unusedSockets.insert(socket)
        if let old = connections.first(where: { $0.value.socket == socket }) {
            connections[old.key] = nil
        }
    }

    /// Returns whether a connection may carry a request, which is about to be sent.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints of the connection.
    ///   - hasDecryptedBytes: Whether libcurl has decrypted bytes that are not part of a response.
    /// - Returns: A Boolean value that indicates whether no byte has arrived since the last response.
    mutating func mayUse(_ endpoints: Endpoints, hasDecryptedBytes: () -> Bool) -> Bool {
        if let socket = unusedSockets.first(where: { localPort(of: $0) == endpoints.localPort }) {
            unusedSockets.remove(socket)
            connections[endpoints] = Connection(socket: socket)
            return true
        }
        guard let connection = connections[endpoints], connection.isSequential == true else {
            return true
        }
        return !isReadable(connection.socket) && !hasDecryptedBytes()
    }

    /// Notes the version of a response on a connection.
    mutating func didReceiveResponse(isSequential: Bool, on endpoints: Endpoints) {
        connections[endpoints]?.isSequential = isSequential
    }

    // Invariant: the system writes an address into the storage within the length that is passed.
    private func localPort(of socket: Int32) -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe getsockname(socket, address, &length) == 0 else { return nil }
                // The port follows the family in addresses of both versions of IP.
                return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    unsafe Int32(UInt16(bigEndian: $0.pointee.sin_port))
                }
            }
        }
    }

    /// Returns a Boolean value that indicates whether bytes, the end or an error can be read.
    private func isReadable(_ socket: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 0) != 0
    }
}
