// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// A response that is constructed from a stored one.
///
/// - Source: RFC 9111 §4, §4.3.2; RFC 9110 §14, §15.4.5.
package enum ConstructedResponse: Sendable, Hashable {
    /// The response as stored.
    case complete

    /// The status and header fields of the stored response.
    case headOnly

    /// A 304 (Not Modified) response.
    case notModified

    /// A 206 (Partial Content) response with a range of the stored body, which is the range
    /// `offsets` of the complete representation.
    case partial(stored: Range<Int>, offsets: Range<Int>, completeByteCount: Int?)

    /// A 416 (Range Not Satisfiable) response.
    case rangeNotSatisfiable(completeByteCount: Int)

    /// Creates the response that an entry gives to a request, or returns `nil` if it gives none.
    ///
    /// A partial response is never the response to a request for the complete representation or for
    /// the head.
    ///
    /// - Parameters:
    ///   - entry: A stored response whose selecting header fields match the request.
    ///   - request: A GET or HEAD.
    package init?(from entry: CacheEntry, to request: TransportRequest) {
        if entry.head.status == .partialContent {
            guard let part = Self.part(of: entry, for: request) else { return nil }
            self = part
        } else if ConditionalRequest.isNotModified(entry, for: request) {
            self = .notModified
        } else if request.method == .head {
            self = .headOnly
        } else if entry.head.status == .ok, let text = request.headerFields[.range],
            let range = ByteRange(text), Self.satisfiesIfRange(entry, request),
            // The stored body is decoded, but a range counts encoded bytes.
            !entry.head.headerFields.contains(.contentEncoding)
        {
            let count = entry.bodyByteCount
            self =
                range.offsets(in: count).map {
                    ConstructedResponse.partial(stored: $0, offsets: $0, completeByteCount: count)
                } ?? .rangeNotSatisfiable(completeByteCount: count)
        } else {
            self = .complete
        }
    }

    private static func part(
        of entry: CacheEntry, for request: TransportRequest
    ) -> ConstructedResponse? {
        guard request.method == .get, let text = request.headerFields[.range],
            !request.headerFields.contains(.ifRange), !ConditionalRequest.hasConditions(request)
        else { return nil }
        if entry.selectingFields[.range] == SHA256.hexadecimalDigest(of: Array(text.utf8)) {
            return .complete
        }
        guard let stored = entry.head.headerFields[.contentRange].flatMap({ ContentRange($0) }),
            stored.offsets.count == entry.bodyByteCount, let count = stored.completeByteCount,
            let offsets = ByteRange(text)?.offsets(in: count),
            stored.offsets.lowerBound <= offsets.lowerBound,
            stored.offsets.upperBound >= offsets.upperBound
        else { return nil }
        let start = offsets.lowerBound - stored.offsets.lowerBound
        return .partial(
            stored: start..<start + offsets.count, offsets: offsets, completeByteCount: count)
    }

    /// Returns a Boolean value that indicates whether the request has no If-Range field or its
    /// condition is true.
    private static func satisfiesIfRange(
        _ entry: CacheEntry, _ request: TransportRequest
    ) -> Bool {
        guard let condition = request.headerFields.bytes(of: .ifRange) else { return true }
        return EntityTags.isStrong(condition)
            && condition == entry.head.headerFields.bytes(of: .eTag)
    }

    /// Returns the status and header fields of the response.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - age: The value of the `Age` field in seconds; `nil` leaves the field unchanged.
    /// - Returns: The status and header fields.
    package func head(from entry: CacheEntry, age: Int?) -> HTTPResponse {
        var head = entry.head
        if let age { head.headerFields[.age] = String(age) }
        switch self {
        case .complete, .headOnly:
            break
        case .notModified:
            head.status = .notModified
            for name in [HTTPField.Name.contentLength, .contentEncoding, .contentType] {
                head.headerFields[name] = nil
            }
        case .partial(_, let offsets, let count):
            let total = count.map(String.init) ?? "*"
            head.status = .partialContent
            head.headerFields[.contentRange] =
                "bytes \(offsets.lowerBound)-\(offsets.upperBound - 1)/\(total)"
            head.headerFields[.contentLength] = String(offsets.count)
        case .rangeNotSatisfiable(let count):
            head.status = .rangeNotSatisfiable
            head.headerFields[.contentRange] = "bytes */\(count)"
            head.headerFields[.contentLength] = "0"
            head.headerFields[.contentType] = nil
        }
        return head
    }

    /// A Boolean value that indicates whether the response needs the stored body.
    package var needsBody: Bool {
        switch self {
        case .complete, .partial: true
        case .headOnly, .notModified, .rangeNotSatisfiable: false
        }
    }

    /// Returns the body of the response, a range of the stored body or all of it.
    package func body(from stored: [UInt8]) -> [UInt8] {
        switch self {
        case .complete: stored
        case .partial(let range, _, _): Array(stored[range.clamped(to: 0..<stored.count)])
        case .headOnly, .notModified, .rangeNotSatisfiable: []
        }
    }
}
