// SPDX-License-Identifier: Apache-2.0

/// The progress of a request and its response.
///
/// Only bytes of bodies are counted. Sent bytes are counted when the transport takes them, before
/// the buffers of transport and system have reached the network; a transport that cannot stream
/// takes the whole body at once. Received bytes are counted when the reader takes them, after
/// decompression.
public struct TransportProgress: Sendable, Hashable {
    /// The number of bytes of the request's body that the transport has taken.
    ///
    /// The count restarts at 0 if a redirect or a retry sends the body again.
    public var sentByteCount = 0

    /// The length of the request's body in bytes, 0 if there is none, or `nil` if it is unknown.
    public var expectedSentByteCount: Int?

    /// The number of bytes of the response's body that the reader has taken, after decompression.
    public var receivedByteCount = 0

    /// The length of the response's body in bytes, or `nil` if it is unknown.
    ///
    /// It is unknown before the header, without Content-Length, and for a compressed body, whose
    /// Content-Length counts compressed bytes.
    public var expectedReceivedByteCount: Int?

    /// A Boolean value that indicates whether the response's body has been read to its end.
    public var isComplete = false

    /// The sent fraction of the request's body, from 0 to 1, or `nil` if its length is unknown.
    public var sentFraction: Double? {
        Self.fraction(sentByteCount, of: expectedSentByteCount)
    }

    /// The received fraction of the response's body, from 0 to 1, or `nil` if its length is
    /// unknown.
    public var receivedFraction: Double? {
        isComplete ? 1 : Self.fraction(receivedByteCount, of: expectedReceivedByteCount)
    }

    private static func fraction(_ part: Int, of whole: Int?) -> Double? {
        whole.map { $0 == 0 ? 1 : min(1, Double(part) / Double($0)) }
    }
}
