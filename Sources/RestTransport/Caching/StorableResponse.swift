// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A response that may be stored once its body is complete.
///
/// - Source: RFC 9111 §3.
package struct StorableResponse: Sendable, Hashable {
    /// The header to store.
    package let head: HTTPResponse

    /// What the response varies with, as ``CacheEntry/requestFields``.
    package let requestFields: HTTPFields

    /// Judges a response; there is nothing when it may not be stored, or never could be served.
    ///
    /// - Parameters:
    ///   - head: Its head.
    ///   - request: The request it answers, without the cache's own conditions.
    ///   - date: When it came.
    package init?(_ head: HTTPResponse, to request: TransportRequest, at date: Date) {
        let control = CacheControl(head.headerFields)
        let code = head.status.code
        guard code >= 200, code != 304, code != 412, code != 416,
            Self.isAllowed(control, code),
            !CacheControl(ofRequest: request.headerFields).noStore,
            Self.isAnswerToLaterGet(head, request, control),
            control.isPublic || control.isPrivate || Self.hasExpiry(head, control)
                || Self.isHeuristicallyCacheable(code),
            var fields = Variation.fields(of: request, selecting: head)
        else { return nil }
        if code == 206 {
            guard let range = request.headerFields[.range] else { return nil }
            fields[.range] = SHA256.hexadecimalDigest(of: Array(range.utf8))
        }
        self.head = StoredHead.of(head, receivedAt: date)
        requestFields = fields
    }

    /// Whether a body has the length that its header announced.
    package func isComplete(bodyByteCount: Int) -> Bool {
        guard let text = head.headerFields.first(.contentLength),
            !head.headerFields.contains(.contentEncoding)
        else { return true }
        return Int(text) == bodyByteCount
    }

    /// The stored responses that this one takes the place of.
    ///
    /// - Parameters:
    ///   - entries: The stored responses under the key.
    ///   - request: The request it answers.
    /// - Returns: `nil` when this one must not be stored, as an error of the server that would push
    ///   out something good.
    package func replaced(
        of entries: [CacheEntry], by request: TransportRequest
    ) -> [CacheEntry]? {
        var replaced: [CacheEntry] = []
        var others: [CacheEntry] = []
        for entry in entries {
            if !Variation.selects(entry, request) || !takesPlace(of: entry) {
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

    /// Whether this response, a whole or a part, is for the same requests as a stored one.
    private func takesPlace(of entry: CacheEntry) -> Bool {
        guard head.status == .partialContent else { return true }
        return entry.head.status == .partialContent
            && entry.requestFields[.range] == requestFields[.range]
    }

    /// The most responses kept under one key.
    private static let maximumVariantCount = 32

    private static func isAllowed(_ control: CacheControl, _ code: Int) -> Bool {
        control.mustUnderstand ? understoodStatuses.contains(code) : !control.noStore
    }

    /// Whether it answers a GET; that to a POST does when it says so.
    ///
    /// - Source: RFC 9110 §9.3.3.
    private static func isAnswerToLaterGet(
        _ head: HTTPResponse, _ request: TransportRequest, _ control: CacheControl
    ) -> Bool {
        if request.method == .get { return request.body.isEmpty }
        guard request.method == .post, (200..<300).contains(head.status.code),
            head.status != .partialContent, hasExpiry(head, control),
            let location = head.headerFields[.contentLocation],
            let url = try? request.url.resolving(location)
        else { return false }
        return url.requestText == request.url.requestText
    }

    private static func hasExpiry(_ head: HTTPResponse, _ control: CacheControl) -> Bool {
        control.maxAge != nil || head.headerFields.contains(.expires)
    }

    /// Whether responses with a status may be served for a guessed time.
    ///
    /// - Source: RFC 9110 §15.1.
    static func isHeuristicallyCacheable(_ code: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(code)
    }

    /// The statuses whose rules for caches are kept here.
    private static let understoodStatuses: Set<Int> = [
        200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404,
        405, 406, 407, 408, 409, 410, 411, 413, 414, 415, 417, 421, 422, 426, 428, 429, 431, 451,
        500, 501, 502, 503, 504, 505, 511,
    ]
}
