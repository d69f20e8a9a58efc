// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestPersistence
import RestTransport

extension ResponseImport {
    private var interceptor: CollectionInterceptor? {
        response.interceptor as? CollectionInterceptor
    }

    /// The collection that the store had before the request; `nil` if there was none.
    var storedCollection: StoredCollection? { interceptor?.exchange?.stored }

    /// Returns the import with the stored collection that the response confirms.
    ///
    /// Documents are compared outside of the caller's isolation.
    @concurrent
    func confirming() async -> ResponseImport {
        guard let interceptor, let stored = storedCollection else { return self }
        var work = self
        if response.head.status == .notModified
            || !mapsAlways && hasDocument(of: stored, interceptor.version)
        {
            work.confirmedCollection = stored
        }
        return work
    }

    /// A Boolean value that indicates whether the objects of the response are those that the store
    /// has: the server or the collection's freshness says so, or the response is the stored one.
    var isNotModified: Bool {
        response.head.status == .notModified || confirmedCollection != nil
    }

    /// The origin of an answer by stored objects.
    var origin: ManagedResult.Origin {
        let origin = interceptor?.exchange?.origin ?? .server
        return origin == .server ? .notModified : origin
    }

    /// Returns a Boolean value that indicates whether the response is the one of a collection, although
    /// the server has not said so: its entity tag and its document are equal.
    private func hasDocument(of stored: StoredCollection, _ version: String) -> Bool {
        guard let tag = response.head.headerFields.bytes(of: .eTag), !tag.isEmpty,
            Data(tag) == stored.facts.validators.entityTag, stored.facts.version == version,
            Self.isStorable(response.head.status), let document = response.document
        else { return false }
        return Self.digest(of: document) == stored.facts.documentDigest
    }

    /// The digest of the document that the collection keeps; `nil` if it keeps none.
    var documentDigest: String? {
        guard page == nil, let exchange = recordedExchange?.exchange, keepsFacts(of: exchange),
            response.head.headerFields.contains(.eTag)
        else { return nil }
        return response.document.map(Self.digest)
    }

    /// The exchange whose collection is recorded; `nil` if the response has none.
    private var recordedExchange: (exchange: CollectionInterceptor.Exchange, version: String)? {
        guard !mapsAlways, let interceptor, options.storesCollection,
            let exchange = interceptor.exchange,
            response.request.method == .get, Self.isStorable(response.head.status),
            response.document != nil
        else { return nil }
        return (exchange, interceptor.version)
    }

    /// Adds the collection of the response to the changes that are saved with its objects.
    ///
    /// A collection keeps no validators if the result is incomplete, or newer values were kept in place of
    /// those of the response. One that the response to a later request has brought stays as it is.
    ///
    /// - Returns: The identity of the collection; `nil` if the response has none.
    func recordCollection(
        of result: ManagedResult, _ documentDigest: String?, _ fence: WriteFence?,
        in context: ManagedObjectContext
    ) -> CollectionRequest? {
        let members = result.objectIDs
        if let page {
            if response.isSuperseded(page.recorder) { return nil }
            context.recordResponse(of: page.recorder.request)
            context.record(
                page.recorder.change(by: page.response, importedAs: result, at: page.date))
            return page.recorder.request
        }
        guard let (exchange, version) = recordedExchange else {
            // A redirect can change the method and the URL.
            let unsafe = [response.originalRequest, response.request].filter {
                !$0.method.isSafe
            }
            for url in Set(unsafe.map(\.url.requestText)) { context.record(.expired(url: url)) }
            return nil
        }
        if fence?.contains(exchange.request) == true { return exchange.request }
        context.recordResponse(of: exchange.request)
        let hasNextPage = LinkField(of: response.head).target(of: "next") != nil
        context.record(
            .fetched(
                CollectionResponse(
                    exchange.request, members, url: response.url.requestText,
                    fetchedAt: exchange.responseDate,
                    facts: facts(
                        exchange, version, of: result, documentDigest),
                    extent: .whole(isComplete: !hasNextPage))))
        return exchange.request
    }

    /// The change of the collection that the response confirms; `nil` if there is none, or it has been
    /// confirmed a short time ago and the response does not say how long it is fresh.
    var confirmation: CollectionChange? {
        guard let exchange = interceptor?.exchange, let date = confirmationDate else { return nil }
        return confirmedCollection?.confirmation(
            at: date, freshUntil: Self.freshUntil(response.head, exchange))
    }

    /// The time at which the server has confirmed a collection; `nil` if the store has answered.
    var confirmationDate: Date? {
        guard let exchange = interceptor?.exchange,
            [.server, .notModified].contains(exchange.origin)
        else { return nil }
        return exchange.responseDate
    }

