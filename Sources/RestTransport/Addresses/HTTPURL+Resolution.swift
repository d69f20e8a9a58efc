// SPDX-License-Identifier: Apache-2.0

extension HTTPURL {
    /// The address that a reference means when it is found at this address.
    ///
    /// - Parameter reference: An absolute address or a relative reference; it may be empty.
    /// - Returns: The absolute address.
    /// - Throws: ``TransportError`` with code `invalidRequest` when the result is not an http or
    ///   https address of the strict kind described at ``HTTPURL``.
    /// - Source: RFC 3986 §5.2, without the backward-compatible reading of `http:g`.
    public func resolving(_ reference: String) throws(TransportError) -> HTTPURL {
        let bytes = reference.utf8
        if Self.hasScheme(reference) {
            return try HTTPURL(parsing: reference)
        }
        if bytes.starts(with: "//".utf8) {
            return try HTTPURL(parsing: "\(scheme.rawValue):\(reference)")
        }
        switch bytes.first {
        case UInt8(ascii: "/"):
            return try HTTPURL(parsing: slice(0, pathStart) + reference)
        case UInt8(ascii: "?"):
            return try HTTPURL(parsing: slice(0, pathEnd) + reference)
        case UInt8(ascii: "#"), nil:
            return try HTTPURL(parsing: slice(0, queryEnd) + reference)
        default:
            return try HTTPURL(parsing: slice(0, directoryEnd) + separator + reference)
        }
    }

    // Where the last segment of the path begins.
    private var directoryEnd: Int {
        let path = self.path.utf8
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return pathStart }
        return pathStart + path.distance(from: path.startIndex, to: slash) + 1
    }

    private var separator: String { pathStart == pathEnd ? "/" : "" }

    private static func hasScheme(_ reference: String) -> Bool {
        guard let first = reference.utf8.first, first.isLetter else { return false }
        for byte in reference.utf8 {
            if byte == UInt8(ascii: ":") { return true }
            let isSchemeCharacter =
                byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            if !isSchemeCharacter { return false }
        }
        return false
    }
}

extension HTTPURL {
    /// Path and query relative to a base, or on their own.
    ///
    /// The text after the base, when the base ends where a path component ends; a slash belongs to
    /// the base when the base ends with one. Without a base, path and query as written.
    ///
    /// - Parameter base: The address to measure from.
    /// - Returns: The relative part, possibly empty, or `nil` when the address is not under the base.
    public func relativePart(to base: HTTPURL?) -> String? {
        guard let base else { return slice(pathStart, queryEnd) }
        guard origin == base.origin, base.query == nil else { return nil }
        let basePath = base.path.utf8
        let target = slice(pathStart, queryEnd)
        guard target.utf8.starts(with: basePath) else { return nil }
        let rest = target.utf8.dropFirst(basePath.count)
        let isBoundary =
            basePath.last == UInt8(ascii: "/") || rest.isEmpty
            || rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "?")
        return isBoundary ? String(Substring(rest)) : nil
    }

    /// The address as a base for relative paths: without query and fragment, and with a slash at
    /// the end of a path that has none.
    package var asBase: HTTPURL {
        let hasSlash = path.utf8.last == UInt8(ascii: "/")
        let base = slice(0, pathEnd) + (pathStart == pathEnd || hasSlash ? "" : "/")
        let end = base.utf8.count
        return HTTPURL(
            text: base, scheme: scheme, port: port, hostEnd: hostEnd, pathStart: pathStart,
            pathEnd: end, queryEnd: end)
    }
}
