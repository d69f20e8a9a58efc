// SPDX-License-Identifier: Apache-2.0

/// The limits of a ``CookieJar``.
public struct CookieConfiguration: Sendable {
    /// The maximum number of bytes of a cookie's name and value together; 4096 by default.
    ///
    /// A larger cookie is not stored.
    public var cookieByteCount = 4096

    /// The maximum number of cookies of one domain, for each principal; 50 by default.
    ///
    /// Cookies without the `Secure` attribute are evicted first, the least recently used one first;
    /// then the others in the same order.
    public var countPerDomain = 50

    /// The maximum number of cookies of all domains together, for each principal; 3000 by default.
    public var count = 3000

    /// Returns a Boolean value that indicates whether unrelated parties share a domain, such as
    /// `com` or `co.uk`, so that a cookie for it would reach others.
    ///
    /// By default, domains without a dot are public suffixes, which includes `com` but not `co.uk`.
    /// For servers that do not trust each other under such a domain, set a function that looks up
    /// the public suffix list. The domain is in lower case.
    public var isPublicSuffix: @Sendable (_ domain: String) -> Bool = { !$0.contains(".") }

    /// Creates a configuration with the documented defaults.
    public init() {}
}
