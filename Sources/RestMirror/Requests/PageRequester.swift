// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDefinition
import RestDocument
import RestPersistence
import RestTransport

/// A response for a page, after all attempts.
struct FetchedPage: Sendable {
    enum Content: Sendable {
        /// The stored page has not changed, by the server or by the digest of the body.
        case unmodified
        /// The response has no records, and the list ends.
        case nothing
        /// The list has to be read from its beginning.
        case restart
        /// The document of a body with another digest than that of the stored page.
        case document(Document)
    }

    let content: Content
    let head: HTTPResponse
    let url: HTTPURL
    /// The digest of the body.
    let digest: [UInt8]
    /// The number of requests that were sent.
    let requestCount: Int
    /// The number of bytes of the body.
    let byteCount: Int

    /// The time of the response by the clock of the server, in seconds since 1970.
    var date: Int64? {
        head.headerFields[.date].flatMap { HTTPDate.parse($0) }
            .map { Int64($0.timeIntervalSince1970) }
    }

    var entityTag: String? { head.headerFields[.eTag] }

    /// The time of the last modification, if the response is at least a second younger: two states within one
    /// second have the same time.
    var lastModified: String? {
        guard let text = head.headerFields[.lastModified], let modified = HTTPDate.parse(text),
            let date = head.headerFields[.date].flatMap({ HTTPDate.parse($0) }),
            date.timeIntervalSince(modified) >= 1
        else { return nil }
        return text
    }
}

/// The sending of requests for pages: conditions, budgets, waits and further attempts.
struct PageRequester: Sendable {
    let client: HTTPClient
    let budget: RequestBudget
    let resource: ResourceDefinition
    let rules: [ResponseRule]
    let format: BodyFormat
    let report: @Sendable (MirrorEvent) -> Void
    /// The renewal of the access token; `nil` for credentials that cannot be renewed.
    let renewal: CredentialRenewal?
    /// The requests that the run may still send.
    var allowance = RequestAllowance(.none)

    private static let attemptCount = 6

    /// Sends a request until there is a response that says something about the page.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - stored: The stored page with which the response is compared; `nil` for none.
    ///   - isConditional: A Boolean value that indicates whether the request may have a condition.
    ///   - hasParents: A Boolean value that indicates whether the list belongs to parents.
    ///   - hasInterval: A Boolean value that indicates whether the request is for changes.
    /// - Returns: The response.
    /// - Throws: ``MirrorError``, or `CancellationError`.
    func fetch(
        _ request: TransportRequest, unless stored: StoredListPage?, isConditional: Bool = true,
        hasParents: Bool, hasInterval: Bool
    ) async throws -> FetchedPage {
        var request = request
        let isConditional = isConditional && stored?.hasValidator == true
        if isConditional {
            request.headerFields[.ifNoneMatch] = stored?.entityTag
            request.headerFields[.ifModifiedSince] = stored?.lastModified
        }
        var attempts = 0
        var hasRefreshed = false
        while true {
            try await waitForBudget()
            try await allowance.take()
            attempts += 1
            let token = renewal?.token
            let response: TransportResponse
            let body: [UInt8]
            do {
                response = try await client.send(request)
                body = try await response.collect()
            } catch let error as TransportError {
                try Task.checkCancellation()
                guard RetryPolicy.isTransient(error), attempts < Self.attemptCount else {
                    throw MirrorError(
                        .requestFailed, resource: resource.name, url: request.url.redacted,
                        underlying: error)
                }
                try await back(off: attempts, "\(error.code)")
                continue
            }
            try await note(response.head)
            report(
                .response(
                    MirrorEvent.Response(
                        resource: resource.name, status: response.status.code,
                        byteCount: body.count, remainingRequestCount: await budget.remaining)))
            let decision = ResponseDecision(
                response.head, body: needsBody ? try? format.document(of: body) : nil,
                rules: rules, isConditional: isConditional, hasParents: hasParents,
                hasInterval: hasInterval)
            func page(_ content: FetchedPage.Content, _ digest: [UInt8] = []) -> FetchedPage {
                FetchedPage(
                    content: content, head: response.head, url: response.url, digest: digest,
                    requestCount: attempts, byteCount: body.count)
            }
            switch decision {
            case .records:
                let digest = XXHash64.digest(of: body)
                if digest == stored?.digest { return page(.unmodified, digest) }
                do throws(MirrorError) {
                    return page(.document(try format.document(of: body)), digest)
                } catch {
                    // A body that ends too early is valid HTTP, but no document.
                    let isPage =
                        response.headerFields[.contentType]?.lowercased()
                        .hasPrefix("text/html") == true
                    guard attempts < Self.attemptCount / 2, !isPage else {
                        var error = error.of(resource.name)
                        error.url = response.url.redacted
                        if isPage {
                            error.details = [
                                "the server responded with a page of HTML; write the URL of the API, and check "
                                    + "whether it needs credentials"
                            ]
                        }
                        throw error
                    }
                    try await back(off: attempts, "the body is no document")
                }
            case .unmodified: return page(.unmodified, stored?.digest ?? [])
            case .ignore: return page(.nothing)
            case .restart: return page(.restart)
            case .wait where attempts < Self.attemptCount:
                let imposed = budget.reset(response.headerFields)
                let delay = imposed ?? RetryPolicy.default.maximumDelay
                try await block(for: delay)
            case .retry where attempts < Self.attemptCount:
                let imposed = RetryAfter.delay(
                    in: response.headerFields, isLimited: false, date: client.clock.date)
                if let imposed {
                    try await block(for: imposed)
                } else {
                    try await back(off: attempts, "status \(response.status.code)")
                }
            case .refresh where !hasRefreshed && renewal != nil:
                hasRefreshed = true
                renewal?.renew(token ?? renewal?.token)
            case .refresh, .fail, .wait, .retry: throw refused(response)
            }
        }
    }

