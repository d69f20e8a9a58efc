// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// A GET or POST request of an archive and its JSON response, without the values of credentials.
struct RecordedExchange {
    /// A kind of credentials that a request had.
    enum Credential: Hashable {
        case bearer
        case basic
        case header(String)
        case query(String)
    }

    /// The URL without parameters that are secrets.
    let url: URLText
    let document: Document
    /// The JSON body of a POST request; `nil` for GET.
    let posted: Document?
    /// The header fields that are about lists.
    let fields: [HeaderField]
    let credential: Credential?

    /// Creates an exchange from an entry of an archive; `nil` for an entry that shows no records.
    init?(_ entry: Node) {
        guard let request = entry["request"], let method = request["method"]?.string?.uppercased(),
            ["GET", "POST"].contains(method), let response = entry["response"],
            let status = response["status"]?.int64,
            (200..<300).contains(status),
            let text = request["url"]?.string, let content = response["content"],
            let body = Self.body(content)
        else { return nil }
        let full = URLText(text)
        url = full.withoutSecrets
        guard !url.origin.isEmpty, let document = try? Document(parsing: body),
            document.root.kind == .object || document.root.kind == .array
        else { return nil }
        self.document = document
        if method == "POST" {
            guard let body = Self.posted(request) else { return nil }
            posted = body
        } else {
            posted = nil
        }
        fields = Self.fields(response).filter { Self.isAboutLists($0.name) }
        credential = Self.credential(Self.fields(request), full)
    }

    /// Returns the body of a POST request; `nil` if it is no JSON object.
    private static func posted(_ request: Node) -> Document? {
        guard let content = request["postData"], content["text"]?.string?.isEmpty == false else {
            return .object([] as [(String, Document)])
        }
        guard let body = body(content), let document = try? Document(parsing: body),
            document.root.kind == .object
        else { return nil }
        return document
    }

    private static func isAboutLists(_ name: String) -> Bool {
        let name = name.lowercased()
        return name == "link"
            || name.hasPrefix("x-")
                && ["total", "page", "cursor", "count"].contains { name.contains($0) }
    }

    private static func fields(_ message: Node) -> [HeaderField] {
        (message["headers"].map { Array($0.elements) } ?? []).compactMap { field in
            guard let name = field["name"]?.string, let value = field["value"]?.string else {
                return nil
            }
            return HeaderField(name, value)
        }
    }

    /// Returns the bytes of a JSON body; `nil` for another type.
    private static func body(_ content: Node) -> [UInt8]? {
        let type = (content["mimeType"]?.string ?? "").lowercased().prefix { $0 != ";" }
        guard type.hasSuffix("json"), let text = content["text"]?.string else { return nil }
        return content["encoding"]?.string == "base64" ? Base64.decoded(text) : Array(text.utf8)
    }

    private static func credential(_ fields: [HeaderField], _ url: URLText) -> Credential? {
        for field in fields {
            let name = field.name.lowercased()
            if name == "authorization" {
                let scheme = field.value.prefix { $0 != " " }.lowercased()
                return scheme == "basic"
                    ? .basic : scheme == "bearer" ? .bearer : .header(field.name)
            }
            // A cookie is the session of a browser, which a definition cannot have.
            if name != "cookie", SecretNames.isSecret(field: name) { return .header(field.name) }
        }
        return url.parameters.first { SecretNames.isSecret(parameter: $0.name, inTraffic: true) }
            .map { .query($0.name) }
    }
}

/// The most frequent kind of credentials.
struct CredentialCount {
    private var counts: [RecordedExchange.Credential: Int] = [:]
    private var count = 0

    mutating func observe(_ exchange: RecordedExchange) {
        count += 1
        if let credential = exchange.credential { counts[credential, default: 0] += 1 }
    }

    /// Returns the credentials with the reason for them.
    func finding() -> (AuthenticationDefinition, Evidence?) {
        guard let (credential, number) = counts.max(by: { $0.value < $1.value }) else {
            return (.none, nil)
        }
        let reason = "of \(number) of \(count) requests; set the variable before a run"
        switch credential {
        case .bearer:
            return (
                .bearer([.environment("API_TOKEN")]), Evidence(.likely, "bearer tokens " + reason)
            )
        case .basic:
            return (
                .basic(
                    user: .secret(.environment("API_USER")),
                    password: .secret(.environment("API_PASSWORD"))),
                Evidence(.likely, "basic credentials " + reason)
            )
        case .header(let name):
            let key = KeyCredential(name: name, in: .header, secrets: [.environment("API_KEY")])
            return (.key(key), Evidence(.likely, "the header field `\(name)` " + reason))
        case .query(let name):
            let key = KeyCredential(name: name, in: .query, secrets: [.environment("API_KEY")])
            return (.key(key), Evidence(.likely, "the parameter `\(name)` " + reason))
        }
    }
}

/// Decoding of Base64 (RFC 4648 §4).
enum Base64 {
    /// Returns the bytes of a text; `nil` if it is malformed.
    static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bitCount = 0
        for byte in text.utf8 {
            let value: UInt32
            switch byte {
            case 0x41...0x5A: value = UInt32(byte - 0x41)
            case 0x61...0x7A: value = UInt32(byte - 0x61) + 26
            case 0x30...0x39: value = UInt32(byte - 0x30) + 52
            case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
            case UInt8(ascii: "="), 0x0A, 0x0D: continue
            default: return nil
            }
            buffer = buffer << 6 | value
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bitCount)))
            }
        }
        return bytes
    }
}
