// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension PathPattern {
    /// What to do with the query of a path that is taken apart.
    public enum QueryUse: Sendable, Hashable {
        /// The query is cut off.
        case ignored
        /// Names and values of the query join the arguments; a path argument wins over a query
        /// argument of the same name.
        case tokenized
    }

    /// Whether a path has this form; its query is ignored.
    ///
    /// - Parameter path: A path as it stands in a URL, percent-encoded.
    /// - Returns: Whether every literal is in its place and every parameter has a value.
    public func matches(_ path: String) -> Bool {
        matches(PathCandidate(path))
    }

    /// The values a path holds for the parameters, or `nil` if the path has another form.
    ///
    /// - Parameters:
    ///   - path: A path as it stands in a URL, percent-encoded, with or without a query.
    ///   - query: Whether the query's names and values are arguments, too.
    /// - Returns: Percent-decoded text by parameter name; empty if the pattern has no parameters.
    public func arguments(in path: String, query: QueryUse = .ignored) -> PathArguments? {
        arguments(in: PathCandidate(path), query: query)
    }

    package func matches(_ candidate: PathCandidate) -> Bool {
        match(candidate.bytes) { _, _ in }
    }

    package func arguments(
        in candidate: PathCandidate, query: QueryUse = .ignored
    ) -> PathArguments? {
        var arguments = PathArguments()
        let isMatch = match(candidate.bytes) { parameter, range in
            arguments.append(
                PercentEncoding.decoded(candidate.bytes[range]), for: parameters[parameter])
        }
        guard isMatch else { return nil }
        if query == .tokenized {
            arguments.addMissing(candidate.queryArguments)
        }
        return arguments
    }

    private func match(_ path: [UInt8], found: (_ parameter: Int, Range<Int>) -> Void) -> Bool {
        var position = 0
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .literal(let range):
                guard isLiteral(range, at: position, of: path) else { return false }
                position += range.count
            case .parameter(let parameter):
                var following: Range<Int>?
                if index + 1 < pieces.count, case .literal(let range) = pieces[index + 1] {
                    following = range
                }
                guard let end = endOfValue(from: position, before: following, in: path) else {
                    return false
                }
                found(parameter, position..<end)
                position = end
            }
        }
        return position == path.count
    }

    /// Where the value of a parameter ends.
    ///
    /// That is before the first occurrence of the literal after it, or at the end of the path. A
    /// value is never empty and never crosses a slash.
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

    private func isLiteral(_ range: Range<Int>, at position: Int, of path: [UInt8]) -> Bool {
        guard path.count - position >= range.count else { return false }
        for offset in 0..<range.count
        where literals[range.lowerBound + offset] != path[position + offset] {
            return false
        }
        return true
    }
}

/// A path prepared once to be compared with any number of patterns.
package struct PathCandidate: Sendable, Hashable {
    /// The path up to its query, encoded the way pattern literals are.
    let bytes: [UInt8]
    /// Text between the first and the second question mark.
    let query: Substring?

    package init(_ path: some StringProtocol) {
        let path = path.prefix { $0 != "#" }
        let parts = path.split(separator: "?", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        if let first = parts.first {
            bytes.reserveCapacity(first.utf8.count)
            PercentEncoding.appendNormalized(first.utf8, to: &bytes)
        }
        self.bytes = bytes
        query = parts.count > 1 ? Substring(parts[1]) : nil
    }

    /// The query's pairs; a name without `=` is none, a repeated name has several values.
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

extension PathCandidate: CustomStringConvertible {
    /// The path without its query.
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
