// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Asks the server on behalf of a cache and keeps what it answers.
struct CacheExchange: Sendable {
    /// An answer, and what it is to others who wait for it.
    struct Answer {
        var response: TransportResponse
        var outcome: SharedRevalidation.Outcome
    }

    let cache: HTTPCache
    let key: CacheKey
    let question: CacheDecision.Question
    let next: InterceptorChain

    private var request: TransportRequest { question.purpose }
    private var clock: any TransportClock { next.clock }

    /// Asks, or waits for who is asking about the same stored response already.
    func run() async throws -> TransportResponse {
        guard let held = question.held, request.method == .get else {
            return try await ask(question).response
        }
        while true {
            switch cache.revalidations.join(held.reference) {
            case .leader:
                return try await lead(held)
            case .follower(let shared):
                switch try await shared.outcome(for: request, clock: clock) {
                case .answer(let entry):
                    if Variation.selects(entry, request),
                        let response = await cache.response(from: entry, to: request)
                    {
                        return response
                    }
                    return try await ask(question).response
                case .insteadOfError:
                    if let response = await stale(held) { return response }
                    return try await ask(question).response
                case .failed(let error):
                    if let response = await stale(held) { return response }
                    throw error
                case .apart:
                    return try await ask(question).response
                case .abandoned:
                    continue
                }
            }
        }
    }

    /// Asks and tells those who wait.
    func lead(_ held: CacheEntry) async throws -> TransportResponse {
        var outcome = SharedRevalidation.Outcome.abandoned
        defer { cache.revalidations.finish(held.reference, outcome) }
        do {
            let answer = try await ask(question)
            outcome = answer.outcome
            return answer.response
        } catch let error as TransportError {
            // The time of one request says nothing about another's.
            if error.code != .timedOut { outcome = .failed(error) }
            throw error
        }
    }

    private func ask(_ question: CacheDecision.Question) async throws -> Answer {
        let moment = cache.epochs.moment(for: key)
        let requestDate = clock.date
        let response: TransportResponse
        do {
            response = try await next.send(question.request)
        } catch let error as TransportError {
            if !ResponseDecision.isSafe(request.method) {
                // Whether it took effect is not known.
                await cache.invalidate(request.url.requestText, partition: key.partition)
            }
            guard let held = question.held, Self.meansUnreachable(error.code) else { throw error }
            if let response = await stale(held) {
                return Answer(response: response, outcome: .failed(error))
            }
            if cache.answersUnreachable {
                return Answer(response: .unavailable(for: request), outcome: .failed(error))
            }
            throw error
        }
        let times = (requestDate, clock.date)
        let decision = ResponseDecision.decide(
            on: response.head, to: question, requestDate: times.0, responseDate: times.1)
        switch decision {
        case .confirmed(let entry, let isKept):
            guard let confirmed = await cache.response(from: entry, to: request) else {
                return try await ask(CacheDecision.Question(request))
            }
            if isKept, cache.epochs.isCurrent(moment) {
                await cache.storage.update(entry)
            } else {
                await cache.storage.remove(entry)
            }
            return Answer(response: confirmed, outcome: isKept ? .answer(entry) : .apart)
        case .mismatched(let entry):
            await cache.storage.remove(entry)
            return try await ask(CacheDecision.Question(request))
        case .insteadOfError(let entry):
            if let stale = await stale(entry) {
                return Answer(response: stale, outcome: .insteadOfError)
            }
            return await deliver(response, [], moment, times)
        case .deliver(let changes):
            return await deliver(response, changes, moment, times)
        }
    }

    /// A stored response in place of an error, if that is allowed.
    private func stale(_ held: CacheEntry) async -> TransportResponse? {
        let date = clock.date
        guard ResponseDecision.allowsStale(held, insteadOfErrorFor: request, at: date),
            let answer = StoredAnswer.of(held, to: request)
        else { return nil }
        let freshness = Freshness(
            of: held, control: CacheControl(held.head.headerFields), at: date)
        return await cache.response(
            CacheDecision.Serving(
                entry: held, answer: answer, age: freshness.ageInSeconds,
                isStale: !freshness.isFresh),
            to: request)
    }

    private func deliver(
        _ response: TransportResponse, _ changes: [ResponseDecision.Change],
        _ moment: CacheEpochs.Moment, _ times: (request: Date, response: Date)
    ) async -> Answer {
        var answer = Answer(response: response, outcome: .apart)
        answer.response.request = request
        var moment = moment
        for change in changes {
            switch change {
            case .update(let entry):
                if cache.epochs.isCurrent(moment) { await cache.storage.update(entry) }
            case .remove(let entry):
                await cache.storage.remove(entry)
            case .invalidate(let address):
                await cache.invalidate(address, partition: key.partition)
                // What the request itself brings is from after that.
                moment = cache.epochs.moment(for: key)
            case .store(let storable):
                let storing = CacheStoring(
                    cache: cache, key: key, id: cache.ids.next(), storable: storable,
                    request: request, moment: moment, requestDate: times.request,
                    responseDate: times.response)
                if let bytes = response.body.completeBytes {
                    if let entry = await storing.store(bytes) {
                        answer.response.storedAs = entry.reference
                        answer.outcome = .answer(entry)
                    }
                } else {
                    answer.response.storedAs = storing.reference
                    answer.response.body = ResponseBody(
                        source: CollectingBody(response.body, limit: cache.entryByteCount) {
                            _ = await storing.store($0)
                        })
                }
            }
        }
        return answer
    }

    /// Whether an error means that no answer of the server could be had.
    private static func meansUnreachable(_ code: TransportError.Code) -> Bool {
        [.connectionFailed, .connectionLost, .timedOut].contains(code)
    }
}

/// Stores a response when its body is complete.
struct CacheStoring: Sendable {
    let cache: HTTPCache
    let key: CacheKey
    let id: UInt64
    let storable: StorableResponse
    let request: TransportRequest
    let moment: CacheEpochs.Moment
    let requestDate: Date
    let responseDate: Date

    var reference: CacheEntry.Reference { CacheEntry.Reference(key: key, id: id) }

    /// Stores it, unless it is too long, not what was announced, or outdated meanwhile.
    func store(_ body: [UInt8]) async -> CacheEntry? {
        guard body.count <= cache.entryByteCount, storable.isComplete(bodyByteCount: body.count),
            cache.epochs.isCurrent(moment),
            let replaced = storable.replaced(of: await cache.storage.entries(for: key), by: request)
        else { return nil }
        let entry = CacheEntry(
            key: key, id: id, requestFields: storable.requestFields, head: storable.head,
            requestDate: requestDate, responseDate: responseDate, bodyByteCount: body.count)
        await cache.storage.store(entry, body: body)
        for old in replaced { await cache.storage.remove(old) }
        guard cache.epochs.isCurrent(moment) else {
            await cache.storage.remove(entry)
            return nil
        }
        return entry
    }
}
