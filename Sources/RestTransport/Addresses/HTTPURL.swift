// SPDX-License-Identifier: Apache-2.0

/// An absolute http or https URL, parsed once.
///
/// All URLs of this package pass through this parser, and transports receive its ``text`` in the
/// canonical form of RFC 3986: lower-case scheme and host, no default port, no user information, no
/// dot segments, allowed characters only. The parser rejects everything that another parser could
/// read as a different host: user information, backslashes, control characters, spaces and
/// percent-encoding in the host, and numeric hosts other than four decimal numbers. International
/// names must be in their ASCII form. In path, query and fragment, characters that RFC 3986 does
/// not allow are percent-encoded as UTF-8.
public struct HTTPURL: Sendable {
    /// The scheme of a URL.
    public enum Scheme: String, Sendable, Hashable {
        /// HTTP without encryption.
        case http
        /// HTTP over TLS.
        case https

        /// The default port of the scheme.
        public var defaultPort: Int { self == .https ? 443 : 80 }
    }

    /// The URL in canonical form.
    public let text: String

    /// The scheme.
    public let scheme: Scheme

    /// The port, which may be the default port.
    public let port: Int

    // Invariant: UTF-8 offsets into `text`, ascending: the host ends at `hostEnd`, the path runs
    // from `pathStart` to `pathEnd`, the query (with its `?`) from there to `queryEnd`, and the
    // fragment (with its `#`) to the end.
    let hostEnd: Int
    let pathStart: Int
    let pathEnd: Int
    let queryEnd: Int

    var hostStart: Int { scheme.rawValue.utf8.count + 3 }

    init(
        text: String, scheme: Scheme, port: Int, hostEnd: Int, pathStart: Int, pathEnd: Int,
        queryEnd: Int
    ) {
        self.text = text
        self.scheme = scheme
        self.port = port
        self.hostEnd = hostEnd
        self.pathStart = pathStart
        self.pathEnd = pathEnd
        self.queryEnd = queryEnd
    }

    /// The host in lower case; an IPv6 address has its brackets.
    public var host: String { slice(hostStart, hostEnd) }

    /// The host and the port, without the default port, as in a Host field.
    public var authority: String { slice(hostStart, pathStart) }

    /// The scheme, host and port, which credentials and trust are tied to.
    public var origin: HTTPOrigin {
        HTTPOrigin(scheme: scheme, host: host, port: port)
    }

    /// Returns a Boolean value that indicates whether two URLs have the same scheme, host and port.
    package func hasSameOrigin(as other: HTTPURL) -> Bool {
        // The canonical text up to the path determines all three.
        pathStart == other.pathStart
            && text[..<text.utf8.index(text.startIndex, offsetBy: pathStart)]
                == other.text[..<other.text.utf8.index(other.text.startIndex, offsetBy: pathStart)]
    }

    /// The percent-encoded path; empty if the URL has none.
    public var path: String { slice(pathStart, pathEnd) }

    /// The percent-encoded query without its question mark, or `nil` if the URL has none.
    public var query: String? { pathEnd == queryEnd ? nil : slice(pathEnd + 1, queryEnd) }

    /// The percent-encoded fragment without its number sign, or `nil` if the URL has none.
    public var fragment: String? {
        let end = text.utf8.count
        return queryEnd == end ? nil : slice(queryEnd + 1, end)
    }

    /// The path and query of the request line; an empty path becomes `/`.
    public var requestTarget: String {
        let target = slice(pathStart, queryEnd)
        return pathStart == pathEnd ? "/" + target : target
    }

    /// The target URI of a request: ``text`` without the fragment.
    public var requestText: String {
        queryEnd == text.utf8.count ? text : slice(0, queryEnd)
    }

    /// The URL without query and fragment, for logs and errors.
    public var redacted: String {
        pathEnd == text.utf8.count ? text : slice(0, pathEnd) + (query == nil ? "" : "?…")
    }

    func slice(_ start: Int, _ end: Int) -> String {
        let bytes = text.utf8
        let from = bytes.index(bytes.startIndex, offsetBy: start)
        return String(text[from..<bytes.index(from, offsetBy: end - start)])
    }
}

extension HTTPURL: Hashable {
    /// Returns a Boolean value that indicates whether two URLs have the same canonical text.
    public static func == (left: HTTPURL, right: HTTPURL) -> Bool {
        left.text == right.text
    }

    /// Hashes the canonical text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension HTTPURL: CustomStringConvertible {
    /// The URL without query and fragment, which is safe to log.
    public var description: String { redacted }
}

/// The origin of a URL: scheme, host and port.
public struct HTTPOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The scheme.
    public let scheme: HTTPURL.Scheme

    /// The host in lower case.
    public let host: String

    /// The port, which may be the default port.
    public let port: Int

    /// The origin as text, without the default port.
    public var description: String {
        let authority = port == scheme.defaultPort ? host : "\(host):\(port)"
        return "\(scheme.rawValue)://\(authority)"
    }
}
