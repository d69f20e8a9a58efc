// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What to do with a request, given what is stored.
///
/// A pure function of the request with its ``CachePolicy``, the stored responses under its key, and
/// the time; ``HTTPCache`` acts on it.
package enum CacheDecision: Sendable, Hashable {
    /// A stored response is the answer.
    case serve(Serving)

    /// The server is asked.
    case ask(Question)

    /// Nothing stored may be served and the server may not be asked: 504.
    case unavailable

    /// A stored response as the answer.
    package struct Serving: Sendable, Hashable {
        /// The stored response.
        package var entry: CacheEntry

        /// What it answers.
        package var answer: StoredAnswer

        /// How old it is, in seconds.
        package var age: Int

        /// Whether it is no longer fresh.
        package var isStale: Bool

        /// What to ask the server meanwhile, so that the next request finds a fresh response.
        package var refresh: Question?
    }

    /// A request for the server.
    package struct Question: Sendable, Hashable {
        /// What the answer is for.
        package var purpose: TransportRequest

        /// What goes to the server: the same, with the validators of ``held`` if it is conditional.
        package var request: TransportRequest

        /// The stored response that the request selects but cannot have.
        package var held: CacheEntry?

        /// Whether 304 means ``held``.
        package var isConditional = false

        /// A request as it is.
        package init(_ request: TransportRequest, held: CacheEntry? = nil) {
            purpose = request
            self.request = request
            self.held = held
        }

        /// A request about a stored response.
        package init(_ request: TransportRequest, about entry: CacheEntry) {
            self.init(request)
            if let conditional = ConditionalRequest.asking(about: entry, for: request) {
                self.request = conditional
                held = entry
                isConditional = true
            } else if !ConditionalRequest.hasConditions(request) {
                // With conditions of the request's own, a 304 is the request's.
                held = entry
            }
        }
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - request: The request, as it would go to the server.
    ///   - entries: The stored responses under its key.
    ///   - date: The present.
    /// - Returns: What to do.
    /// - Source: RFC 9111 §4, §5.2.1; RFC 5861 §3; RFC 8246.
    package static func decide(
        on request: TransportRequest, entries: [CacheEntry], at date: Date
    ) -> CacheDecision {
        let wanted = CacheControl(ofRequest: request.headerFields)
        let isOffline = request.cachePolicy == .cacheOnly || wanted.onlyIfCached
        let unconditional: CacheDecision =
            isOffline ? .unavailable : .ask(Question(request))
        guard usesStored(request, wanted),
            let (entry, answer) = selection(from: entries, for: request)
        else { return unconditional }
        let control = CacheControl(entry.head.headerFields)
        let freshness = Freshness(of: entry, control: control, at: date)
        let judgement = Judgement(
            control: control, wanted: wanted, freshness: freshness, policy: request.cachePolicy)
        let use = judgement.use
        switch use {
        case .no:
            return isOffline ? .unavailable : .ask(Question(request, about: entry))
        case .yes, .whileRefreshing:
            let refreshes = use == .whileRefreshing && !isOffline
            let refresh = refreshes ? refresh(of: entry, after: request) : nil
            return .serve(
                Serving(
                    entry: entry, answer: answer, age: freshness.ageInSeconds,
                    isStale: !freshness.isFresh, refresh: refresh))
        }
    }

    /// Whether what is stored may matter to a request at all.
    private static func usesStored(_ request: TransportRequest, _ wanted: CacheControl) -> Bool {
        guard request.method == .get || request.method == .head, request.body.isEmpty,
            !wanted.noStore, request.cachePolicy != .ignore
        else { return false }
        // Conditions that only the origin can judge.
        return !request.headerFields.contains(.ifMatch)
            && !request.headerFields.contains(.ifUnmodifiedSince)
    }

    /// The stored response that a request selects, the latest of several.
    private static func selection(
        from entries: [CacheEntry], for request: TransportRequest
    ) -> (CacheEntry, StoredAnswer)? {
        var best: (CacheEntry, StoredAnswer)?
        for entry in entries where Variation.selects(entry, request) {
            guard let answer = StoredAnswer.of(entry, to: request) else { continue }
            if let best, !isPreferred(entry, to: best.0) { continue }
            best = (entry, answer)
        }
        return best
    }

    private static func isPreferred(_ entry: CacheEntry, to other: CacheEntry) -> Bool {
        entry.responseDate > other.responseDate
    }

    /// What brings a fresh response for the next such request.
    private static func refresh(
        of entry: CacheEntry, after request: TransportRequest
    ) -> Question? {
        guard request.method == .get else { return nil }
        var request = request
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .ifRange] {
            request.headerFields[name] = nil
        }
        if entry.head.status != .partialContent { request.headerFields[.range] = nil }
        return Question(request, about: entry)
    }
}

/// Whether a selected response may be served.
struct Judgement {
    enum Use {
        case yes
        case whileRefreshing
        case no
    }

    let control: CacheControl
    let wanted: CacheControl
    let freshness: Freshness
    let policy: CachePolicy

    var use: Use {
        // What the server or the request's own header forbids, no policy allows.
        if control.noCache || wanted.noCache { return .no }
        if policy == .revalidate {
            return control.isImmutable && freshness.isFresh ? .yes : .no
        }
        if freshness.isFresh, isAccepted { return .yes }
        if control.mustRevalidate, !freshness.isFresh { return .no }
        if policy == .cacheFirst || policy == .cacheOnly { return .yes }
        guard isAccepted, !freshness.isFresh else { return .no }
        if let limit = wanted.maxStale,
            limit == CacheControl.maximumSeconds || freshness.staleness <= Double(limit)
        {
            return .yes
        }
        guard let limit = control.staleWhileRevalidate, freshness.staleness <= Double(limit) else {
            return .no
        }
        return .whileRefreshing
    }

    /// Whether the request's own directives accept the response's age.
    private var isAccepted: Bool {
        if let limit = wanted.maxAge, freshness.age > Double(limit) { return false }
        if let limit = wanted.minFresh, -freshness.staleness < Double(limit) { return false }
        return true
    }
}
