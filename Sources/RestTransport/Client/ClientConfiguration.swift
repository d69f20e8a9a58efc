// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// All settings of an ``HTTPClient``.
struct ClientConfiguration: Sendable {
    let baseURL: HTTPURL
    var defaultHeaders: HTTPFields
    var credential: (any RequestCredential)?
    var cookieJar: CookieJar?
    var parameterMediaType = "application/x-www-form-urlencoded"
    var transport: any HTTPTransport
    var limits: TransportLimits
    var redirects: RedirectPolicy
    var interceptors: [any HTTPInterceptor] = []
    var cache: HTTPCache?
    var networkInterceptors: [any HTTPInterceptor] = []
    var principal: Principal?
    var clock: any TransportClock = .system
}
