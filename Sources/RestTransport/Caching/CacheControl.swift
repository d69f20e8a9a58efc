// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The `Cache-Control` directives of a message that apply to a private cache.
///
/// Numbers are in seconds, at most ``maximumSeconds``. If a directive occurs twice, the first one
/// counts. `s-maxage`, the field names of `private`, and `proxy-revalidate` apply to shared caches
/// only and have no property here.
///
/// - Source: RFC 9111 §5.2, RFC 5861, RFC 8246.
package struct CacheControl: Sendable, Hashable {
    /// The maximum age of the response; 0 if the value is not a number.
    package var maxAge: Int?

    /// The minimum remaining freshness that the request accepts; ``maximumSeconds`` if the value is
    /// not a number.
    package var minFresh: Int?

    /// The maximum staleness that the request accepts; ``maximumSeconds`` if there is no value.
    package var maxStale: Int?

    /// The maximum staleness of a response that is reused while it is validated.
    package var staleWhileRevalidate: Int?

    /// The maximum staleness of a response that is reused instead of an error.
    package var staleIfError: Int?

    /// The names of fields that must not be reused without validation, in lower case.
    package var noCacheFields: [String] = []

    /// A Boolean value that indicates whether the response must not be reused without validation.
    package var noCache = false

    /// A Boolean value that indicates whether the response must not be stored.
    package var noStore = false

    /// A Boolean value that indicates whether the response must not be reused when it is stale.
    package var mustRevalidate = false

    /// A Boolean value that indicates whether ``noStore`` is ignored for status codes whose caching
    /// requirements the cache implements.
    package var mustUnderstand = false

    /// A Boolean value that indicates whether the response may be stored without further
    /// conditions.
    package var isPublic = false

    /// A Boolean value that indicates whether a private cache may store the response without
    /// further conditions.
    package var isPrivate = false

    /// A Boolean value that indicates whether the response does not change while it is fresh.
    package var isImmutable = false

    /// A Boolean value that indicates whether the request accepts only a stored response.
    package var onlyIfCached = false

    /// The maximum number of seconds, about 68 years.
    ///
    /// - Source: RFC 9111 §1.2.2.
    package static let maximumSeconds = 1 << 31

    /// Creates the directives of a message.
    package init(_ fields: HTTPFields) {
        guard fields.contains(.cacheControl) else { return }
        for field in fields where field.name == .cacheControl {
            var reader = DirectiveReader(field.value)
            while let directive = reader.next() {
                add(directive)
            }
        }
    }

    /// Creates the directives of a request; `Pragma: no-cache` counts if there is no
    /// `Cache-Control`.
    package init(ofRequest fields: HTTPFields) {
        self.init(fields)
        guard fields.contains(.pragma), !fields.contains(.cacheControl) else { return }
        for field in fields where field.name == .pragma {
            var reader = DirectiveReader(field.value)
            while let directive = reader.next() {
                if directive.name == "no-cache" { noCache = true }
            }
        }
    }

    private mutating func add(_ directive: DirectiveReader.Directive) {
        switch directive.name {
        case "max-age": maxAge = maxAge ?? directive.seconds ?? 0
        case "min-fresh": minFresh = minFresh ?? directive.seconds ?? Self.maximumSeconds
        case "max-stale":
            let limit = directive.value == nil ? Self.maximumSeconds : directive.seconds
            maxStale = maxStale ?? limit ?? 0
        case "stale-while-revalidate":
            staleWhileRevalidate = staleWhileRevalidate ?? directive.seconds ?? 0
        case "stale-if-error": staleIfError = staleIfError ?? directive.seconds ?? 0
        case "no-cache":
            let names = directive.listedNames
            noCacheFields += names
            if names.isEmpty { noCache = true }
        case "no-store": noStore = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "immutable": isImmutable = true
        case "only-if-cached": onlyIfCached = true
        default: break
        }
    }
}
