// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestTransport

/// Moves bytes with libcurl: connections are kept and reused, HTTP/2 is spoken where a server offers
/// it over TLS, gzip and deflate are decoded.
///
/// One thread per transport drives all exchanges; it starts with the first request and ends with
/// ``shutdown()`` or with the last reference. What libcurl could do on its own is switched off:
/// redirects, cookies, the network password file, and proxies named by the environment. Secure
/// connections are made as the ``Configuration`` says; with OpenSSL, keys and digests that are too
/// weak for its security level 2 are refused, whatever the system allows.
///
/// A request that may not be repeated (POST, PATCH) is never repeated. libcurl repeats others once,
/// when a kept connection turns out to be closed before a byte of the response came, and the body can
/// be had again.
///
/// A body is sent at once, without `Expect: 100-continue`: few servers answer that before the body,
/// and waiting for them costs up to a second. What it would save is saved otherwise: a server that
/// refuses a request (status 300 and above) before it has the whole body ends the sending, and its
/// response arrives like any other. Of a file or a stream at most 128 KiB are held, and one chunk of
/// its source.
///
/// With glibc, the first request lets the process keep up to 32 MiB of freed memory in each of the
/// allocator's arenas: large bodies are otherwise paid for with fresh pages each time.
public final class CurlTransport: LimitEnforcingTransport {
    /// What can be chosen about a transport.
    public struct Configuration: Sendable, Hashable {
        /// Most connections to one host, 16 by default.
        ///
        /// Further requests wait, and their ``TransportLimits/totalTimeout`` runs.
        public var connectionsPerHost = 16

        /// Most connections altogether, in use or kept; default 128.
        public var connectionCount = 128

        /// Bytes of one body held for a reader who is slow; default 256 KiB.
        ///
        /// Past this, reading from the connection stops until the reader catches up.
        public var bufferedByteCount = 256 << 10

        /// Whom the transport trusts, and as whom it shows itself.
        public var tls = TLSConfiguration.default

        /// Makes a configuration with the documented defaults.
        public init() {}
    }

    private let driver: CurlDriver

    /// Makes a transport; nothing is started or opened yet.
    ///
    /// - Parameter configuration: What can be chosen.
    public init(configuration: Configuration = Configuration()) {
        driver = CurlDriver(configuration: configuration)
    }

    deinit {
        driver.close()
    }

    /// Sends a request over a connection of its own or one kept alive, following no redirects.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await CurlExchange(request, transport: self).response()
    }

    /// Ends all exchanges with code `closed`, closes all connections and ends the thread.
    ///
    /// Returns when all of that has happened. Requests sent later fail with code `closed`.
    public func shutdown() async {
        await driver.shutdown()
    }

    func submit(_ command: CurlCommand) {
        driver.submit(command)
    }
}
