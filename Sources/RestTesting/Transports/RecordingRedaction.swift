// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The rules that keep secrets out of recordings, which are shared files.
///
/// Only the listed header fields are recorded, so a credential in an unknown field is not. The values of
/// redacted query parameters become `redacted`, in URLs and in recorded fields.
public struct RecordingRedaction: Sendable {
    /// The header fields that are recorded.
    public var allowedFields: Set<HTTPField.Name>

    /// The names of query parameters whose values are redacted, in lower case.
    public var redactedParameters: Set<String>

    /// A closure that transforms the bodies of requests and responses before they are recorded.
    ///
    /// By default bodies are recorded unchanged, including a password in a form.
    public var transformBody: @Sendable ([UInt8]) -> [UInt8]

    /// The default rules: they record header fields of content, caching, paging and rate limits, and
    /// redact the common parameters for credentials.
    public static let `default` = RecordingRedaction(
        allowedFields: Set(
            [
                "Accept", "Accept-Language", "Age", "Allow", "Cache-Control", "Content-Disposition",
                "Content-Language", "Content-Location", "Content-Range", "Content-Type", "Date",
                "ETag", "Expires", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range",
                "If-Unmodified-Since", "Last-Modified", "Link", "Location", "Prefer", "Range",
                "Retry-After", "Vary", "X-RateLimit-Limit", "X-RateLimit-Remaining",
                "X-RateLimit-Reset", "X-Total-Count",
            ].compactMap { HTTPField.Name($0) }),
        redactedParameters: [
            "access_token", "api-key", "api_key", "apikey", "auth", "client_secret", "code", "key",
            "password", "secret", "sig", "signature", "token", "x-amz-signature",
        ])

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - allowedFields: The header fields that are recorded.
    ///   - redactedParameters: The names of query parameters whose values are redacted, in lower case.
    ///   - transformBody: A closure that transforms bodies before they are recorded.
    public init(
        allowedFields: Set<HTTPField.Name>, redactedParameters: Set<String>,
        transformBody: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) {
        self.allowedFields = allowedFields
        self.redactedParameters = redactedParameters
        self.transformBody = transformBody
    }

    /// Returns the allowed header fields, with redacted parameters.
    func redacted(_ headerFields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        for field in headerFields where allowedFields.contains(field.name) {
            result.append(HTTPField(name: field.name, value: redacted(field.value)))
        }
        return result
    }

    /// Returns a text with the values of redacted parameters replaced, after each `?name=` or `&name=`.
    func redacted(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0 == "?" || $0 == "&" }) {
            let afterStart = rest.index(after: start)
            result += rest[..<afterStart]
            rest = rest[afterStart...]
            let name = rest.prefix { $0 != "=" && !Self.endsParameter($0) }
            guard name.endIndex < rest.endIndex, rest[name.endIndex] == "=",
                redactedParameters.contains(name.lowercased())
            else { continue }
            result += "\(name)=redacted"
            rest = rest[name.endIndex...].drop { !Self.endsParameter($0) }
        }
        return result + rest
    }

    private static func endsParameter(_ character: Character) -> Bool {
        "&#?>\"; ,".contains(character)
    }
}
