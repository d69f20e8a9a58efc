// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// What the `Cache-Control` fields of a message say, as far as a private cache heeds it.
///
/// Numbers are seconds and at most ``maximumSeconds``. Of a directive that is given twice the first
/// one counts. `s-maxage`, `private` with and without names, and `proxy-revalidate` are for shared
/// caches only and have no member here.
///
/// - Source: RFC 9111 §5.2, RFC 5861, RFC 8246.
package struct CacheControl: Sendable, Hashable {
    /// How old the response may get; 0 when the number is not one.
    package var maxAge: Int?

    /// How long a response stays fresh that the request accepts; endless when the number is not one.
    package var minFresh: Int?

    /// How stale a response the request accepts; ``maximumSeconds`` without a number.
    package var maxStale: Int?

    /// How long a stale response may be served while it is revalidated.
    package var staleWhileRevalidate: Int?

    /// How long a stale response may be served in place of an error.
    package var staleIfError: Int?

    /// The fields that may not be served without revalidation, in lower case.
    package var noCacheFields: [String] = []

    /// Whether nothing may be served without revalidation.
    package var noCache = false

    /// Whether nothing may be stored.
    package var noStore = false

    /// Whether nothing stale may be served.
    package var mustRevalidate = false

    /// Whether ``noStore`` gives way to knowing the status.
    package var mustUnderstand = false

    /// Whether the response may be stored although nothing else says so.
    package var isPublic = false

    /// Whether the response may be stored although nothing else says so, by a private cache.
    package var isPrivate = false

    /// Whether the response does not change while it is fresh.
    package var isImmutable = false

    /// Whether the request wants no answer but a stored one.
    package var onlyIfCached = false

    /// The greatest number of seconds, about 68 years.
    ///
    /// - Source: RFC 9111 §1.2.2.
    package static let maximumSeconds = 1 << 31

    /// Reads the fields of a message.
    package init(_ fields: HTTPFields) {
        guard fields.contains(.cacheControl) else { return }
        for field in fields where field.name == .cacheControl {
            var reader = DirectiveReader(field.value)
            while let directive = reader.next() {
                add(directive)
            }
        }
    }

    /// Reads the fields of a request, where a lone `Pragma: no-cache` means the same.
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
