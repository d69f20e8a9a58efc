// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestNetworking
import RestPersistence
import RestTransport
import Synchronization

/// The outermost interceptor of a managed GET or HEAD request, which validates the stored collection.
///
/// It stands in for the client's cache, which the request bypasses: the store has the objects, so that
/// neither a stored body nor mapping it again is needed. A response with status 304 is answered by the
/// objects of the collection, whether the server sent it or this interceptor did because the cache
/// policy or a missing connection says so.
final class CollectionInterceptor: RequestMoment {
    /// The facts about the exchange, which the import of the response reads.
    struct Exchange: Sendable {
        /// The identity of the collection.
        var request: CollectionRequest
        /// The request as the client sends it.
        let transportRequest: TransportRequest
        let requestDate: Date
        var responseDate: Date
        /// The collection at the time of the request, if its objects may answer it.
        var stored: StoredCollection?
        var origin = ManagedResult.Origin.server
    }

    /// The version of the model and the mappings.
    let version: String
    let moment: CommitPosition
    private let reader: CollectionReader
    private let options: ManagedRequestOptions
    private let client: HTTPClient
    /// The object of the request; `nil` if there is none.
    private let target: ManagedObjectID?
    /// A Boolean value that indicates whether a fresh collection answers without a request.
    private let reusesFresh: Bool
    private let state = Mutex<Exchange?>(nil)

    init(
        _ reader: CollectionReader, version: String, _ options: ManagedRequestOptions,
        by client: HTTPClient, target: ManagedObjectID?
    ) {
        self.reader = reader
        moment = reader.beginRequest()
        self.version = version
        self.options = options
        self.client = client
        self.target = target
        reusesFresh = client.cache != nil
    }

    /// The facts about the exchange; `nil` if the request has no collection.
    var exchange: Exchange? { state.withLock(\.self) }

    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        try await reader.content.checkContent(for: request)
        var request = request
        request.usesCache = false
        guard let key = try identity(of: request) else { return try await next.send(request) }
        let now = next.clock.date
        var exchange = Exchange(
            request: key, transportRequest: request, requestDate: now, responseDate: now)
        defer { state.withLock { $0 = exchange } }
        // The conditions of the caller concern a response that the caller has.
        let isConditional =
            ConditionalRequest.hasConditions(request) || request.headerFields.contains(.range)
        let facts = isConditional ? nil : try await usableFacts(key, request)
        if let origin = origin(of: facts, for: request, at: now),
            let stored = try await usableCollection(key, request)
        {
            exchange.stored = stored
            exchange.origin = origin
            return Self.notModified(request)
        }
        if request.cachePolicy == .cacheOnly {
            return TransportResponse(
                to: request, head: HTTPResponse(status: .gatewayTimeout), body: ResponseBody([]))
        }
        defer { exchange.responseDate = next.clock.date }
        let response: TransportResponse
        do {
            response = try await exchangeOnServer(request, &exchange, facts, next)
            exchange.request.setUser(of: response.request)
        } catch let error as TransportError where Self.isOffline(error) && options.answersOffline {
            // The interceptors may have got the first credentials meanwhile.
            guard !isConditional, let key = try identity(of: request),
                let stored = try await usableCollection(key, request)
            else { throw error }
            exchange.request = key
            exchange.stored = stored
            exchange.origin = .offline
            return Self.notModified(request)
        }
        return response
    }

    private func identity(of request: TransportRequest) throws -> CollectionRequest? {
        CollectionRequest(try client.authorized(request), options.collectionParameters)
    }

    /// Sends a request with the validators of the collection, whose members are read meanwhile.
    private func exchangeOnServer(
        _ request: TransportRequest, _ exchange: inout Exchange, _ facts: CollectionFacts?,
        _ next: InterceptorChain
    ) async throws -> TransportResponse {
        guard let facts, request.cachePolicy != .ignore, facts.version == version,
            !facts.validators.isEmpty
        else { return try await next.send(request) }
        let key = exchange.request
        async let collection = usableCollection(key, request)
        let response = try await next.send(request.validating(facts.validators.httpValidators))
        exchange.stored = try await collection
        // Rows may have been overwritten while the request was on its way.
        let isIntact = try await reader.facts(of: key)?.validators == facts.validators
        if !isIntact { exchange.stored = nil }
        guard response.status == .notModified else { return response }
        guard isIntact,
            facts.validators.httpValidators.areConfirmed(by: response.head.headerFields),
            let stored = exchange.stored, stored.facts.version == version,
            stored.facts.validators == facts.validators
        else {
            // The server confirms another response than the stored one, or rows of it are missing.
            exchange.stored = nil
            return try await next.send(request)
        }
        exchange.origin = .notModified
        return response
    }

    /// Returns the facts about the collection if it was selected by the same header fields.
    private func usableFacts(
        _ key: CollectionRequest, _ request: TransportRequest
    ) async throws -> CollectionFacts? {
        // A response without a body does not fill another object than the stored one.
        if target != nil { return try await usableCollection(key, request)?.facts }
        guard let facts = try await reader.facts(of: key) else { return nil }
        return isSelected(facts, by: request) ? facts : nil
    }

    /// Returns the collection if its rows exist and it was selected by the same header fields.
    private func usableCollection(
        _ key: CollectionRequest, _ request: TransportRequest
    ) async throws -> StoredCollection? {
        guard let stored = try await reader.collection(of: key), stored.missingCount == 0,
            target == nil || stored.objectIDs == [target]
        else { return nil }
        return isSelected(stored.facts, by: request) ? stored : nil
    }

    private func isSelected(_ facts: CollectionFacts, by request: TransportRequest) -> Bool {
        Self.selection(of: request, byVary: facts.vary) == facts.selection
    }

    /// Returns the origin of an answer without a request; `nil` if a request is needed.
    private func origin(
        of facts: CollectionFacts?, for request: TransportRequest, at date: Date
    ) -> ManagedResult.Origin? {
        guard let facts else { return nil }
        let isFresh = facts.version == version && (facts.freshUntil.map { $0 > date } ?? false)
        switch request.cachePolicy {
        case .cacheFirst, .cacheOnly: return isFresh ? .fresh : .offline
        case .standard: return reusesFresh && isFresh ? .fresh : nil
        case .revalidate, .ignore: return nil
        }
    }

    private static func notModified(_ request: TransportRequest) -> TransportResponse {
        TransportResponse(
            to: request, head: HTTPResponse(status: .notModified), body: ResponseBody([]))
    }

    /// Returns a Boolean value that indicates whether the server was not reached, or did not answer.
    private static func isOffline(_ error: TransportError) -> Bool {
        switch error.code {
        case .connectionFailed, .connectionLost, .timedOut: true
        default: false
        }
    }

    /// Returns the digests of the request fields that a `Vary` field names, as text; `nil` if no later
    /// request can match.
    static func selection(of request: TransportRequest, byVary vary: String) -> String? {
        if vary.isEmpty { return "" }
        var head = HTTPResponse(status: .ok)
        head.headerFields[.vary] = vary
        return SelectingFields.digests(of: request, for: head)?
            .map { "\($0.name.canonicalName)=\($0.value)" }.sorted().joined(separator: " ")
    }
}

