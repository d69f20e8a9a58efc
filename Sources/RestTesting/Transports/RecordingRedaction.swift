// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// What of an exchange goes into a recording, which is a file that people share.
///
/// Header fields are left out unless they are listed, so that no credential gets in by its unusual
/// name. Values of hidden query parameters become `redacted`, in addresses and in kept fields.
public struct RecordingRedaction: Sendable {
    /// The header fields that are kept.
    public var fields: Set<HTTPField.Name>

    /// The names of query parameters whose values are hidden, in lower case.
    public var hiddenParameters: Set<String>

    /// Changes a body before it is kept, that of a request as well as that of a response.
    ///
    /// Bodies are kept as they are by default, so a password in a form is.
    public var body: @Sendable ([UInt8]) -> [UInt8]

    /// Fields of content, caching, paging and limits; the usual parameters of credentials.
    public static let `default` = RecordingRedaction(
        fields: Set(
            [
                "Accept", "Accept-Language", "Age", "Allow", "Cache-Control", "Content-Disposition",
                "Content-Language", "Content-Location", "Content-Range", "Content-Type", "Date",
                "ETag", "Expires", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range",
                "If-Unmodified-Since", "Last-Modified", "Link", "Location", "Prefer", "Range",
                "Retry-After", "Vary", "X-RateLimit-Limit", "X-RateLimit-Remaining",
                "X-RateLimit-Reset", "X-Total-Count",
            ].compactMap { HTTPField.Name($0) }),
        hiddenParameters: [
            "access_token", "api-key", "api_key", "apikey", "auth", "client_secret", "code", "key",
            "password", "secret", "sig", "signature", "token", "x-amz-signature",
        ])

    /// Makes a redaction.
    ///
    /// - Parameters:
    ///   - fields: The header fields that are kept.
    ///   - hiddenParameters: The names of query parameters whose values are hidden, in lower case.
    ///   - body: Changes a body before it is kept.
    public init(
        fields: Set<HTTPField.Name>, hiddenParameters: Set<String>,
        body: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) {
        self.fields = fields
        self.hiddenParameters = hiddenParameters
        self.body = body
    }

    func kept(_ headerFields: HTTPFields) -> HTTPFields {
        var kept = HTTPFields()
        for field in headerFields where fields.contains(field.name) {
            kept.append(HTTPField(name: field.name, value: withoutSecrets(field.value)))
        }
        return kept
    }

    /// A text with the values of hidden parameters replaced, wherever `?name=` or `&name=` stands.
    func withoutSecrets(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0 == "?" || $0 == "&" }) {
            let afterStart = rest.index(after: start)
            result += rest[..<afterStart]
            rest = rest[afterStart...]
            let name = rest.prefix { $0 != "=" && !Self.endsParameter($0) }
            guard name.endIndex < rest.endIndex, rest[name.endIndex] == "=",
                hiddenParameters.contains(name.lowercased())
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
