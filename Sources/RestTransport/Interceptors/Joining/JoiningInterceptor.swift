// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import Synchronization

/// Lets identical requests that are in flight at once share one exchange.
///
/// Stands in ``HTTPClient/interceptors``, outside of authorization, so that joined requests need one
/// credential. Requests are identical when method, address, header fields, principal, cache policy
/// and limits are; only GET, HEAD and OPTIONS without body are joined, and only until the header of
/// the response has come. Whoever is alone by then gets the body as it arrives; several get it
/// once it is complete, and when it is longer than ``bodyByteCount``, one gets it and the others
/// send their requests themselves.
///
/// The exchange runs in the task of the request that began it. Cancelling another one takes only that
/// one out; when the one that began is cancelled, one of those that wait asks anew for all of them.
/// A request that is sent after another was changing something never gets what was asked for before
/// the change. The ``TransportResponse/request`` of a joined response is the one that was sent.
///
/// A class, so that copies of a client join.
public final class JoiningInterceptor: HTTPInterceptor {
    /// Longest body that is held for several requests; 1 MiB by default.
    public let bodyByteCount: Int

    /// Fields in which identical requests may differ; ``tracingFields`` by default.
    public let ignoredFields: [HTTPField.Name]

    /// `X-Request-ID`, `traceparent`, `tracestate` and `baggage`, which tell requests apart and ask
    /// for nothing.
    public static let tracingFields: [HTTPField.Name] = [
        .requestID, .traceParent, .traceState, .baggage,
    ]

    private let exchanges = Mutex<[JoiningKey: JoinedExchange]>([:])

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - bodyByteCount: Longest body that is held for several requests.
    ///   - ignoredFields: Fields in which identical requests may differ.
    public init(
        bodyByteCount: Int = 1 << 20,
        ignoredFields: [HTTPField.Name] = JoiningInterceptor.tracingFields
    ) {
        self.bodyByteCount = bodyByteCount
        self.ignoredFields = ignoredFields
    }

    /// Sends a request, or shares what another one brings.
    public func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        guard request.method.isSafe else {
            defer { exchanges.withLock { $0.removeAll() } }
            return try await next.send(request)
        }
        guard request.body.isEmpty else { return try await next.send(request) }
        let key = JoiningKey(request, ignoring: ignoredFields)
        while true {
            let (exchange, place) = enter(key, request.deadline)
            guard let place else { return try await lead(exchange, key, request, next) }
            do {
                switch try await exchange.outcome.value(at: place) {
                case .response(let response): return response
                case .tooLarge: return try await next.send(request)
                case .abandoned: continue
                }
            } catch let error as TransportError where error.code == .timedOut {
                // Who joined later has more time than who began.
                guard let own = request.deadline, let others = exchange.deadline, own > others,
                    next.clock.now < own
                else { throw error }
            }
        }
    }

    /// Joins the exchange that is in flight, or begins one, in which there is no place to take.
    private func enter(
        _ key: JoiningKey, _ deadline: ContinuousClock.Instant?
    ) -> (JoinedExchange, SharedOutcome<JoinedExchange.Outcome>.Place?) {
        exchanges.withLock { exchanges in
            if let exchange = exchanges[key], let place = exchange.outcome.enter() {
                return (exchange, place)
            }
            let exchange = JoinedExchange(deadline: deadline)
            exchanges[key] = exchange
            return (exchange, nil)
        }
    }

    /// Asks for all who join until the header has come.
    private func lead(
        _ exchange: JoinedExchange, _ key: JoiningKey, _ request: TransportRequest,
        _ next: InterceptorChain
    ) async throws -> TransportResponse {
        do {
            let response = try await next.send(request)
            remove(exchange, key)
            return try await exchange.share(response, upTo: bodyByteCount)
        } catch {
            remove(exchange, key)
            exchange.fail(error)
            throw error
        }
    }

    private func remove(_ exchange: JoinedExchange, _ key: JoiningKey) {
        exchanges.withLock { exchanges in
            if let index = exchanges.index(forKey: key), exchanges[index].value === exchange {
                exchanges.remove(at: index)
            }
        }
    }
}
