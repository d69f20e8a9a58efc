// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import Synchronization

/// An interceptor that coalesces identical concurrent requests into one exchange.
///
/// Place it in ``HTTPClient/interceptors`` before authorization, so that coalesced requests share
/// one credential. Requests are identical if method, URL, header fields, principal, cache
/// policy and limits are equal. Only GET, HEAD and OPTIONS requests without body are coalesced, and
/// only until the header of the response has been received. A request that is alone by then gets
/// the body as it arrives. Several requests get the body once it is complete. If it is longer than
/// ``bodyByteCount``, the first request gets it and the others are sent on their own.
///
/// The exchange runs in the task of the first request. Cancelling another request has no effect on
/// the exchange. If the first request is cancelled, one of the waiting requests is sent for all of
/// them. A request that is sent after an unsafe one never gets a response from before the change.
/// The ``TransportResponse/request`` of a coalesced response is the one that was sent.
///
/// A class, so that copies of a client share its exchanges.
public final class RequestCoalescingInterceptor: HTTPInterceptor {
    /// The maximum number of bytes of a shared body; 1 MiB by default.
    public let bodyByteCount: Int

    /// The header fields in which identical requests may differ; ``tracingFields`` by default.
    public let ignoredFields: [HTTPField.Name]

    /// The fields `X-Request-ID`, `traceparent`, `tracestate` and `baggage`, which identify a
    /// request and do not affect its response.
    public static let tracingFields: [HTTPField.Name] = [
        .requestID, .traceParent, .traceState, .baggage,
    ]

    private let exchanges = Mutex<[CoalescingKey: CoalescedExchange]>([:])

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - bodyByteCount: The maximum number of bytes of a shared body.
    ///   - ignoredFields: The header fields in which identical requests may differ.
    public init(
        bodyByteCount: Int = 1 << 20,
        ignoredFields: [HTTPField.Name] = RequestCoalescingInterceptor.tracingFields
    ) {
        self.bodyByteCount = bodyByteCount
        self.ignoredFields = ignoredFields
    }

    /// Sends a request, or waits for the response to an identical one.
    public func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        guard request.method.isSafe else {
            defer { exchanges.withLock { $0.removeAll() } }
            return try await next.send(request)
        }
        guard request.body.isEmpty else { return try await next.send(request) }
        let key = CoalescingKey(request, ignoring: ignoredFields)
        while true {
            let (exchange, ticket) = enter(key, request.deadline)
            guard let ticket else { return try await lead(exchange, key, request, next) }
            do {
                switch try await exchange.outcome.value(for: ticket) {
                case .response(let response): return response
                case .tooLarge: return try await next.send(request)
                case .abandoned: continue
                }
            } catch let error as TransportError where error.code == .timedOut {
                // A later request may have a later deadline than the first one.
                guard let deadline = request.deadline, let firstDeadline = exchange.deadline,
                    deadline > firstDeadline, next.clock.now < deadline
                else { throw error }
            }
        }
    }

    /// Enters the exchange that is in flight, or creates one, without a ticket.
    private func enter(
        _ key: CoalescingKey, _ deadline: ContinuousClock.Instant?
    ) -> (CoalescedExchange, SharedOutcome<CoalescedExchange.Outcome>.Ticket?) {
        exchanges.withLock { exchanges in
            if let exchange = exchanges[key], let ticket = exchange.outcome.enter() {
                return (exchange, ticket)
            }
            let exchange = CoalescedExchange(deadline: deadline)
            exchanges[key] = exchange
            return (exchange, nil)
        }
    }

    /// Sends the first request of an exchange.
    private func lead(
        _ exchange: CoalescedExchange, _ key: CoalescingKey, _ request: TransportRequest,
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

    private func remove(_ exchange: CoalescedExchange, _ key: CoalescingKey) {
        exchanges.withLock { exchanges in
            if let index = exchanges.index(forKey: key), exchanges[index].value === exchange {
                exchanges.remove(at: index)
            }
        }
    }
}
