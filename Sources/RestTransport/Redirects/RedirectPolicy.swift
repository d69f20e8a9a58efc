// SPDX-License-Identifier: Apache-2.0

/// Which redirects are followed and what they may carry.
public struct RedirectPolicy: Sendable, Hashable {
    /// Whether redirects are followed at all; when not, the 3xx response is the answer.
    public var followsRedirects = true

    /// Origins that may receive the headers and the body meant for another; none by default.
    ///
    /// All other origins than the one a request was made for get a fixed list of harmless header
    /// fields and no body.
    public var trustedOrigins: Set<HTTPOrigin> = []

    /// Whether a redirect may lead from https to http; not by default, not even to trusted origins.
    public var allowsInsecureTarget = false

    /// The policy of this package's defaults.
    public static let `default` = RedirectPolicy()

    /// Makes a policy with the documented defaults.
    public init() {}
}
