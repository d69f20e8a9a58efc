// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import RestSyntax

extension HTTPURL {
    /// Returns a URI reference resolved against this URL.
    ///
    /// - Parameter reference: An absolute URL or a relative reference; it may be empty.
    /// - Returns: The absolute URL.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the result is not an http or
    ///   https URL as ``HTTPURL`` requires.
    /// - Source: RFC 3986 §5.2, without the backward-compatible interpretation of `http:g`.
    public func resolving(_ reference: String) throws(TransportError) -> HTTPURL {
        let bytes = reference.utf8
        if Self.hasScheme(reference) {
            return try HTTPURL(parsing: reference)
        }
        if bytes.starts(with: "//".utf8) {
            return try HTTPURL(parsing: "\(scheme.rawValue):\(reference)")
        }
        let kept =
            switch bytes.first {
            case UInt8(ascii: "/"): ""
            case UInt8(ascii: "?"): slice(pathStart, pathEnd)
            case UInt8(ascii: "#"), nil: slice(pathStart, queryEnd)
            default: slice(pathStart, directoryEnd) + separator
            }
        return try HTTPURL(parsing: kept + reference, atOriginOf: self)
    }

    /// Returns the URL of a path that a program wrote, resolved against this URL.
    ///
    /// A number sign would begin a fragment, which is not sent: the request would be for another
    /// resource, and what is added to the path would be lost.
    ///
    /// - Throws: The errors of ``resolving(_:)-(String)`` and of ``checkBase()``, also for a path with
    ///   a number sign.
    package func resolving(path: String) throws(TransportError) -> HTTPURL {
        try checkBase()
        guard !path.utf8.contains(UInt8(ascii: "#")) else {
            throw Self.invalidURL("the path contains a number sign; write it as %23")
        }
        return try resolving(path)
    }

    /// Returns the URI reference in a header field, such as `Location`, resolved against this URL.
    ///
    /// Bytes above 127, which some servers send in ISO-8859-1, are percent-encoded as they are.
    ///
    /// - Throws: The errors of ``resolving(_:)-(String)``.
    package func resolving(_ field: HTTPField) throws(TransportError) -> HTTPURL {
        if field.isUTF8 { return try resolving(field.value) }
        var reference = ""
        for byte in field.valueBytes {
            if byte < 0x80 {
                reference.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                reference += "%" + String(byte, radix: 16, uppercase: true)
            }
        }
        return try resolving(reference)
    }

    // The offset of the last path segment.
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
    /// Returns the path and query, relative to a base URL if there is one.
    ///
    /// The base must end at a boundary between path segments. A slash belongs to the base if the
    /// base ends with one.
    ///
    /// - Parameter base: The base URL, or `nil` for the whole path and query.
    /// - Returns: The relative part, possibly empty, or `nil` if the URL does not begin with the
    ///   base.
    public func relativePart(to base: HTTPURL?) -> String? {
        guard let base else { return slice(pathStart, queryEnd) }
        guard hasSameOrigin(as: base), base.query == nil else { return nil }
        let basePath = base.path.utf8
        let target = slice(pathStart, queryEnd)
        guard target.utf8.starts(with: basePath) else { return nil }
        let rest = target.utf8.dropFirst(basePath.count)
        let isBoundary =
            basePath.last == UInt8(ascii: "/") || rest.isEmpty
            || rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "?")
        return isBoundary ? String(Substring(rest)) : nil
    }

    /// Checks that the URL can be a base for relative paths.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest` if the URL has a query or a fragment,
    ///   which no path below it would keep.
    package func checkBase() throws(TransportError) {
        guard pathEnd == text.utf8.count else {
            throw Self.invalidURL(
                "the base URL has a query or a fragment; send its parameters with each request")
        }
    }

    /// The URL as a base for relative paths: without query and fragment, and with a slash at the
    /// end of the path.
    package var asBase: HTTPURL {
        let hasSlash = path.utf8.last == UInt8(ascii: "/")
        let base = slice(0, pathEnd) + (pathStart == pathEnd || hasSlash ? "" : "/")
        let end = base.utf8.count
        return HTTPURL(
            text: base, scheme: scheme, port: port, hostEnd: hostEnd, pathStart: pathStart,
            pathEnd: end, queryEnd: end)
    }
}
