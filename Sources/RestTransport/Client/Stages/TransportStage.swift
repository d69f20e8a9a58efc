// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The last stage: the transport within its limits, and the cookies of what it receives.
final class TransportStage: Sendable {
    private let transport: any HTTPTransport
    private let enforcesLimits: Bool
    private let cookieJar: CookieJar?
    private let clock: any TransportClock

    init(transport: any HTTPTransport, cookieJar: CookieJar?, clock: any TransportClock) {
        self.transport = transport
        enforcesLimits = transport is any LimitEnforcingTransport
        self.cookieJar = cookieJar
        self.clock = clock
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let response =
            if let observer = request.progress {
                try await sendObserved(request, by: observer)
            } else {
                try await transmit(request)
            }
        cookieJar?.store(from: response.headerFields, of: request, at: clock.date)
        return response
    }

    private func sendObserved(
        _ request: TransportRequest, by observer: ProgressObserver
    ) async throws -> TransportResponse {
        var observed = request
        observed.body = request.body.observed(by: observer)
        let response = try await transmit(observed)
        return TransportResponse(
            to: request, head: response.head, body: response.body, redirects: response.redirects)
    }

    private func transmit(_ request: TransportRequest) async throws -> TransportResponse {
        if enforcesLimits { return try await transport.send(request) }
        return try await LimitEnforcingExchange(request).send(through: transport)
    }
}
