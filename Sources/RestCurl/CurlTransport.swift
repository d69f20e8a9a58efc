// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestTransport

/// A transport over libcurl, the default on Linux.
///
/// Connections are kept and reused, and gzip and deflate are decoded. One thread per transport runs all
/// exchanges. It starts with the first request and ends with ``shutdown()`` or when the transport is
/// deallocated.
///
/// HTTP/2 is used where a server offers it over TLS, if libcurl has version 8.16 or later and was built
/// with it, and HTTP/1.1 otherwise, which is logged once at level `debug`: older versions take a part of
/// a body for the whole, and lose responses that arrive before the end of the request. A request whose
/// URL and header fields have more than 32 KiB is sent over HTTP/1.1.
///
/// These features of libcurl are disabled: redirects, cookies, the `.netrc` file, and proxies from the
/// environment. TLS follows ``Configuration/tls``. With OpenSSL, keys and digests below security
/// level 2 are rejected, even if the system allows them.
///
/// POST, PATCH and bodies that can be read only once are never sent a second time. Other requests are
/// repeated once, over another connection, if a reused connection turns out to be closed before a byte of
/// the response arrived, or if an HTTP/2 server has not processed them (`REFUSED_STREAM`, or a `GOAWAY`
/// frame that names an earlier one).
///
/// A connection is not used again after a response with faulty framing, or after a request that timed
/// out while nothing arrived over it.
///
/// A body is sent immediately, without `Expect: 100-continue`: few servers respond to that before the
/// body, and waiting for them costs up to a second. If a server rejects a request (status 300 and
/// above) before it has read the whole body, sending stops and its response is delivered. At most
/// 128 KiB of a file or a stream, and one chunk of its source, are held in memory.
///
/// With glibc, the first request lets the process keep up to 32 MiB of freed memory in each arena of
/// the allocator, because large bodies would otherwise cause page faults each time.
public final class CurlTransport: LimitEnforcingTransport {
    /// The configuration of a transport.
    public struct Configuration: Sendable, Hashable {
        /// The maximum number of connections to one host, 16 by default.
        ///
        /// Further requests wait for a connection. The time counts toward their
        /// ``/RestTransport/TransportLimits/totalTimeout``.
        public var connectionsPerHost = 16

        /// The maximum number of connections in use or kept, 128 by default.
        public var connectionCount = 128

        /// The number of bytes of one body that are buffered for a slow reader, 256 KiB by default.
        ///
        /// Beyond it, receiving pauses until the reader catches up.
        public var bufferedByteCount = 256 << 10

        /// The certificate authorities and client identity of the transport.
        public var tls = TLSConfiguration.default

        /// A Boolean value that indicates whether the keys of TLS connections are appended to the file
        /// named by the environment variable `SSLKEYLOGFILE`, `false` by default.
        ///
        /// With the keys, recorded traffic can be decrypted. Without OpenSSL 3, the TLS library may
        /// write them regardless of this setting.
        public var writesKeyLog = false

        /// Creates a configuration with the default values.
        public init() {}
    }

    private let driver: CurlDriver

    /// Creates a transport, whose thread starts with the first request.
    ///
    /// - Parameter configuration: The configuration.
    public init(configuration: Configuration = Configuration()) {
        driver = CurlDriver(configuration: configuration)
    }

    deinit {
        driver.close()
    }

    /// Sends a request over a new or a kept connection, without following redirects.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await CurlExchange(request, transport: self).response()
    }

    /// Ends all exchanges with code `closed`, closes all connections and ends the thread.
    ///
    /// Returns after the thread has ended. Later requests fail with code `closed`.
    public func shutdown() async {
        await driver.shutdown()
    }

    func submit(_ command: CurlCommand) {
        driver.submit(command)
    }
}