extension CollectionRequest {
    /// Creates the identity of the collection of a request; returns `nil` for a request that has none.
    ///
    /// A HEAD request has the collection of the GET request.
    ///
    /// - Parameters:
    ///   - request: The request, with its header fields and its principal.
    ///   - parameters: The names of the query's parameters that distinguish collections; `nil` for all.
    ///   - isPaged: A Boolean value that indicates whether the request is for the pages of a list.
    init?(
        _ request: TransportRequest, _ parameters: Set<String>?, isPaged: Bool = false
    ) {
        guard request.method == .get || request.method == .head else { return nil }
        var digest = ""
        switch request.body.storage {
        case .empty: break
        case .bytes(let bytes): digest = SHA256.hexadecimalDigest(of: bytes)
        case .source: return nil
        }
        self.init(
            method: "GET", url: Self.canonicalURL(request.url, parameters), isPaged: isPaged,
            bodyDigest: digest, user: CachePartition.of(request) ?? "")
    }

    /// Sets the user to that of a request as it was sent, with the credentials that interceptors and the
    /// cookie jar have added to it.
    ///
    /// A redirect to another origin carries no credentials, and is a request of the same user.
    mutating func setUser(of request: TransportRequest) {
        if let user = CachePartition.of(request) { self.user = user }
    }

    /// Returns a URL with the chosen parameters in the order of their names.
    private static func canonicalURL(_ url: HTTPURL, _ parameters: Set<String>?) -> String {
        guard let query = url.query else { return url.requestText }
        let path = url.requestText.prefix { $0 != "?" }
        let pairs = query.split(separator: "&").enumerated().map { offset, pair in
            let name = String(pair.prefix { $0 != "=" }).replacing("+", with: " ")
            return (name: name.removingPercentEncoding ?? name, offset: offset, pair: pair)
        }
        let chosen = pairs.filter { parameters?.contains($0.name) ?? true }
            .sorted { ($0.name, $0.offset) < ($1.name, $1.offset) }
        let kept = chosen.map { $0.pair }.joined(separator: "&")
        return kept.isEmpty ? String(path) : path + "?" + kept
    }
}
