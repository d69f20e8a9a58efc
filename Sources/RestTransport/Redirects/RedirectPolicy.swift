// SPDX-License-Identifier: Apache-2.0

/// The redirects that a client follows, and the origins that it trusts.
public struct RedirectPolicy: Sendable, Hashable {
    /// A Boolean value that indicates whether redirects are followed.
    ///
    /// If `false`, a 3xx response is returned as it is.
    public var followsRedirects = true

    /// The origins that may receive header fields and bodies meant for another origin; empty by
    /// default.
    ///
    /// An origin that is neither that of the request nor trusted receives only a fixed list of
    /// harmless header fields and no body.
    public var trustedOrigins: Set<HTTPOrigin> = []

    /// A Boolean value that indicates whether a redirect may lead from https to http; `false` by
    /// default, also for trusted origins.
    public var allowsInsecureTarget = false

    /// The default policy.
    public static let `default` = RedirectPolicy()

    /// Creates a policy with the documented defaults.
    public init() {}
}
