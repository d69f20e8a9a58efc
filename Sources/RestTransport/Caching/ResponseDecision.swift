// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What to do with a server's response, given what was asked.
///
/// A pure function; ``HTTPCache`` acts on it.
package enum ResponseDecision: Sendable, Hashable {
    /// The stored response holds; this is how it reads now, and whether it may be kept.
    case confirmed(CacheEntry, isKept: Bool)

    /// The 304 is about something else than what is stored: that goes and the server is asked
    /// again, without conditions.
    case mismatched(CacheEntry)

    /// The stored response is served in place of the server's error.
    case insteadOfError(CacheEntry)

    /// The response is the answer, and the store changes.
    case deliver([Change])

    /// A change of the store.
    package enum Change: Sendable, Hashable {
        /// The response is stored when its body is complete.
        case store(StorableResponse)

        /// A stored response has a new header.
        case update(CacheEntry)

        /// A stored response does not hold any more.
        case remove(CacheEntry)

        /// What is stored under an address, given without fragment, does not hold any more.
        case invalidate(String)
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - question: What was asked of the server.
    ///   - requestDate: When the server was asked.
    ///   - responseDate: When it answered.
    /// - Returns: What to do.
    /// - Source: RFC 9111 §3, §4.3.3 to §4.4; RFC 5861 §4.
    package static func decide(
        on head: HTTPResponse, to question: CacheDecision.Question, requestDate: Date,
        responseDate: Date
    ) -> ResponseDecision {
        let request = question.purpose
        guard request.method == .get else {
            return .deliver(
                changes(by: head, to: request, held: question.held, requestDate, responseDate))
        }
        let held = question.held
        if head.status == .notModified {
            guard question.isConditional, let held else { return .deliver([]) }
            guard ConditionalRequest.validators(of: head, match: held) else {
                return .mismatched(held)
            }
            return confirmed(held, by: head, for: request, requestDate, responseDate)
        }
        if let held, [500, 502, 503, 504].contains(head.status.code),
            allowsStale(held, insteadOfErrorFor: request, at: responseDate)
        {
            return .insteadOfError(held)
        }
        if let storable = StorableResponse(head, to: request, at: responseDate) {
            return .deliver([.store(storable)])
        }
        let code = head.status.code
        let isNews = code < 400 && code != 206 || code == 404 || code == 410
        guard isNews, let held else { return .deliver([]) }
        return .deliver([.remove(held)])
    }

    /// Whether a stored response may be served in place of an error.
    ///
    /// - Source: RFC 5861 §4.
    package static func allowsStale(
        _ entry: CacheEntry, insteadOfErrorFor request: TransportRequest, at date: Date
    ) -> Bool {
        let control = CacheControl(entry.head.headerFields)
        let wanted = CacheControl(ofRequest: request.headerFields)
        guard !control.noCache, !control.mustRevalidate, !wanted.noCache,
            request.cachePolicy != .revalidate, entry.head.status.code < 500,
            let limit = [control.staleIfError, wanted.staleIfError].compactMap({ $0 }).max()
        else { return false }
        return Freshness(of: entry, control: control, at: date).staleness <= Double(limit)
    }

    /// Whether a method changes nothing on the server.
    package static func isSafe(_ method: HTTPRequest.Method) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY"]
            .contains(method.rawValue)
    }

    private static func confirmed(
        _ held: CacheEntry, by head: HTTPResponse, for request: TransportRequest,
        _ requestDate: Date, _ responseDate: Date
    ) -> ResponseDecision {
        var entry = updated(held, by: head, requestDate, responseDate)
        let fields = Variation.fields(of: request, selecting: entry.head)
        if var fields {
            fields[.range] = fields[.range] ?? held.requestFields[.range]
            entry.requestFields = fields
        }
        let mayBeKept = !CacheControl(head.headerFields).noStore
        return .confirmed(entry, isKept: fields != nil && mayBeKept)
    }

    private static func updated(
        _ held: CacheEntry, by head: HTTPResponse, _ requestDate: Date, _ responseDate: Date
    ) -> CacheEntry {
        var entry = held
        entry.head = StoredHead.of(held.head, updatedBy: head, receivedAt: responseDate)
        entry.requestDate = requestDate
        entry.responseDate = responseDate
        return entry
    }

    /// What responses to other methods than GET change.
    private static func changes(
        by head: HTTPResponse, to request: TransportRequest, held: CacheEntry?,
        _ requestDate: Date, _ responseDate: Date
    ) -> [Change] {
        let code = head.status.code
        if request.method == .head {
            guard let held, code == 200 else { return [] }
            return [change(of: held, byHead: head, requestDate, responseDate)].compactMap { $0 }
        }
        guard !isSafe(request.method), (200..<400).contains(code) else { return [] }
        var changes = invalidatedAddresses(by: head, of: request).map { Change.invalidate($0) }
        if let storable = StorableResponse(head, to: request, at: responseDate) {
            changes.append(.store(storable))
        }
        return changes
    }

    /// What the header of a HEAD says of a stored response: that it holds, if the validators or the
    /// length show that it is the same, or that it does not, if they differ.
    ///
    /// - Source: RFC 9111 §4.3.5.
    private static func change(
        of held: CacheEntry, byHead head: HTTPResponse, _ requestDate: Date, _ responseDate: Date
    ) -> Change? {
        let fields = head.headerFields
        let length = fields[.contentLength]
        let sameLength = length == nil || length == held.head.headerFields[.contentLength]
        guard sameLength, ConditionalRequest.validators(of: head, match: held) else {
            return .remove(held)
        }
        guard length != nil || fields.contains(.eTag) || fields.contains(.lastModified),
            held.head.status == .ok, !CacheControl(fields).noStore,
            Variation.fieldNames(of: head) == Variation.fieldNames(of: held.head)
        else { return nil }
        return .update(updated(held, by: head, requestDate, responseDate))
    }

    /// The addresses that an unsafe request may have changed, all of its own origin.
    ///
    /// - Source: RFC 9111 §4.4.
    private static func invalidatedAddresses(
        by head: HTTPResponse, of request: TransportRequest
    ) -> [String] {
        var addresses = [request.url.requestText]
        for name in [HTTPField.Name.location, .contentLocation] {
            guard let text = head.headerFields[name], let url = try? request.url.resolving(text),
                url.origin == request.url.origin, !addresses.contains(url.requestText)
            else { continue }
            addresses.append(url.requestText)
        }
        return addresses
    }
}
