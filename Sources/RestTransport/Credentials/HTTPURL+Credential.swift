// SPDX-License-Identifier: Apache-2.0

import RestSyntax

extension HTTPURL {
    /// Creates a URL from text that may contain user information, which becomes a credential.
    ///
    /// The URL never contains the user information, so neither do logs, errors, cache keys and
    /// requests.
    ///
    /// - Parameters:
    ///   - text: The URL, with scheme and host, as in `https://user:password@host/`.
    ///   - credential: Set to user name and password if there are any; otherwise unchanged.
    /// - Throws: ``TransportError`` with code `invalidRequest`, naming the invalid part without its
    ///   content.
    /// - Source: RFC 3986 §3.2.1.
    public init(
        parsing text: String, credential: inout BasicCredential?
    ) throws(TransportError) {
        guard let userInformation = UserInformation(of: text) else {
            try self.init(parsing: text)
            return
        }
        try self.init(parsing: userInformation.rest)
        credential = try userInformation.credential()
    }
}

/// The user information between scheme and host of a URL.
private struct UserInformation {
    /// The user information, percent-encoded.
    private let text: Substring

    /// The URL without user information.
    let rest: String

    init?(of url: String) {
        guard let slashes = url.firstRange(of: "://") else { return nil }
        let authority = url[slashes.upperBound...].prefix { !"/?#\\".contains($0) }
        guard let end = authority.firstIndex(of: "@") else { return nil }
        text = authority[..<end]
        rest = String(url[..<slashes.upperBound] + url[url.index(after: end)...])
    }

    func credential() throws(TransportError) -> BasicCredential {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let user = try decoded(parts[0])
        let password = parts.count > 1 ? try decoded(parts[1]) : ""
        guard !user.isEmpty || !password.isEmpty else {
            throw HTTPURL.invalidURL("the user information is empty")
        }
        return try BasicCredential(user: user, password: password)
    }

    private func decoded(_ text: Substring) throws(TransportError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ $0.isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw HTTPURL.invalidURL("the user information contains an invalid escape") }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw HTTPURL.invalidURL("the user information is not UTF-8")
        }
        return text
    }
}
