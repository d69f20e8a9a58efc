// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request that a cache forwards to the server, and the storage of its response.
struct CacheExchange: Sendable {
    /// A response, and its outcome for waiting requests.
    struct SharedResponse {
        var response: TransportResponse
        var outcome: SharedRevalidation.Outcome
    }

    let cache: HTTPCache
    let key: CacheKey
    let forwarded: CacheDecision.ForwardedRequest
    let next: InterceptorChain

    private var request: TransportRequest { forwarded.original }
    private var clock: any TransportClock { next.clock }

    /// Forwards the request, or waits for a running revalidation of the same stored response.
    func run() async throws -> TransportResponse {
        guard let stored = forwarded.storedEntry, request.method == .get else {
            return try await forward(forwarded).response
        }
        while true {
            switch cache.revalidations.join(stored.reference) {
            case .leader:
                return try await lead(stored)
            case .follower(let shared):
                switch try await shared.outcome(for: request, clock: clock) {
                case .stored(let entry):
                    if SelectingFields.match(entry, request),
                        let response = await cache.response(from: entry, to: request)
                    {
                        return response
                    }
                    return try await forward(forwarded).response
                case .staleIfError:
                    if let response = await staleResponse(from: stored) { return response }
                    return try await forward(forwarded).response
                case .failed(let error):
                    if let response = await staleResponse(from: stored) { return response }
                    throw error
                case .notShareable:
                    return try await forward(forwarded).response
                case .abandoned:
                    continue
                }
            }
        }
    }

    /// Forwards the request and shares the outcome with waiting requests.
    func lead(_ stored: CacheEntry) async throws -> TransportResponse {
        var outcome = SharedRevalidation.Outcome.abandoned
        defer { cache.revalidations.finish(stored.reference, outcome) }
        do {
            let shared = try await forward(forwarded)
            outcome = shared.outcome
            return shared.response
        } catch let error as TransportError {
            // The deadlines of waiting requests may be later.
            if error.code != .timedOut { outcome = .failed(error) }
            throw error
        }
    }

    private func forward(
        _ forwarded: CacheDecision.ForwardedRequest
    ) async throws -> SharedResponse {
        let snapshot = cache.epochs.snapshot(for: key)
        let requestDate = clock.date
        let response: TransportResponse
        do {
            response = try await next.send(forwarded.request)
        } catch let error as TransportError {
            if !request.method.isSafe {
                // The request may have had an effect on the server.
                await cache.invalidate(request.url.requestText, partition: key.partition)
            }
            guard let stored = forwarded.storedEntry, Self.isUnreachable(error.code) else {
                throw error
            }
            if let response = await staleResponse(from: stored) {
                return SharedResponse(response: response, outcome: .failed(error))
            }
            if cache.returnsGatewayTimeout {
                return SharedResponse(response: .unavailable(for: request), outcome: .failed(error))
            }
            throw error
        }
        let times = (requestDate, clock.date)
        let decision = ResponseDecision.decide(
            on: response.head, to: forwarded, requestDate: times.0, responseDate: times.1)
        switch decision {
        case .validated(let entry, let isStorable):
            guard let validated = await cache.response(from: entry, to: request) else {
                return try await forward(CacheDecision.ForwardedRequest(request))
            }
            if isStorable, cache.epochs.isCurrent(snapshot) {
                await cache.storage.update(entry)
            } else {
                await cache.storage.remove(entry)
            }
            return SharedResponse(
                response: validated, outcome: isStorable ? .stored(entry) : .notShareable)
        case .validatorMismatch(let entry):
            await cache.storage.remove(entry)
            return try await forward(CacheDecision.ForwardedRequest(request))
        case .staleIfError(let entry):
            if let stale = await staleResponse(from: entry) {
                return SharedResponse(response: stale, outcome: .staleIfError)
            }
            return await deliver(response, [], snapshot, times)
        case .deliver(let changes):
            return await deliver(response, changes, snapshot, times)
        }
    }

