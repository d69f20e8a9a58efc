// SPDX-License-Identifier: Apache-2.0

// libcurl's headers include those of sockets, whose types then belong to its module.
import CCurl
import RestTransport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An open connection, which exchanges use one after the other, or over HTTP/2 at the same time.
///
/// Identity: one socket of libcurl. Confined to the driver thread.
final class CurlConnection {
    /// The socket; negative if libcurl has not reported it.
    fileprivate let socket: Int32

    /// A Boolean value that indicates whether responses do not name their requests, as in HTTP/1;
    /// `nil` until the first response.
    var isSequential: Bool?

    /// A Boolean value that indicates whether the framing of a response makes unclear where the next
    /// one begins.
    var isFaulty = false

    /// A Boolean value that indicates whether an exchange timed out while no byte arrived, and none
    /// has arrived since.
    private(set) var isSilent = false

    /// The time when a byte of a response last arrived; `nil` before the first one.
    private var lastReceipt: ExchangeInstant?

    fileprivate init(socket: Int32) {
        self.socket = socket
    }

    /// A Boolean value that indicates whether a byte of a response has arrived.
    var hasResponded: Bool { lastReceipt != nil }

    /// Notes that bytes of a response have arrived.
    func noteReceipt(at now: ExchangeInstant) {
        lastReceipt = now
        isSilent = false
    }

    /// Notes that an exchange has timed out.
    ///
    /// - Parameter start: The time since when the exchange used the connection.
    func noteTimeout(since start: ExchangeInstant) {
        isSilent = lastReceipt.map { $0 <= start } ?? true
    }

    /// Returns whether the connection may carry a request, which is about to be sent.
    ///
    /// - Parameter hasDecryptedBytes: Whether libcurl has decrypted bytes that are not part of a
    ///   response.
    /// - Returns: `false` if a response to an earlier request makes the next one uncertain.
    fileprivate func mayCarryRequest(_ hasDecryptedBytes: () -> Bool) -> Bool {
        if isFaulty || isSilent { return false }
        guard isSequential == true else { return true }
        return !isReadable && !hasDecryptedBytes()
    }

    /// A Boolean value that indicates whether bytes, the end or an error can be read.
    private var isReadable: Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 0) != 0
    }
}

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

    /// The decision about a connection that libcurl has chosen for a request.
    enum Choice {
        case use(CurlConnection)
        case avoid(CurlConnection)
    }

    private var unusedSockets: Set<Int32> = []
    private var connections: [Endpoints: CurlConnection] = [:]

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
    /// - Returns: The connection, and whether to use it.
    mutating func choice(at endpoints: Endpoints, hasDecryptedBytes: () -> Bool) -> Choice {
        if let socket = unusedSockets.first(where: { localPort(of: $0) == endpoints.localPort }) {
            unusedSockets.remove(socket)
            let connection = CurlConnection(socket: socket)
            connections[endpoints] = connection
            return .use(connection)
        }
        let connection = connections[endpoints] ?? CurlConnection(socket: -1)
        return connection.mayCarryRequest(hasDecryptedBytes) ? .use(connection) : .avoid(connection)
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
}
