// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestSyntax

extension PathPattern {
    /// The treatment of the query of a path.
    public enum QueryHandling: Sendable, Hashable {
        /// Ignores the query.
        case ignored
        /// Adds the parameters of the query to the arguments. An argument in the path takes
        /// precedence over an argument in the query with the same name.
        case included
    }

    /// Returns a Boolean value that indicates whether a path matches the pattern.
    ///
    /// - Parameter path: A percent-encoded path. Its query is ignored.
    /// - Returns: `true` if all literals match and every parameter has a value.
    public func matches(_ path: String) -> Bool {
        matches(NormalizedPath(path))
    }

    /// Returns the values of the parameters in a path.
    ///
    /// - Parameters:
    ///   - path: A percent-encoded path, with or without a query.
    ///   - query: The treatment of the query.
    /// - Returns: Percent-decoded values by parameter name, empty if the pattern has no parameters;
    ///   `nil` if the path does not match.
    public func arguments(in path: String, query: QueryHandling = .ignored) -> PathArguments? {
        arguments(in: NormalizedPath(path), query: query)
    }

    package func matches(_ path: NormalizedPath) -> Bool {
        match(path.bytes) { _, _ in }
    }

    package func arguments(
        in path: NormalizedPath, query: QueryHandling = .ignored
    ) -> PathArguments? {
        var arguments = PathArguments()
        let isMatch = match(path.bytes) { parameter, range in
            arguments.append(
                PercentEncoding.decoded(path.bytes[range]), for: parameters[parameter])
        }
        guard isMatch else { return nil }
        if query == .included {
            arguments.merge(keepingCurrent: path.queryArguments)
        }
        return arguments
    }

    private func match(_ path: [UInt8], onValue: (_ parameter: Int, Range<Int>) -> Void) -> Bool {
        var offset = 0
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .literal(let range):
                guard isLiteral(range, at: offset, of: path) else { return false }
                offset += range.count
            case .parameter(let parameter):
                var following: Range<Int>?
                if index + 1 < pieces.count, case .literal(let range) = pieces[index + 1] {
                    following = range
                }
                guard let end = endOfValue(from: offset, before: following, in: path) else {
                    return false
                }
                onValue(parameter, offset..<end)
                offset = end
            }
        }
        return offset == path.count
    }

    /// Returns the end of a parameter's value: the first occurrence of the literal after it, or the
    /// end of the path.
    ///
    /// A value is not empty and does not contain a slash.
    private func endOfValue(
        from start: Int, before literal: Range<Int>?, in path: [UInt8]
    ) -> Int? {
        var end = start
        while end < path.count {
            if let literal, isLiteral(literal, at: end, of: path) { break }
            if path[end] == UInt8(ascii: "/") { return nil }
            end += 1
        }
        if literal != nil, end == path.count { return nil }
        return end > start ? end : nil
    }

    private func isLiteral(_ range: Range<Int>, at start: Int, of path: [UInt8]) -> Bool {
        guard path.count - start >= range.count else { return false }
        for offset in 0..<range.count
        where literals[range.lowerBound + offset] != path[start + offset] {
            return false
        }
        return true
    }
}

/// A path in the normal form in which it is compared with patterns.
package struct NormalizedPath: Sendable, Hashable {
    /// The path before its query, in the percent-encoding of pattern literals.
    let bytes: [UInt8]
    /// The text between the first and the second question mark.
    let query: String?

    package init(_ path: some StringProtocol) {
        let text = Array(path.utf8)
        let whole = text.prefix { $0 != UInt8(ascii: "#") }
        let location = whole.prefix { $0 != UInt8(ascii: "?") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(location.count)
        PercentEncoding.appendNormalized(location, to: &bytes)
        self.bytes = bytes
        let rest = whole[location.endIndex...]
        query =
            rest.isEmpty
            ? nil
            : String(
                decoding: rest.dropFirst().prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// The arguments in the query.
    ///
    /// A name without `=` is ignored. A repeated name has several values.
    var queryArguments: PathArguments {
        var arguments = PathArguments()
        for pair in (query ?? "").split(separator: "&") {
            guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
            arguments.append(
                PercentEncoding.decoded(pair[equals...].utf8.dropFirst()),
                for: PercentEncoding.decoded(pair[..<equals].utf8))
        }
        return arguments
    }
}

extension NormalizedPath: CustomStringConvertible {
    /// The path without its query.
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
