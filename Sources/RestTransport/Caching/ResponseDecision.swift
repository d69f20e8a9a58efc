// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The decision how a response of the server is delivered and how it changes the storage.
///
/// A pure function; ``HTTPCache`` carries it out.
package enum ResponseDecision: Sendable, Hashable {
    /// The stored response was validated; the entry is the updated one, which may be stored or not.
    case validated(CacheEntry, isStorable: Bool)

    /// The validators of the 304 response are not those of the stored response, which is removed;
    /// the request is sent again without conditions.
    case validatorMismatch(CacheEntry)

    /// The stored response is reused instead of the server's error.
    case staleIfError(CacheEntry)

    /// The response is delivered, and the storage changes.
    case deliver([Change])

    /// A change of the storage.
    package enum Change: Sendable, Hashable {
        /// Stores the response when its body is complete.
        case store(StorableResponse)

        /// Updates the header fields of a stored response.
        case update(CacheEntry)

        /// Removes a stored response that is outdated.
        case remove(CacheEntry)

        /// Invalidates the stored responses with a URL, which has no fragment.
        case invalidate(String)
    }

    /// Returns the decision for a response.
    ///
    /// - Parameters:
    ///   - head: The status and header fields of the response.
    ///   - forwarded: The request that the server received.
    ///   - requestDate: The time at which the request was sent.
    ///   - responseDate: The time at which the response was received.
    /// - Returns: The decision.
    /// - Source: RFC 9111 §3, §4.3.3 to §4.4; RFC 5861 §4.
    package static func decide(
        on head: HTTPResponse, to forwarded: CacheDecision.ForwardedRequest, requestDate: Date,
        responseDate: Date
    ) -> ResponseDecision {
        let request = forwarded.original
        let stored = forwarded.storedEntry
        guard request.method == .get else {
            return .deliver(
                changes(by: head, to: request, stored: stored, requestDate, responseDate))
        }
        if head.status == .notModified {
            guard forwarded.isConditional, let stored else { return .deliver([]) }
            guard HTTPValidators(of: stored.head.headerFields).areConfirmed(by: head.headerFields)
            else {
                return .validatorMismatch(stored)
            }
            return validated(stored, by: head, for: request, requestDate, responseDate)
        }
        if let stored, [500, 502, 503, 504].contains(head.status.code),
            allowsStale(stored, insteadOfErrorFor: request, at: responseDate)
        {
            return .staleIfError(stored)
        }
        if let storable = StorableResponse(head, to: request, at: responseDate) {
            return .deliver([.store(storable)])
        }
        let code = head.status.code
        let isReplacement = code < 400 && code != 206 || code == 404 || code == 410
        guard isReplacement, let stored else { return .deliver([]) }
        return .deliver([.remove(stored)])
    }

    /// Returns a Boolean value that indicates whether a stored response may be reused instead of an
    /// error.
    ///
    /// - Source: RFC 5861 §4.
    package static func allowsStale(
        _ entry: CacheEntry, insteadOfErrorFor request: TransportRequest, at date: Date
    ) -> Bool {
        let control = CacheControl(entry.head.headerFields)
        let requestControl = CacheControl(ofRequest: request.headerFields)
        guard !control.noCache, !control.mustRevalidate, !requestControl.noCache,
            request.cachePolicy != .revalidate, entry.head.status.code < 500,
            let limit = [control.staleIfError, requestControl.staleIfError].compactMap({ $0 }).max()
        else { return false }
        return Freshness(of: entry, control: control, at: date).staleness <= Double(limit)
    }

    private static func validated(
        _ stored: CacheEntry, by head: HTTPResponse, for request: TransportRequest,
        _ requestDate: Date, _ responseDate: Date
    ) -> ResponseDecision {
        var entry = updated(stored, by: head, requestDate, responseDate)
        let fields = SelectingFields.digests(of: request, for: entry.head)
        if var fields {
            fields[.range] = fields[.range] ?? stored.selectingFields[.range]
            entry.selectingFields = fields
        }
        let isStorable = !CacheControl(head.headerFields).noStore
        return .validated(entry, isStorable: fields != nil && isStorable)
    }

    private static func updated(
        _ stored: CacheEntry, by head: HTTPResponse, _ requestDate: Date, _ responseDate: Date
    ) -> CacheEntry {
        var entry = stored
        entry.head = StoredHead.of(stored.head, updatedBy: head, receivedAt: responseDate)
        entry.requestDate = requestDate
        entry.responseDate = responseDate
        return entry
    }

    /// Returns the changes of the storage by a response to another method than GET.
    private static func changes(
        by head: HTTPResponse, to request: TransportRequest, stored: CacheEntry?,
        _ requestDate: Date, _ responseDate: Date
    ) -> [Change] {
        let code = head.status.code
        if request.method == .head {
            guard let stored, code == 200 else { return [] }
            return [change(of: stored, byHead: head, requestDate, responseDate)].compactMap { $0 }
        }
        guard !request.method.isSafe, (200..<400).contains(code) else { return [] }
        var changes = invalidatedURLs(by: head, of: request).map { Change.invalidate($0) }
        if let storable = StorableResponse(head, to: request, at: responseDate) {
            changes.append(.store(storable))
        }
        return changes
    }

    /// Returns the change of a stored response by the response to a HEAD.
    ///
    /// The stored response is updated if the validators or the length show that it is the same
    /// representation, and removed if they differ.
    ///
    /// - Source: RFC 9111 §4.3.5.
    private static func change(
        of stored: CacheEntry, byHead head: HTTPResponse, _ requestDate: Date, _ responseDate: Date
    ) -> Change? {
        let fields = head.headerFields
        let length = fields[.contentLength]
        let sameLength = length == nil || length == stored.head.headerFields[.contentLength]
        guard sameLength,
            HTTPValidators(of: stored.head.headerFields).areConfirmed(by: head.headerFields)
        else {
            return .remove(stored)
        }
        guard length != nil || fields.contains(.eTag) || fields.contains(.lastModified),
            stored.head.status == .ok, !CacheControl(fields).noStore,
            SelectingFields.names(of: head) == SelectingFields.names(of: stored.head)
        else { return nil }
        return .update(updated(stored, by: head, requestDate, responseDate))
    }

    /// Returns the URLs that an unsafe request may have changed, all with the origin of the
    /// request.
    ///
    /// - Source: RFC 9111 §4.4.
    private static func invalidatedURLs(
        by head: HTTPResponse, of request: TransportRequest
    ) -> [String] {
        var urls = [request.url.requestText]
        for name in [HTTPField.Name.location, .contentLocation] {
            guard let field = head.headerFields[fields: name].first,
                let url = try? request.url.resolving(field), url.origin == request.url.origin,
                !urls.contains(url.requestText)
            else { continue }
            urls.append(url.requestText)
        }
        return urls
    }
}
