// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPCache {
    /// Answers a request from what is stored, or asks further.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - next: What asks the server.
    /// - Returns: The response; its body may still be arriving, and is stored when it has.
    /// - Throws: What asking throws, unless a stale response may be served in its place.
    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        let key = CacheKey(request)
        var entries = await storage.entries(for: key)
        while true {
            let decision = CacheDecision.decide(
                on: request, entries: entries, at: next.clock.date)
            switch decision {
            case .serve(let serving):
                guard let response = await response(serving, to: request) else {
                    entries.removeAll { $0.id == serving.entry.id }
                    continue
                }
                if let question = serving.refresh { refresh(question, key, through: next) }
                return response
            case .ask(let question):
                return try await CacheExchange(
                    cache: self, key: key, question: question, next: next
                ).run()
            case .unavailable:
                return .unavailable(for: request)
            }
        }
    }

    /// Makes the answer out of a stored response, `nil` when its body is gone.
    func response(
        _ serving: CacheDecision.Serving, to request: TransportRequest
    ) async -> TransportResponse? {
        let age = serving.age
        return await response(
            from: serving.entry, serving.answer, age: age,
            origin: serving.isStale ? .stale(age: age) : .cache(age: age), to: request)
    }

    /// Makes the answer out of a stored response that the server has just confirmed or sent.
    func response(
        from entry: CacheEntry, to request: TransportRequest
    ) async -> TransportResponse? {
        guard let answer = StoredAnswer.of(entry, to: request) else { return nil }
        return await response(from: entry, answer, age: nil, origin: .revalidated, to: request)
    }

    private func response(
        from entry: CacheEntry, _ answer: StoredAnswer, age: Int?, origin: ResponseOrigin,
        to request: TransportRequest
    ) async -> TransportResponse? {
        var body: [UInt8] = []
        if answer.needsBody {
            guard let stored = await storage.body(of: entry) else { return nil }
            body = answer.body(of: stored)
        }
        var response = TransportResponse(
            to: request, head: answer.head(of: entry, age: age), body: ResponseBody(body))
        response.origin = origin
        response.storedAs = entry.reference
        return response
    }

    /// Asks the server without anybody waiting, unless somebody asks already.
    private func refresh(
        _ question: CacheDecision.Question, _ key: CacheKey, through next: InterceptorChain
    ) {
        guard let held = question.held,
            case .leader = revalidations.join(held.reference)
        else { return }
        var question = question
        let time = (question.request.limits ?? .default).totalTimeout
        question.request.deadline = time.map { next.clock.now + $0 }
        question.purpose.deadline = question.request.deadline
        let exchange = CacheExchange(cache: self, key: key, question: question, next: next)
        let limit = entryByteCount
        refresh {
            let response = try? await exchange.lead(held)
            _ = try? await response?.collect(upTo: limit)
        }
    }
}

extension TransportResponse {
    /// The answer when the server may not be asked and nothing stored may be served.
    ///
    /// - Source: RFC 9111 §5.2.1.7.
    static func unavailable(for request: TransportRequest) -> TransportResponse {
        var response = TransportResponse(
            to: request, head: HTTPResponse(status: .gatewayTimeout), body: ResponseBody([]))
        response.origin = .unavailable
        return response
    }
}
