// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A response that may be stored when its body is complete.
///
/// - Source: RFC 9111 §3.
package struct StorableResponse: Sendable, Hashable {
    /// The status and header fields to store.
    package let head: HTTPResponse

    /// The digests of the selecting header fields, as in ``CacheEntry/selectingFields``.
    package let selectingFields: HTTPFields

    /// Creates a storable response, or returns `nil` if the response must not be stored or could
    /// never be reused.
    ///
    /// - Parameters:
    ///   - head: The status and header fields of the response.
    ///   - request: The request, without the conditions that the cache adds.
    ///   - date: The time at which the response was received.
    package init?(_ head: HTTPResponse, to request: TransportRequest, at date: Date) {
        let control = CacheControl(head.headerFields)
        let code = head.status.code
        guard code >= 200, code != 304, code != 412, code != 416,
            Self.isAllowed(control, code),
            !CacheControl(ofRequest: request.headerFields).noStore,
            Self.isReusableForGet(head, request, control),
            control.isPublic || control.isPrivate || Self.hasExpiry(head, control)
                || Self.isHeuristicallyCacheable(code),
            var fields = SelectingFields.digests(of: request, for: head)
        else { return nil }
        if code == 206 {
            guard let range = request.headerFields[.range] else { return nil }
            fields[.range] = SHA256.hexadecimalDigest(of: Array(range.utf8))
        }
        self.head = StoredHead.of(head, receivedAt: date)
        selectingFields = fields
    }

    /// Returns a Boolean value that indicates whether a body has the length of the Content-Length
    /// field.
    package func isComplete(bodyByteCount: Int) -> Bool {
        guard let text = head.headerFields.first(.contentLength),
            !head.headerFields.contains(.contentEncoding)
        else { return true }
        return Int(text) == bodyByteCount
    }

    /// Returns the stored responses that this response replaces.
    ///
    /// - Parameters:
    ///   - entries: The stored responses with the same key.
    ///   - request: The request of this response.
    /// - Returns: The entries, or `nil` if this response must not be stored because it is a server
    ///   error that would replace a successful response.
    package func replacedEntries(
        among entries: [CacheEntry], for request: TransportRequest
    ) -> [CacheEntry]? {
        var replaced: [CacheEntry] = []
        var others: [CacheEntry] = []
        for entry in entries {
            if !SelectingFields.match(entry, request) || !replaces(entry) {
                others.append(entry)
            } else if head.status.code >= 500, entry.head.status.code < 500 {
                return nil
            } else {
                replaced.append(entry)
            }
        }
        others.sort { $0.responseDate < $1.responseDate }
        return replaced + others.dropLast(Self.maximumVariantCount - 1)
    }

    /// A complete response replaces any selected response; a partial one only the same part.
    private func replaces(_ entry: CacheEntry) -> Bool {
        guard head.status == .partialContent else { return true }
        return entry.head.status == .partialContent
            && entry.selectingFields[.range] == selectingFields[.range]
    }

    /// The maximum number of responses with one key.
    private static let maximumVariantCount = 32

    private static func isAllowed(_ control: CacheControl, _ code: Int) -> Bool {
        control.mustUnderstand ? understoodStatuses.contains(code) : !control.noStore
    }

    /// The response to a POST can be reused for a GET if its Content-Location says so.
    ///
    /// - Source: RFC 9110 §9.3.3.
    private static func isReusableForGet(
        _ head: HTTPResponse, _ request: TransportRequest, _ control: CacheControl
    ) -> Bool {
        if request.method == .get { return request.body.isEmpty }
        guard request.method == .post, (200..<300).contains(head.status.code),
            head.status != .partialContent, hasExpiry(head, control),
            let location = head.headerFields[fields: .contentLocation].first,
            let url = try? request.url.resolving(location)
        else { return false }
        return url.requestText == request.url.requestText
    }

    private static func hasExpiry(_ head: HTTPResponse, _ control: CacheControl) -> Bool {
        control.maxAge != nil || head.headerFields.contains(.expires)
    }

    /// Returns a Boolean value that indicates whether responses with a status may be reused with a
    /// heuristic freshness lifetime.
    ///
    /// - Source: RFC 9110 §15.1.
    static func isHeuristicallyCacheable(_ code: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(code)
    }

    /// The status codes whose caching requirements this cache implements (`must-understand`).
    private static let understoodStatuses: Set<Int> = [
        200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404,
        405, 406, 407, 408, 409, 410, 411, 413, 414, 415, 417, 421, 422, 426, 428, 429, 431, 451,
        500, 501, 502, 503, 504, 505, 511,
    ]
}
