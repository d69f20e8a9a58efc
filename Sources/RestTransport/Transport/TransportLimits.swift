// SPDX-License-Identifier: Apache-2.0

/// How long an exchange may take and how much it may bring.
///
/// The limits are counted by this package, not by the library that moves the bytes, and while
/// reading, not by what a header announces. `nil` time limits and `Int.max` counts switch a limit
/// off; a time of more than a century is one of a century. Passing a limit ends the exchange with a
/// ``TransportError`` and drops the connection.
public struct TransportLimits: Sendable, Hashable {
    /// Wall-clock limit for resolving, connecting and securing the connection; default 15 s.
    ///
    /// It runs from the moment a new connection is begun, not while a request waits its turn for
    /// one. A transport that cannot see that moment counts from the start.
    public var connectTimeout: Duration? = .seconds(15) {
        didSet { connectTimeout = Self.bounded(connectTimeout) }
    }

    /// Longest time without a byte in either direction; default 30 s.
    ///
    /// Time in which the reader of the response or the source of the request's body, not the
    /// server, is slow does not count.
    public var idleTimeout: Duration? = .seconds(30) {
        didSet { idleTimeout = Self.bounded(idleTimeout) }
    }

    /// Wall-clock limit for the whole exchange, redirects and body included; default 60 s.
    public var totalTimeout: Duration? = .seconds(60) {
        didSet { totalTimeout = Self.bounded(totalTimeout) }
    }

    /// Most bytes of a body, counted after decompression; default 64 MiB.
    public var bodyByteCount: Int = 64 << 20

    /// Most bytes of response header lines, interim responses included; default 64 KiB.
    public var headerByteCount: Int = 64 << 10

    /// Most response header fields; default 256.
    public var headerFieldCount: Int = 256

    /// Most redirects followed for one request; default 10.
    public var redirectCount: Int = 10

    /// Most decompressed bytes for each compressed byte; default 100.
    public var decompressionRatio: Int = 100

    /// Decompressed bytes before ``decompressionRatio`` is looked at; default 1 MiB.
    public var decompressionAllowance: Int = 1 << 20

    /// The limits of this package's defaults.
    public static let `default` = TransportLimits()

    /// Makes limits with the documented defaults.
    public init() {}

    // Clocks and alarms below count nanoseconds in 64 bits, from a beginning of their own.
    private static func bounded(_ time: Duration?) -> Duration? {
        time.map { min($0, .seconds(36_525 * 86_400)) }
    }
}
