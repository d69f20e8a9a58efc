// SPDX-License-Identifier: Apache-2.0

extension HTTPURL {
    /// Parses an address that may hold user information, which becomes a credential.
    ///
    /// The address itself never holds it, and so neither do logs, errors, cache keys nor requests.
    ///
    /// - Parameters:
    ///   - text: The address, with scheme and host, as in `https://user:password@host/`.
    ///   - credential: Set to the user's name and password when there are any; else left alone.
    /// - Throws: ``TransportError`` with code `invalidRequest`, naming the part that is wrong, not
    ///   its content.
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

/// What stands between scheme and host of an address.
private struct UserInformation {
    /// As written, with its escapes.
    private let text: Substring

    /// The address without it.
    let rest: String

    init?(of address: String) {
        guard let slashes = address.firstRange(of: "://") else { return nil }
        let authority = address[slashes.upperBound...].prefix { !"/?#\\".contains($0) }
        guard let end = authority.firstIndex(of: "@") else { return nil }
        text = authority[..<end]
        rest = String(address[..<slashes.upperBound] + address[address.index(after: end)...])
    }

    func credential() throws(TransportError) -> BasicCredential {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let user = try decoded(parts[0])
        let password = parts.count > 1 ? try decoded(parts[1]) : ""
        guard !user.isEmpty || !password.isEmpty else {
            throw HTTPURL.refusal("the user information is empty")
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
            else { throw HTTPURL.refusal("an escape of the user information is not one") }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw HTTPURL.refusal("the user information is not UTF-8")
        }
        return text
    }
}