    /// Returns a stored response to reuse instead of an error, or `nil` if that is not allowed.
    private func staleResponse(from stored: CacheEntry) async -> TransportResponse? {
        let date = clock.date
        guard ResponseDecision.allowsStale(stored, insteadOfErrorFor: request, at: date),
            let response = ConstructedResponse(from: stored, to: request)
        else { return nil }
        let freshness = Freshness(
            of: stored, control: CacheControl(stored.head.headerFields), at: date)
        return await cache.response(
            CacheDecision.Reuse(
                entry: stored, response: response, age: freshness.ageInSeconds,
                isStale: !freshness.isFresh),
            to: request)
    }

    private func deliver(
        _ response: TransportResponse, _ changes: [ResponseDecision.Change],
        _ snapshot: CacheEpochs.Snapshot, _ times: (request: Date, response: Date)
    ) async -> SharedResponse {
        var outcome = SharedRevalidation.Outcome.notShareable
        var body = response.body
        var reference: CacheEntry.Reference?
        var snapshot = snapshot
        for change in changes {
            switch change {
            case .update(let entry):
                if cache.epochs.isCurrent(snapshot) { await cache.storage.update(entry) }
            case .remove(let entry):
                await cache.storage.remove(entry)
            case .invalidate(let url):
                await cache.invalidate(url, partition: key.partition)
                // The response to this request is more recent than the invalidation.
                snapshot = cache.epochs.snapshot(for: key)
            case .store(let storable):
                let pending = PendingStore(
                    cache: cache, key: key, id: cache.ids.next(), storable: storable,
                    request: request, snapshot: snapshot, requestDate: times.request,
                    responseDate: times.response)
                if let bytes = response.body.completeBytes {
                    if let entry = await pending.store(bytes) {
                        reference = entry.reference
                        outcome = .stored(entry)
                    }
                } else {
                    reference = pending.reference
                    body = ResponseBody(
                        source: TeeBody(response.body, limit: cache.entryByteCount) {
                            _ = await pending.store($0)
                        })
                }
            }
        }
        let delivered = TransportResponse(
            to: request, head: response.head, body: body, redirects: response.redirects,
            origin: response.origin, storedAs: reference)
        return SharedResponse(response: delivered, outcome: outcome)
    }

    /// Returns a Boolean value that indicates whether an error means that the server is
    /// unreachable.
    private static func isUnreachable(_ code: TransportError.Code) -> Bool {
        [.connectionFailed, .connectionLost, .timedOut].contains(code)
    }
}

/// A response that is stored when its body is complete.
struct PendingStore: Sendable {
    let cache: HTTPCache
    let key: CacheKey
    let id: UInt64
    let storable: StorableResponse
    let request: TransportRequest
    let snapshot: CacheEpochs.Snapshot
    let requestDate: Date
    let responseDate: Date

    var reference: CacheEntry.Reference { CacheEntry.Reference(key: key, id: id) }

    /// Stores the response, unless its body is too long or incomplete, or its key was invalidated
    /// since the request.
    func store(_ body: [UInt8]) async -> CacheEntry? {
        guard body.count <= cache.entryByteCount, storable.isComplete(bodyByteCount: body.count),
            cache.epochs.isCurrent(snapshot),
            let replaced = storable.replacedEntries(
                among: await cache.storage.entries(for: key), for: request)
        else { return nil }
        let entry = CacheEntry(
            key: key, id: id, selectingFields: storable.selectingFields, head: storable.head,
            requestDate: requestDate, responseDate: responseDate, bodyByteCount: body.count)
        await cache.storage.store(entry, body: body)
        for old in replaced { await cache.storage.remove(old) }
        guard cache.epochs.isCurrent(snapshot) else {
            await cache.storage.remove(entry)
            return nil
        }
        return entry
    }
}
