// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// What a stored response answers to a request.
///
/// - Source: RFC 9111 §4, §4.3.2; RFC 9110 §14, §15.4.5.
package enum StoredAnswer: Sendable, Hashable {
    /// The response as stored.
    case whole

    /// The response's header.
    case header

    /// 304: what the client has is the response.
    case notModified

    /// 206: these bytes of the stored body, which are those of the whole at `offsets`.
    case part(stored: Range<Int>, offsets: Range<Int>, wholeByteCount: Int?)

    /// 416: the body has no such bytes.
    case unsatisfiable(wholeByteCount: Int)

    /// Decides what an entry answers, `nil` when it cannot answer.
    ///
    /// - Parameters:
    ///   - entry: A stored response that the request selects by `Vary`.
    ///   - request: A GET or HEAD.
    /// - Returns: The answer; a part never answers a request for the whole, nor for the header.
    package static func of(_ entry: CacheEntry, to request: TransportRequest) -> StoredAnswer? {
        if entry.head.status == .partialContent {
            return part(of: entry, for: request)
        }
        if ConditionalRequest.isNotModified(entry, for: request) { return .notModified }
        if request.method == .head { return .header }
        guard entry.head.status == .ok, let text = request.headerFields[.range],
            let range = ByteRange(text), isForRange(entry, request),
            // The body is kept decoded, a range counts encoded bytes.
            !entry.head.headerFields.contains(.contentEncoding)
        else { return .whole }
        guard let offsets = range.offsets(in: entry.bodyByteCount) else {
            return .unsatisfiable(wholeByteCount: entry.bodyByteCount)
        }
        return .part(stored: offsets, offsets: offsets, wholeByteCount: entry.bodyByteCount)
    }

    private static func part(
        of entry: CacheEntry, for request: TransportRequest
    ) -> StoredAnswer? {
        guard request.method == .get, let text = request.headerFields[.range],
            !request.headerFields.contains(.ifRange), !ConditionalRequest.hasConditions(request)
        else { return nil }
        if entry.requestFields[.range] == SHA256.hexadecimalDigest(of: Array(text.utf8)) {
            return .whole
        }
        guard let held = entry.head.headerFields[.contentRange].flatMap({ ContentRange($0) }),
            held.offsets.count == entry.bodyByteCount, let whole = held.wholeByteCount,
            let offsets = ByteRange(text)?.offsets(in: whole),
            held.offsets.lowerBound <= offsets.lowerBound,
            held.offsets.upperBound >= offsets.upperBound
        else { return nil }
        let start = offsets.lowerBound - held.offsets.lowerBound
        return .part(
            stored: start..<start + offsets.count, offsets: offsets, wholeByteCount: whole)
    }

    /// Whether the condition on a range holds; without one it does.
    private static func isForRange(_ entry: CacheEntry, _ request: TransportRequest) -> Bool {
        guard let condition = request.headerFields[.ifRange] else { return true }
        return EntityTags.isStrong(condition) && condition == entry.head.headerFields[.eTag]
    }

    /// The header of the answer.
    ///
    /// - Parameters:
    ///   - entry: The stored response.
    ///   - age: What its `Age` field is to say, in seconds; `nil` to leave it.
    /// - Returns: Status and header fields.
    package func head(of entry: CacheEntry, age: Int?) -> HTTPResponse {
        var head = entry.head
        if let age { head.headerFields[.age] = String(age) }
        switch self {
        case .whole, .header:
            break
        case .notModified:
            head.status = .notModified
            for name in [HTTPField.Name.contentLength, .contentEncoding, .contentType] {
                head.headerFields[name] = nil
            }
        case .part(_, let offsets, let whole):
            head.status = .partialContent
            head.headerFields[.contentRange] =
                "bytes \(offsets.lowerBound)-\(offsets.upperBound - 1)/\(whole.map(String.init) ?? "*")"
            head.headerFields[.contentLength] = String(offsets.count)
        case .unsatisfiable(let whole):
            head.status = .rangeNotSatisfiable
            head.headerFields[.contentRange] = "bytes */\(whole)"
            head.headerFields[.contentLength] = "0"
            head.headerFields[.contentType] = nil
        }
        return head
    }

    /// Whether the answer needs the stored body.
    package var needsBody: Bool {
        switch self {
        case .whole, .part: true
        case .header, .notModified, .unsatisfiable: false
        }
    }

    /// The body of the answer, cut out of the stored one.
    package func body(of stored: [UInt8]) -> [UInt8] {
        switch self {
        case .whole: stored
        case .part(let range, _, _): Array(stored[range.clamped(to: 0..<stored.count)])
        case .header, .notModified, .unsatisfiable: []
        }
    }
}
