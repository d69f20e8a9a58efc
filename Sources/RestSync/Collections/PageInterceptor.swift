// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestNetworking
import RestPersistence
import RestTransport
import Synchronization

/// The outermost interceptor of the request for a page, which validates the stored page.
///
/// Validators do not cover the header fields that a pagination reads. A response with status 304 that
/// has other ones than the stored page confirms nothing. One that has none of them confirms every page
/// but the last one, which can have gained a successor and is always requested in full.
final class PageInterceptor: PageValidator, RequestMoment {
    let moment: CommitPosition
    private let pages: WalkedPages
    private let collections: CollectionReader
    private let state = Mutex<(request: TransportRequest?, confirmed: StoredPage?)>((nil, nil))

    init(_ pages: WalkedPages, _ collections: CollectionReader) {
        self.pages = pages
        self.collections = collections
        moment = collections.beginRequest()
    }

    /// The stored page that the server has confirmed; `nil` if the server sent the page.
    var confirmedPage: StoredPage? { state.withLock(\.confirmed) }

    /// The request as the client sends it, without conditions.
    var request: TransportRequest? { state.withLock(\.request) }

    var unmodifiedPage: UnmodifiedPage? { confirmedPage?.facts.unmodifiedPage }

    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        var request = request
        // The store has the objects, so that a stored body is not needed.
        request.usesCache = false
        state.withLock { [request] in $0.request = request }
        guard let page = pages.usablePage(for: request) else { return try await next.send(request) }
        let response = try await next.send(request.validating(page.validators.httpValidators))
        guard response.status == .notModified else { return response }
        guard page.validators.httpValidators.areConfirmed(by: response.head.headerFields),
            pages.isUnchanged(page, by: response.head) != false,
            try await collections.hasPage(page, of: pages.request)
        else { return try await next.send(request) }
        state.withLock { $0.confirmed = page }
        return response
    }
}

/// The stored pages of a list, which a walk validates.
struct WalkedPages: Sendable {
    /// The list.
    let request: CollectionRequest
    let pagination: Pagination
    /// The pages that may answer, by URL.
    private let pages: [String: StoredPage]

    init(_ pages: [StoredPage], of request: CollectionRequest, _ pagination: Pagination) {
        self.request = request
        self.pagination = pagination
        self.pages = Dictionary(pages.map { ($0.url, $0) }) { first, _ in first }
    }

    /// Returns the stored page that may answer a request; `nil` if the page must be sent.
    fileprivate func usablePage(for request: TransportRequest) -> StoredPage? {
        guard request.method == .get, !ConditionalRequest.hasConditions(request),
            !request.headerFields.contains(.range), request.cachePolicy != .ignore,
            let page = pages[request.url.requestText], page.isComplete, !page.validators.isEmpty,
            CollectionInterceptor.selection(of: request, byVary: page.vary) == page.selection,
            let state = page.facts.unmodifiedPage,
            state.nextPosition != nil || pagination.isDecidedByBody
        else { return nil }
        return page
    }

    /// Returns a Boolean value that indicates whether a response has the values that the pagination
    /// read from the header fields of a stored page; `nil` if it has none of the fields.
    func isUnchanged(_ page: StoredPage, by head: HTTPResponse) -> Bool? {
        pagination.headerValues(in: head).map { Self.digest($0) == page.facts.fields }
    }

    /// Returns the digest of the values that the pagination reads from header fields.
    static func digest(_ values: String) -> String {
        SHA256.hexadecimalDigest(of: Array(values.utf8))
    }
}

extension PageFacts {
    /// The facts about a page that the server sent or confirmed.
    init(_ page: PageResponse, fields: String?, representationCount: Int) {
        let state = UnmodifiedPage(page.page, representationCount: representationCount)
        self.init(fields: fields, state: try? JSONEncoder.sorted.encode(state))
    }

    /// The facts that the request of the next page needs; `nil` if they cannot be read.
    var unmodifiedPage: UnmodifiedPage? {
        state.flatMap { try? JSONDecoder().decode(UnmodifiedPage.self, from: $0) }
    }
}

extension CollectionValidators {
    /// Creates the validators of a response.
    ///
    /// A time of modification is a validator only if it is strong: two states of a list within one second
    /// have the same time, so that a later response would confirm the earlier state. It is strong if the
    /// response is at least one second younger by the clock of the server, or one minute by another clock.
    ///
    /// - Source: RFC 9110 §8.8.2.2; RFC 7232 §2.2.2 for the minute.
    init(of head: HTTPResponse, receivedAt date: Date) {
        let fields = head.headerFields
        let validators = HTTPValidators(of: fields)
        self.init(entityTag: validators.entityTag.map { Data($0) })
        guard let modified = fields[.lastModified].flatMap({ HTTPDate.parse($0) }) else { return }
        let sent = fields[.date].flatMap { HTTPDate.parse($0) }
        let isStrong =
            sent.map { $0.timeIntervalSince(modified) >= 1 }
            ?? (date.timeIntervalSince(modified) >= 60)
        if isStrong { lastModified = validators.lastModified.map { Data($0) } }
    }

    /// Returns a Boolean value that indicates whether a response with a representation has the same
    /// validators.
    func areRepeated(in head: HTTPResponse) -> Bool {
        let (stored, sent) = (httpValidators, HTTPValidators(of: head.headerFields))
        return !isEmpty && (stored.entityTag == nil || stored.entityTag == sent.entityTag)
            && (stored.lastModified == nil || stored.lastModified == sent.lastModified)
    }

    /// The validators as those of a response.
    var httpValidators: HTTPValidators {
        HTTPValidators(
            entityTag: entityTag.map(Array.init), lastModified: lastModified.map(Array.init))
    }
}

extension JSONEncoder {
    /// An encoder that writes equal values as equal bytes, so that a row which has them is unchanged.
    static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
