// SPDX-License-Identifier: Apache-2.0

/// An absolute http or https address, parsed once.
///
/// Every address of this package goes through this one parser, and transports receive its ``text``,
/// which is canonical RFC 3986: lower-case scheme and host, no default port, no user information, no
/// dot segments, nothing but allowed characters. What another parser could read as a different host
/// is refused, not repaired: user information, backslashes, control characters, blanks and
/// escapes in the host, numeric hosts that are not four decimal numbers. International names must
/// be given in their ASCII form. In path, query and fragment, characters that RFC 3986 does not
/// allow are escaped as UTF-8.
public struct HTTPURL: Sendable {
    /// How the connection is made.
    public enum Scheme: String, Sendable, Hashable {
        /// Without encryption.
        case http
        /// With TLS.
        case https

        /// The port that need not be written.
        public var defaultPort: Int { self == .https ? 443 : 80 }
    }

    /// The whole address in canonical form.
    public let text: String

    /// How the connection is made.
    public let scheme: Scheme

    /// The port, the default one included.
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

    /// The host in lower case, an IPv6 address with its brackets.
    public var host: String { slice(hostStart, hostEnd) }

    /// Host and port, without the default port, as in a Host field.
    public var authority: String { slice(hostStart, pathStart) }

    /// Scheme, host and port: what credentials and trust are tied to.
    public var origin: HTTPOrigin {
        HTTPOrigin(scheme: scheme, host: host, port: port)
    }

    /// Whether scheme, host and port are the same as another address's.
    func hasSameOrigin(as other: HTTPURL) -> Bool {
        // The canonical text up to the path says all three.
        pathStart == other.pathStart
            && text.utf8.prefix(pathStart).elementsEqual(other.text.utf8.prefix(pathStart))
    }

    /// The escaped path; empty when none was written.
    public var path: String { slice(pathStart, pathEnd) }

    /// The escaped query without its question mark; `nil` when none was written.
    public var query: String? { pathEnd == queryEnd ? nil : slice(pathEnd + 1, queryEnd) }

    /// The escaped fragment without its number sign; `nil` when none was written.
    public var fragment: String? {
        let end = text.utf8.count
        return queryEnd == end ? nil : slice(queryEnd + 1, end)
    }

    /// Path and query as they go on the request line; an empty path is `/`.
    public var requestTarget: String {
        let target = slice(pathStart, queryEnd)
        return pathStart == pathEnd ? "/" + target : target
    }

    /// The address a transport asks for: ``text`` without the fragment.
    public var requestText: String {
        queryEnd == text.utf8.count ? text : slice(0, queryEnd)
    }

    /// The address without query and fragment, for logs and errors.
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
    /// Whether both have the same canonical text.
    public static func == (left: HTTPURL, right: HTTPURL) -> Bool {
        left.text == right.text
    }

    /// Hashes the canonical text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension HTTPURL: CustomStringConvertible {
    /// The address without query and fragment, so that it can be logged.
    public var description: String { redacted }
}

/// Scheme, host and port of an address.
public struct HTTPOrigin: Sendable, Hashable, CustomStringConvertible {
    /// How the connection is made.
    public let scheme: HTTPURL.Scheme

    /// The host in lower case.
    public let host: String

    /// The port, the default one included.
    public let port: Int

    /// The origin as the beginning of an address.
    public var description: String {
        let authority = port == scheme.defaultPort ? host : "\(host):\(port)"
        return "\(scheme.rawValue)://\(authority)"
    }
}