    /// Returns the facts about the response that a collection keeps.
    private func facts(
        _ exchange: CollectionInterceptor.Exchange, _ version: String, of result: ManagedResult,
        _ documentDigest: String?
    ) -> CollectionFacts {
        var facts = CollectionFacts()
        facts.version = version
        facts.walk = CollectionWalk(id: .random(in: 1 ... .max))
        facts.vary = vary
        facts.selection = selection(of: exchange) ?? ""
        facts.nestedEntities = result.nestedEntities
        facts.nestingDepth = result.nestingDepth
        facts.isSingle = !response.isList && result.objectIDs.count <= 1
        guard keepsFacts(of: exchange), !result.isIncomplete, !result.isHeldBack else {
            return facts
        }
        facts.freshUntil = Self.freshUntil(response.head, exchange)
        facts.validators = CollectionValidators(
            of: response.head, receivedAt: exchange.responseDate)
        facts.documentDigest = documentDigest ?? ""
        return facts
    }

    private var vary: String {
        let bytes = response.head.headerFields.bytes(of: .vary)
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func selection(of exchange: CollectionInterceptor.Exchange) -> String? {
        CollectionInterceptor.selection(of: exchange.transportRequest, byVary: vary)
    }

    /// Returns a Boolean value that indicates whether a later request can have the response: it has a
    /// selection, and may be stored.
    private func keepsFacts(of exchange: CollectionInterceptor.Exchange) -> Bool {
        selection(of: exchange) != nil && !CacheControl(response.head.headerFields).noStore
    }

    /// Returns the time until which a response is fresh; `nil` if it does not say explicitly.
    private static func freshUntil(
        _ head: HTTPResponse, _ exchange: CollectionInterceptor.Exchange
    ) -> Date? {
        let control = CacheControl(head.headerFields)
        guard control.maxAge != nil || head.headerFields.contains(.expires), !control.noCache,
            !control.noStore
        else { return nil }
        let freshness = Freshness(
            of: head, control: control, requestDate: exchange.requestDate,
            responseDate: exchange.responseDate, at: exchange.responseDate)
        return freshness.isFresh ? freshness.expiration(at: exchange.responseDate) : nil
    }

    /// Returns the digest of a document, with a known key: a server that sends another document with the
    /// same digest could as well say that it was not modified.
    private static func digest(of document: Document) -> String {
        String(SipHash(key: 0).hash(JSONWriter.compact.bytes(of: document)[...]), radix: 16)
    }

    /// Returns a Boolean value that indicates whether a response to a GET request with a status may be
    /// used again.
    ///
    /// - Source: `RKHTTPUtilities`, of which 304 confirms a stored response, and 301, 302 and 307 are
    ///   followed.
    static func isStorable(_ status: HTTPResponse.Status) -> Bool {
        [200, 203, 300, 301, 302, 304, 307, 410].contains(status.code)
    }
}

// MARK: Later responses

extension ResponseImport {
    /// Returns a Boolean value that indicates whether the response to a later request has brought or
    /// confirmed a collection already.
    func isSuperseded(_ collection: CollectionRequest) -> Bool {
        response.moment?.fence(ofWrite: false)?.contains(collection) ?? false
    }

    /// Returns the stored list in place of the response, if a later request for the same list was answered
    /// already; otherwise `nil`.
    ///
    /// Objects that only the older response has would seem to be new.
    func supersededResult(
        _ fence: WriteFence?, in context: ManagedObjectContext
    ) throws -> ManagedResult? {
        guard let fence, page == nil, target == nil,
            let (exchange, version) = recordedExchange, fence.contains(exchange.request)
        else { return nil }
        do throws(PersistenceError) {
            guard let stored = try context.collection(of: exchange.request),
                stored.missingCount == 0, stored.facts.version == version,
                CollectionInterceptor.selection(
                    of: exchange.transportRequest, byVary: stored.facts.vary)
                    == stored.facts.selection
            else { return nil }
            var result = ManagedResult(url: response.url)
            result.collectionRequest = stored.request
            result.objectIDs = context.withoutDeleted(stored.objectIDs)
            return result
        } catch {
            throw SyncError(.fetchFailed, response, error)
        }
    }
}

extension ObjectResponse {
    /// Returns a Boolean value that indicates whether the response is the first page of a walk, and another
    /// walk over the list has begun later.
    func isSuperseded(_ recorder: WalkRecorder) -> Bool {
        recorder.isFirst
            && moment?.fence(ofWrite: false)?.contains(recorder.request) ?? false
    }
}
