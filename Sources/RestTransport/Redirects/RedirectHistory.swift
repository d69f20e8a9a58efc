// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The redirects of one request so far.
struct RedirectHistory {
    private struct Step: Equatable {
        let method: HTTPRequest.Method
        // Without the fragment, which is not sent.
        let url: String

        init(_ request: TransportRequest) {
            method = request.method
            url = request.url.requestText
        }
    }

    /// The URLs that answered with a redirect, oldest first.
    private(set) var visited: [HTTPURL] = []

    /// A Boolean value that indicates whether a redirect led to an origin that is neither that of
    /// the request nor trusted.
    ///
    /// It stays `true` after a redirect back, because the other origin chose that redirect.
    private(set) var leftTrustedOrigins = false

    // The steps since the last one whose response changed what later requests send.
    private var steps: [Step] = []

    /// Appends a request that was answered with a redirect.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isCrossOrigin: Whether the redirect leads to an origin that is not trusted.
    ///   - changesState: Whether the response changes what the next request sends, as a cookie
    ///     does.
    mutating func append(_ request: TransportRequest, isCrossOrigin: Bool, changesState: Bool) {
        visited.append(request.url)
        leftTrustedOrigins = leftTrustedOrigins || isCrossOrigin
        if changesState { steps = [] } else { steps.append(Step(request)) }
    }

    /// Returns a Boolean value that indicates whether the same request was sent before.
    func contains(_ request: TransportRequest) -> Bool {
        steps.contains(Step(request))
    }
}
