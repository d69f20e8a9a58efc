// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The decision whether a request is answered from stored responses or forwarded.
///
/// A pure function of the request with its ``CachePolicy``, the stored responses with its key, and
/// the time; ``HTTPCache`` carries it out.
package enum CacheDecision: Sendable, Hashable {
    /// A stored response is reused.
    case reuse(Reuse)

    /// The request is forwarded to the server.
    case forward(ForwardedRequest)

    /// The response is 504: no stored one may be reused, and the request must not be forwarded.
    case unavailable

    /// The reuse of a stored response.
    package struct Reuse: Sendable, Hashable {
        /// The stored response.
        package var entry: CacheEntry

        /// The response to construct from the stored one.
        package var response: ConstructedResponse

        /// The age of the stored response in seconds.
        package var age: Int

        /// A Boolean value that indicates whether the stored response is stale.
        package var isStale: Bool

        /// The request that validates the stored response in the background, so that the next
        /// request finds a fresh one.
        package var validation: ForwardedRequest?
    }

    /// A request that is forwarded to the server.
    package struct ForwardedRequest: Sendable, Hashable {
        /// The request that the cache received.
        package var original: TransportRequest

        /// The request to send: the original one with the directives of its ``CachePolicy``, and
        /// with the validators of ``storedEntry`` if it is conditional.
        package var request: TransportRequest

        /// The stored response that the original request selects but that must not be reused
        /// without validation.
        package var storedEntry: CacheEntry?

        /// A Boolean value that indicates whether a 304 response refers to ``storedEntry``.
        package var isConditional = false

        /// Creates a forwarded request without conditions of the cache.
        package init(_ request: TransportRequest) {
            original = request
            self.request = request.withCacheDirectives()
        }

        /// Creates a request that validates a stored response, if that is possible.
        package init(_ request: TransportRequest, validating entry: CacheEntry) {
            original = request
            let isImmutable = CacheControl(entry.head.headerFields).isImmutable
            self.request = request.withCacheDirectives(validatesImmutable: isImmutable)
            if let conditional = ConditionalRequest.validating(entry, for: self.request) {
                self.request = conditional
                storedEntry = entry
                isConditional = true
            } else if !ConditionalRequest.hasConditions(request) {
                // A 304 response to a conditional request refers to what the client has.
                storedEntry = entry
            }
        }
    }

    /// Returns the decision for a request.
    ///
    /// - Parameters:
    ///   - request: The request, as the server would receive it.
    ///   - entries: The stored responses with its key.
    ///   - date: The present time.
    /// - Returns: The decision.
    /// - Source: RFC 9111 §4, §5.2.1; RFC 5861 §3; RFC 8246.
    package static func decide(
        on request: TransportRequest, entries: [CacheEntry], at date: Date
    ) -> CacheDecision {
        let requestControl = CacheControl(ofRequest: request.headerFields)
        let isOffline = request.cachePolicy == .cacheOnly || requestControl.onlyIfCached
        let unconditional: CacheDecision =
            isOffline ? .unavailable : .forward(ForwardedRequest(request))
        guard allowsReuse(request, requestControl),
            let (entry, response) = selection(from: entries, for: request)
        else { return unconditional }
        let control = CacheControl(entry.head.headerFields)
        let freshness = Freshness(of: entry, control: control, at: date)
        let reusability = Reusability(
            control: control, requestControl: requestControl, freshness: freshness,
            policy: request.cachePolicy)
        let result = reusability.result
        switch result {
        case .notAllowed:
            return isOffline ? .unavailable : .forward(ForwardedRequest(request, validating: entry))
        case .allowed, .allowedWhileValidating:
            let validates = result == .allowedWhileValidating && !isOffline
            let validation = validates ? validation(of: entry, after: request) : nil
            return .reuse(
                Reuse(
                    entry: entry, response: response, age: freshness.ageInSeconds,
                    isStale: !freshness.isFresh, validation: validation))
        }
    }

    /// Returns a Boolean value that indicates whether a stored response can be reused for a request
    /// at all.
    private static func allowsReuse(
        _ request: TransportRequest, _ requestControl: CacheControl
    ) -> Bool {
        guard request.method == .get || request.method == .head, request.body.isEmpty,
            !requestControl.noStore, request.cachePolicy != .ignore
        else { return false }
        // Only the origin server can evaluate these preconditions.
        return !request.headerFields.contains(.ifMatch)
            && !request.headerFields.contains(.ifUnmodifiedSince)
    }

    /// Returns the stored response that a request selects, the most recent one of several.
    private static func selection(
        from entries: [CacheEntry], for request: TransportRequest
    ) -> (CacheEntry, ConstructedResponse)? {
        var best: (CacheEntry, ConstructedResponse)?
        for entry in entries where SelectingFields.match(entry, request) {
            guard let response = ConstructedResponse(from: entry, to: request) else { continue }
            if let best, entry.responseDate <= best.0.responseDate { continue }
            best = (entry, response)
        }
        return best
    }

    /// Returns the request that validates a stored response in the background.
    private static func validation(
        of entry: CacheEntry, after request: TransportRequest
    ) -> ForwardedRequest? {
        guard request.method == .get else { return nil }
        var request = request
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .ifRange] {
            request.headerFields[name] = nil
        }
        if entry.head.status != .partialContent { request.headerFields[.range] = nil }
        return ForwardedRequest(request, validating: entry)
    }
}

/// The conditions under which a selected response may be reused.
struct Reusability {
    enum Result {
        case allowed
        case allowedWhileValidating
        case notAllowed
    }

    /// The directives of the stored response.
    let control: CacheControl

    /// The directives of the request.
    let requestControl: CacheControl

    let freshness: Freshness
    let policy: CachePolicy

    var result: Result {
        // A policy never overrides `no-cache`.
        if control.noCache || requestControl.noCache { return .notAllowed }
        if policy == .revalidate {
            return control.isImmutable && freshness.isFresh ? .allowed : .notAllowed
        }
        if freshness.isFresh, requestAcceptsAge { return .allowed }
        if control.mustRevalidate, !freshness.isFresh { return .notAllowed }
        if policy == .cacheFirst || policy == .cacheOnly { return .allowed }
        guard requestAcceptsAge, !freshness.isFresh else { return .notAllowed }
        if let limit = requestControl.maxStale,
            limit == CacheControl.maximumSeconds || freshness.staleness <= Double(limit)
        {
            return .allowed
        }
        guard let limit = control.staleWhileRevalidate, freshness.staleness <= Double(limit) else {
            return .notAllowed
        }
        return .allowedWhileValidating
    }

    /// A Boolean value that indicates whether the request's `max-age` and `min-fresh` accept the
    /// age of the response.
    private var requestAcceptsAge: Bool {
        if let limit = requestControl.maxAge, freshness.age > Double(limit) { return false }
        if let limit = requestControl.minFresh, -freshness.staleness < Double(limit) {
            return false
        }
        return true
    }
}
