// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import RestSyntax

/// The redaction of requests and responses in logs.
///
/// Values of header fields are hidden unless the field is known to be harmless. Values of query
/// items are hidden if their name suggests a secret. Text from servers is escaped, so that it can
/// neither end a line nor control a terminal.
public struct LogRedaction: Sendable, Hashable {
    /// The replacement for hidden values.
    public static let mask = "[hidden]"

    /// The fields whose values are shown, unless they are also in ``hiddenFields``.
    public var shownFields: Set<HTTPField.Name> = harmlessFields

    /// The fields whose values are never shown.
    ///
    /// By default `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`, `X-Api-Key`,
    /// `WWW-Authenticate`, `Authentication-Info` and `Proxy-Authenticate`. Insert the fields of
    /// your application that contain secrets.
    public var hiddenFields: Set<HTTPField.Name> = credentialFields

    /// The substrings of the names of query and form items whose values are hidden, in lower case.
    public var hiddenItemNames: [String] = [
        "auth", "code", "cred", "jwt", "key", "otp", "passw", "pwd", "secret", "sess", "sig",
        "token",
    ]

    /// The default redaction.
    public static let `default` = LogRedaction()

    /// Creates a redaction with the documented defaults.
    public init() {}

    /// Returns the value of a header field, escaped, or the mask.
    public func redacted(_ field: HTTPField) -> String {
        guard shownFields.contains(field.name), !hiddenFields.contains(field.name) else {
            return Self.mask
        }
        return EscapedText.of(field.value)
    }

    /// Returns a URL without fragment and with the hidden values of its query masked.
    public func redacted(_ url: HTTPURL) -> String {
        let text = url.requestText
        guard url.pathEnd < url.queryEnd else { return text }
        let start = text.utf8.index(text.startIndex, offsetBy: url.pathEnd + 1)
        let query = text[start...]
        guard containsHiddenItem(query) else { return text }
        return "\(text[..<start])\(redactedItems(query))"
    }

    /// Returns a query or form with the hidden values masked.
    func redactedItems(_ text: Substring) -> String {
        let items = text.split(separator: "&", omittingEmptySubsequences: false)
        return items.map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, hides(itemName: pair[0]) else { return String(item) }
            return "\(pair[0])=\(Self.mask)"
        }
        .joined(separator: "&")
    }

    private func containsHiddenItem(_ text: Substring) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "&")).contains { item in
            hides(itemName: Substring(item.prefix { $0 != UInt8(ascii: "=") }))
        }
    }

    private func hides(itemName name: Substring) -> Bool {
        let plain = Self.percentDecoded(name)
        return hiddenItemNames.contains { part in
            let part = part.utf8
            guard let first = part.first, part.count <= plain.count else { return false }
            return (0...(plain.count - part.count)).contains { start in
                plain[start] == first && plain[start...].starts(with: part)
            }
        }
    }

    /// Returns the bytes of a percent-decoded name in lower case.
    private static func percentDecoded(_ name: Substring) -> [UInt8] {
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

    /// The fields that describe a message and not its user.
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
