// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The decision whether a response is delivered or its redirect followed.
///
/// A pure function of the request, the response head and the policy; `RedirectStage` acts on it.
package enum RedirectDecision: Sendable, Hashable {
    /// The response is delivered.
    case deliver

    /// The redirect is followed with another request.
    ///
    /// `isCrossOrigin` indicates that the request goes to an origin that is neither that of the
    /// first request nor trusted.
    case follow(TransportRequest, isCrossOrigin: Bool)

    /// The redirect must not be followed, for the given reason.
    case refuse(TransportError.Code, reason: String)

    /// Returns the decision about a response.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - request: The request that it answers.
    ///   - count: The number of redirects followed so far.
    ///   - limit: The maximum number of redirects to follow.
    ///   - policy: The redirects to follow and the origins to trust.
    /// - Returns: The decision.
    /// - Source: RFC 9110 §15.4; RFC 9110 §10.2.2 for the fragment.
    package static func decide(
        on response: HTTPResponse, to request: TransportRequest, after count: Int, limit: Int,
        policy: RedirectPolicy
    ) -> RedirectDecision {
        guard policy.followsRedirects, [301, 302, 303, 307, 308].contains(response.status.code)
        else { return .deliver }
        let locations = Set(response.headerFields[fields: .location])
        guard let location = locations.first else { return .deliver }
        guard locations.count == 1 else {
            return .refuse(.redirectRefused, reason: "several different Location fields")
        }
        guard !location.value.isEmpty else {
            return .refuse(.redirectRefused, reason: "the Location field is empty")
        }
        let target: HTTPURL
        do throws(TransportError) {
            target = try self.target(of: location, from: request.url)
        } catch {
            return .refuse(.redirectRefused, reason: "Location: \(error.reason)")
        }
        if request.url.scheme == .https, target.scheme == .http, !policy.allowsInsecureTarget {
            return .refuse(.redirectRefused, reason: "from https to http")
        }
        guard count < limit else {
            return .refuse(.tooManyRedirects, reason: "more than \(limit) redirects")
        }
        return next(after: request, to: target, status: response.status.code, policy: policy)
    }

    private static func target(
        of location: HTTPField, from url: HTTPURL
    ) throws(TransportError) -> HTTPURL {
        let target = try url.resolving(location)
        guard target.fragment == nil, let fragment = url.fragment else { return target }
        return try HTTPURL(parsing: "\(target.text)#\(fragment)")
    }

    private static func next(
        after request: TransportRequest, to target: HTTPURL, status: Int, policy: RedirectPolicy
    ) -> RedirectDecision {
        var next = request
        next.url = target
        let isReadOnly = request.method == .get || request.method == .head
        let becomesGet = status == 303 ? !isReadOnly : status < 303 && request.method == .post
        if becomesGet {
            next.method = .get
        }
        if becomesGet || status == 303 {
            next.body = .empty
            next.headerFields = next.headerFields.filter { field in
                !field.name.canonicalName.hasPrefix("content-")
            }
        }
        let isCrossOrigin =
            !target.hasSameOrigin(as: request.url)
            && !policy.trustedOrigins.contains(target.origin)
        if isCrossOrigin {
            guard next.body.isEmpty else {
                return .refuse(
                    .redirectRefused, reason: "the body would be sent again, to another origin")
            }
            next.headerFields = next.headerFields.filter(CrossOriginPolicy.allows)
        }
        guard next.body.isReplayable else {
            return .refuse(
                .bodyNotReplayable,
                reason: "the redirect would send the body again, which can be read only once")
        }
        return .follow(next, isCrossOrigin: isCrossOrigin)
    }
}
