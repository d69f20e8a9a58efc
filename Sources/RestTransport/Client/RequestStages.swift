// SPDX-License-Identifier: Apache-2.0

/// The stages of a request, in order, built once for each configuration of a client.
///
/// Each stage holds the part of the configuration that it needs and the stage after it, so a
/// request moves in one direction and no stage refers to the client.
struct RequestStages: Sendable {
    /// The first stage; it leads to all others.
    let first: PreparationStage

    init(_ configuration: ClientConfiguration) {
        let clock = configuration.clock
        let transport = TransportStage(
            transport: configuration.transport, cookieJar: configuration.cookieJar, clock: clock)
        let guardStage = GuardStage(clock: clock, next: transport)
        let networkInterceptors = InterceptorStage(
            configuration.networkInterceptors, baseURL: configuration.baseURL, clock: clock,
            next: .exchange(guardStage))
        let cache = CacheStage(cache: configuration.cache, next: networkInterceptors)
        let cookies = CookieStage(jar: configuration.cookieJar, clock: clock, next: cache)
        let redirects = RedirectStage(
            policy: configuration.redirects, limits: configuration.limits,
            storesCookies: configuration.cookieJar != nil, next: cookies)
        let interceptors = InterceptorStage(
            configuration.interceptors, baseURL: configuration.baseURL, clock: clock,
            next: .redirects(redirects))
        first = PreparationStage(configuration, next: interceptors)
    }
}
