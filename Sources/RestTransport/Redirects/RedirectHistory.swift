// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The way of one request over redirects.
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

    /// The addresses that answered with a redirect, oldest first.
    private(set) var visited: [HTTPURL] = []

    /// Whether the way has led to an origin that is neither the first one nor trusted; it stays so
    /// on the way back, as who leads there is a stranger.
    private(set) var isAstray = false

    // The steps since the last one that changed what later ones say.
    private var steps: [Step] = []

    /// Notes a step that was answered with a redirect.
    ///
    /// - Parameters:
    ///   - request: What was asked.
    ///   - isForeign: Whether the redirect leads away from the origins that are trusted.
    ///   - changesState: Whether the answer changed what is sent the next time, as a cookie does.
    mutating func note(_ request: TransportRequest, isForeign: Bool, changesState: Bool) {
        visited.append(request.url)
        isAstray = isAstray || isForeign
        if changesState { steps = [] } else { steps.append(Step(request)) }
    }

    /// Whether a request has been made on this way already.
    func holds(_ request: TransportRequest) -> Bool {
        steps.contains(Step(request))
    }
}