    /// The time of the client.
    var date: Date { client.clock.date }

    /// The time of the client, in seconds since 1970.
    var now: Int64 { Int64(client.clock.date.timeIntervalSince1970) }

    private var needsBody: Bool { rules.contains { !$0.conditions.isEmpty } }

    // MARK: Waiting

    private func waitForBudget() async throws {
        while let delay = try await storing({ try await budget.take() }) {
            if delay > budget.maximumWait { throw spent(delay) }
            if delay > .milliseconds(500) {
                report(
                    .waiting(
                        resource: resource.name, seconds: delay / .seconds(1),
                        reason: "the budget of requests"))
            }
            try await client.clock.sleep(until: client.clock.now + delay)
        }
        try Task.checkCancellation()
    }

    private func note(_ head: HTTPResponse) async throws {
        try await storing { try await budget.note(head) }
    }

    /// Refuses requests for a time that the server imposes, which later runs obey as well.
    private func block(for delay: Duration) async throws {
        try await storing { try await budget.block(for: delay) }
        if delay > budget.maximumWait { throw spent(delay) }
    }

    private func storing<Value: Sendable>(
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as PersistenceError {
            throw MirrorError(
                .storeFailed, resource: resource.name, details: error.details, underlying: error)
        }
    }

    private func back(off attempts: Int, _ reason: String) async throws {
        var generator = SystemRandomNumberGenerator()
        let delay = RetryPolicy.default.backoff(afterAttempts: attempts, using: &generator)
        report(.waiting(resource: resource.name, seconds: delay / .seconds(1), reason: reason))
        try await client.clock.sleep(until: client.clock.now + delay)
    }

    // MARK: Errors

    private func spent(_ delay: Duration) -> MirrorError {
        let minutes = Int((delay / .seconds(60)).rounded(.up))
        let time = minutes < 2_880 ? "\(minutes) min" : "\(minutes / 1_440) days"
        return MirrorError(
            .budgetSpent, resource: resource.name,
            details: [
                "the server accepts requests again in \(time); run the command again then"
            ])
    }

    private func refused(_ response: TransportResponse) -> MirrorError {
        let code = response.status.code
        let advice =
            switch code {
            case 401, 403: "; check the credentials of the definition"
            case 404: "; check the path of the resource"
            case 304: ", although the request has no condition"
            default: ""
            }
        return MirrorError(
            .responseRefused, resource: resource.name, url: response.url.redacted,
            details: ["the server responded with status \(code)\(advice)"])
    }
}
