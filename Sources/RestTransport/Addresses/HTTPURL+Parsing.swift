// SPDX-License-Identifier: Apache-2.0

import RestSyntax

extension HTTPURL {
    /// Creates a URL from the text of an absolute http or https URL.
    ///
    /// - Parameter text: The URL, with scheme and host.
    /// - Throws: ``TransportError`` with code `invalidRequest`, which names the invalid part
    ///   without its content.
    /// - Source: RFC 3986, with the host rules described at ``HTTPURL``.
    public init(parsing text: String) throws(TransportError) {
        var parser = HTTPURLParser(text)
        self = try parser.parse()
    }

    /// Creates a URL with the scheme, host and port of another one.
    ///
    /// - Parameters:
    ///   - text: The path, query and fragment. The path is empty or begins with a slash.
    ///   - other: The other URL.
    /// - Throws: The errors of ``init(parsing:)``.
    init(parsing text: String, atOriginOf other: HTTPURL) throws(TransportError) {
        var parser = HTTPURLParser(text)
        self = try parser.parse(atOriginOf: other)
    }

    static func invalidURL(_ reason: String) -> TransportError {
        TransportError(.invalidRequest, stage: .preparing, reason: reason)
    }
}

/// A parser that writes the canonical form of a URL in one pass.
private struct HTTPURLParser {
    private let input: [UInt8]
    private var position = 0
    private var output: [UInt8] = []

    init(_ text: String) {
        input = Array(text.utf8)
    }

    mutating func parse() throws(TransportError) -> HTTPURL {
        try checkCharacters()
        output.reserveCapacity(input.count + 8)
        let scheme = try parseScheme()
        let end = input[position...].firstIndex(where: { $0.isAuthorityEnd }) ?? input.count
        let port = try parseAuthority(upTo: end, scheme: scheme)
        let hostEnd = output.count - (port == scheme.defaultPort ? 0 : 1 + "\(port)".utf8.count)
        position = end
        return parsePath(scheme, port: port, hostEnd: hostEnd)
    }

    mutating func parse(atOriginOf other: HTTPURL) throws(TransportError) -> HTTPURL {
        try checkCharacters()
        output.reserveCapacity(other.pathStart + input.count + 8)
        output += other.text.utf8.prefix(other.pathStart)
        return parsePath(other.scheme, port: other.port, hostEnd: other.hostEnd)
    }

    private func checkCharacters() throws(TransportError) {
        for byte in input where byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\\") {
            throw HTTPURL.invalidURL("the URL contains a control character or a backslash")
        }
    }

    /// Parses the rest of the input: path, query and fragment.
    private mutating func parsePath(
        _ scheme: HTTPURL.Scheme, port: Int, hostEnd: Int
    ) -> HTTPURL {
        let pathStart = output.count
        let inputPathEnd = input[position...].firstIndex(where: { $0.isPathEnd }) ?? input.count
        output += DotSegments.removed(
            from: PercentEncoding.canonical(input[position..<inputPathEnd]))
        let pathEnd = output.count

        let fragmentStart = input[inputPathEnd...].firstIndex(of: UInt8(ascii: "#")) ?? input.count
        if inputPathEnd < fragmentStart {
            output.append(UInt8(ascii: "?"))
            output += PercentEncoding.canonical(input[(inputPathEnd + 1)..<fragmentStart])
        }
        let queryEnd = output.count
        if fragmentStart < input.count {
            output.append(UInt8(ascii: "#"))
            output += PercentEncoding.canonical(input[(fragmentStart + 1)...])
        }
        return HTTPURL(
            text: String(decoding: output, as: UTF8.self), scheme: scheme, port: port,
            hostEnd: hostEnd, pathStart: pathStart, pathEnd: pathEnd, queryEnd: queryEnd)
    }

    private mutating func parseScheme() throws(TransportError) -> HTTPURL.Scheme {
        let lead = input.prefix(8).map { $0.asciiLowercased }
        let scheme: HTTPURL.Scheme
        if lead.starts(with: "http://".utf8) {
            scheme = .http
        } else if lead.starts(with: "https://".utf8) {
            scheme = .https
        } else {
            throw HTTPURL.invalidURL("the URL does not begin with http:// or https://")
        }
        output += scheme.rawValue.utf8
        output += "://".utf8
        position = output.count
        return scheme
    }

    private mutating func parseAuthority(
        upTo end: Int, scheme: HTTPURL.Scheme
    ) throws(TransportError) -> Int {
        let authority = input[position..<end]
        if authority.contains(UInt8(ascii: "@")) {
            throw HTTPURL.invalidURL("the URL contains user information")
        }
        var hostBytes = authority
        var portBytes: ArraySlice<UInt8> = []
        if authority.first == UInt8(ascii: "[") {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else {
                throw HTTPURL.invalidURL("the host is not an IPv6 address")
            }
            hostBytes = authority[...close]
            portBytes = authority[(close + 1)...]
        } else if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
            hostBytes = authority[..<colon]
            portBytes = authority[colon...]
        }
        output += try HostName.canonical(hostBytes)
        guard let port = Self.port(portBytes, default: scheme.defaultPort) else {
            throw HTTPURL.invalidURL("the port is not a number from 1 to 65535")
        }
        if port != scheme.defaultPort {
            output += ":\(port)".utf8
        }
        return port
    }

    private static func port(_ bytes: ArraySlice<UInt8>, default defaultPort: Int) -> Int? {
        guard let colon = bytes.first else { return defaultPort }
        let digits = bytes.dropFirst()
        guard colon == UInt8(ascii: ":"), digits.count <= 5 else { return nil }
        if digits.isEmpty { return defaultPort }
        var port = 0
        for digit in digits {
            guard digit.isDigit else { return nil }
            port = port * 10 + Int(digit &- UInt8(ascii: "0"))
        }
        return (1...65535).contains(port) ? port : nil
    }
}

extension UInt8 {
    fileprivate var isAuthorityEnd: Bool {
        self == UInt8(ascii: "/") || isPathEnd
    }

    fileprivate var isPathEnd: Bool {
        self == UInt8(ascii: "?") || self == UInt8(ascii: "#")
    }
}
