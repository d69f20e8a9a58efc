// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import RestTransport

/// An interceptor that knows the moment of the store at which its request was sent.
///
/// A response need not contain the objects that were inserted later, as by a POST request that the server
/// has processed after it.
protocol RequestMoment: HTTPInterceptor {
    /// The moment of the store before the request was sent.
    var moment: StoreMoment { get }
}

/// The interceptor of a GET request without a collection.
struct RequestMomentInterceptor: RequestMoment {
    let moment: StoreMoment

    func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        try await next.send(request)
    }
}
