// SPDX-License-Identifier: Apache-2.0

/// The limits of an exchange in time and size.
///
/// This package enforces the limits, not the HTTP library below it. Sizes are counted while
/// reading, independently of announced lengths. `nil` disables a timeout and `Int.max` a count;
/// timeouts are at most a century. Exceeding a limit ends the exchange with a ``TransportError``
/// and closes the connection.
public struct TransportLimits: Sendable, Hashable {
    /// The maximum time to resolve the host name, connect and secure the connection; 15 s by
    /// default.
    ///
    /// It does not run while a request waits for a connection to become available, unless the
    /// transport cannot tell when connecting begins.
    public var connectTimeout: Duration? = .seconds(15) {
        didSet { connectTimeout = Self.bounded(connectTimeout) }
    }

    /// The maximum time without a byte in either direction; 30 s by default.
    ///
    /// It does not run while the exchange waits for the reader of the response or for the source of
    /// the request's body.
    public var idleTimeout: Duration? = .seconds(30) {
        didSet { idleTimeout = Self.bounded(idleTimeout) }
    }

    /// The maximum time of the whole exchange, including redirects and body; 60 s by default.
    public var totalTimeout: Duration? = .seconds(60) {
        didSet { totalTimeout = Self.bounded(totalTimeout) }
    }

    /// The maximum number of bytes of a response body after decompression; 64 MiB by default.
    public var bodyByteCount: Int = 64 << 20

    /// The maximum number of bytes of response header lines, including interim responses; 64 KiB by
    /// default.
    public var headerByteCount: Int = 64 << 10

    /// The maximum number of response header fields; 256 by default.
    public var headerFieldCount: Int = 256

    /// The maximum number of bytes of a request's header fields and URL; 256 KiB by default, and at
    /// most 1,000,000.
    ///
    /// A longer header is an error before anything is sent.
    public var requestHeaderByteCount: Int = 256 << 10 {
        didSet { requestHeaderByteCount = min(requestHeaderByteCount, 1_000_000) }
    }

    /// The maximum number of redirects followed for one request; 10 by default.
    public var redirectCount: Int = 10

    /// The maximum number of decompressed bytes for each compressed byte; 100 by default.
    public var decompressionRatio: Int = 100

    /// The number of decompressed bytes up to which ``decompressionRatio`` is not checked; 1 MiB by
    /// default.
    public var decompressionAllowance: Int = 1 << 20

    /// The number of compressed bytes that may decompress to less than an eighth of them; 64 KiB by
    /// default.
    ///
    /// Compressed data may consist of parts without content, such as empty members, so it can be
    /// endless although ``bodyByteCount`` is never reached. Beyond this allowance, a body has at
    /// most eight compressed bytes for each decompressed one.
    public var compressedByteAllowance: Int = 64 << 10

    static let maximumCompressedExpansion = 8

    /// The default limits.
    public static let `default` = TransportLimits()

    /// Creates limits with the documented defaults.
    public init() {}

    // Clocks and timers count nanoseconds in 64 bits from an arbitrary start.
    private static func bounded(_ timeout: Duration?) -> Duration? {
        timeout.map { min($0, .seconds(36_525 * 86_400)) }
    }
}
