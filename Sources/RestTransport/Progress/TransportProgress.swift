// SPDX-License-Identifier: Apache-2.0

/// How far a request and its response have come.
///
/// Bytes of bodies are counted, not of headers. What is sent is counted when the transport takes it,
/// ahead of the network by what transport and system hold; a transport that cannot stream takes all
/// of it at once. What is received is counted when the reader takes it, after decompression.
public struct TransportProgress: Sendable, Hashable {
    /// Bytes of the request's body that the transport has taken.
    ///
    /// It begins again at 0 when a redirect, a retry or a replay sends the body once more.
    public var sentByteCount = 0

    /// The length of the request's body, 0 when there is none, or `nil` when it is not known.
    public var expectedSentByteCount: Int?

    /// Bytes of the response's body that the reader has taken, decompressed.
    public var receivedByteCount = 0

    /// The length of the response's body, or `nil` when it is not known: before the header, without
    /// Content-Length, or when the body is compressed, as then that field counts other bytes.
    public var expectedReceivedByteCount: Int?

    /// Whether the response's body has been read to its end.
    public var isComplete = false

    /// The sent part of the request's body, from 0 to 1, or `nil` when its length is not known.
    public var sentFraction: Double? {
        Self.fraction(sentByteCount, of: expectedSentByteCount)
    }

    /// The received part of the response's body, from 0 to 1, or `nil` when its length is not known.
    public var receivedFraction: Double? {
        isComplete ? 1 : Self.fraction(receivedByteCount, of: expectedReceivedByteCount)
    }

    private static func fraction(_ part: Int, of whole: Int?) -> Double? {
        whole.map { $0 == 0 ? 1 : min(1, Double(part) / Double($0)) }
    }
}
