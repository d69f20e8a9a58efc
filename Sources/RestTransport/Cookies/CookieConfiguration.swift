// SPDX-License-Identifier: Apache-2.0

/// What a ``CookieJar`` takes.
public struct CookieConfiguration: Sendable {
    /// Most bytes of a cookie's name and value together; default 4096.
    ///
    /// A larger cookie is not kept.
    public var cookieByteCount = 4096

    /// Most cookies of one domain, for each principal; default 50.
    ///
    /// Those for unencrypted connections go first, of them and then of all the one that was not
    /// used for the longest time.
    public var countPerDomain = 50

    /// Most cookies of all domains together, for each principal; default 3000.
    public var count = 3000

    /// Whether a domain is one that strangers share, such as `com` or `co.uk`, so that a cookie for
    /// it would reach others.
    ///
    /// By default a domain without a dot. That refuses `com`, not `co.uk`: who talks to servers
    /// below such a domain that do not trust each other gives a function over the public suffix
    /// list. The name is in lower case.
    public var isPublicSuffix: @Sendable (_ domain: String) -> Bool = { !$0.contains(".") }

    /// Makes a configuration with the documented defaults.
    public init() {}
}
