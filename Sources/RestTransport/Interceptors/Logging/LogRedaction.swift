// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// What of messages may be seen in logs.
///
/// Header fields are hidden unless they are known to be harmless, values of a query are hidden when
/// their name sounds like a secret, and whatever a server wrote is escaped, so that it can neither
/// end a line nor steer a terminal.
public struct LogRedaction: Sendable, Hashable {
    /// What stands for a hidden value.
    public static let mask = "[hidden]"

    /// Fields whose values are shown, unless ``hiddenFields`` has them too.
    public var shownFields: Set<HTTPField.Name> = harmlessFields

    /// Fields whose values are never shown.
    ///
    /// `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`, `X-Api-Key`,
    /// `WWW-Authenticate`, `Authentication-Info` and `Proxy-Authenticate` by default; names of one's
    /// own are added here.
    public var hiddenFields: Set<HTTPField.Name> = credentialFields

    /// Parts of the names of query and form items whose values are hidden, in lower case.
    public var hiddenItemNames: [String] = [
        "auth", "code", "cred", "jwt", "key", "otp", "passw", "pwd", "secret", "sess", "sig",
        "token",
    ]

    /// The redaction of this package's defaults.
    public static let `default` = LogRedaction()

    /// Makes a redaction with the documented defaults.
    public init() {}

    /// A header field's value, escaped, or the mask.
    public func shown(_ field: HTTPField) -> String {
        guard shownFields.contains(field.name), !hiddenFields.contains(field.name) else {
            return Self.mask
        }
        return EscapedText.of(field.value)
    }

    /// An address without fragment, with the hidden values of its query masked.
    public func shown(_ url: HTTPURL) -> String {
        let text = url.requestText
        guard url.pathEnd < url.queryEnd else { return text }
        let start = text.utf8.index(text.startIndex, offsetBy: url.pathEnd + 1)
        let query = text[start...]
        guard holdsHiddenItem(query) else { return text }
        return "\(text[..<start])\(shownItems(query))"
    }

    /// A query or form with the hidden values masked.
    func shownItems(_ text: Substring) -> String {
        let items = text.split(separator: "&", omittingEmptySubsequences: false)
        return items.map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, hides(itemName: pair[0]) else { return String(item) }
            return "\(pair[0])=\(Self.mask)"
        }
        .joined(separator: "&")
    }

    private func holdsHiddenItem(_ text: Substring) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "&")).contains { item in
            hides(itemName: Substring(item.prefix { $0 != UInt8(ascii: "=") }))
        }
    }

    private func hides(itemName name: Substring) -> Bool {
        let plain = Self.unescaped(name)
        return hiddenItemNames.contains { part in
            let part = part.utf8
            guard let first = part.first, part.count <= plain.count else { return false }
            return (0...(plain.count - part.count)).contains { start in
                plain[start] == first && plain[start...].starts(with: part)
            }
        }
    }

    /// The bytes of a name without escapes, letters in lower case.
    private static func unescaped(_ name: Substring) -> [UInt8] {
        var output: [UInt8] = []
        var rest = name.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(Substring(digits), radix: 16)
            {
                output.append(value.asciiLowercased)
                rest = rest.dropFirst(2)
            } else {
                output.append(byte.asciiLowercased)
            }
        }
        return output
    }

    /// Fields that say how a message is to be read, kept or repeated, and nothing about its user.
    private static let harmlessFields: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .acceptLanguage, .acceptRanges, .age, .allow, .cacheControl,
        .contentEncoding, .contentLanguage, .contentLength, .contentRange, .contentType, .date,
        .eTag, .expires, .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, .ifUnmodifiedSince,
        .lastModified, .range, .retryAfter, .server, .userAgent, .vary, .requestID, .rateLimit,
        .rateLimitReset, .legacyRateLimitReset, .legacyRateLimitRemaining, .traceParent,
    ]

    private static let credentialFields: Set<HTTPField.Name> = [
        .authorization, .proxyAuthorization, .cookie, .setCookie, .wwwAuthenticate,
        .authenticationInfo, .proxyAuthenticate, .fixed("X-Api-Key"),
    ]
}
