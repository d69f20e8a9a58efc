// SPDX-License-Identifier: Apache-2.0

import RestDocument
public import RestMapping

extension PathPattern {
    /// How values are written into a path.
    public enum ValueEncoding: Sendable, Hashable {
        /// Everything but letters, digits, `-`, `.`, `_` and `~` is percent-encoded, so that a
        /// value fills exactly one segment, whatever it holds.
        case percentEncoded
        /// The value as it is, for values that are paths already.
        case verbatim
    }

    /// A path made from a pattern, with the values that went into it.
    public struct Interpolation: Sendable, Hashable {
        /// The path.
        public var path: String
        /// The values by parameter name, not encoded.
        public var arguments: PathArguments
    }

    /// Makes a path by filling every parameter.
    ///
    /// - Parameters:
    ///   - encoding: How values are written.
    ///   - value: Gives the text for a parameter's key path, `nil` if there is none.
    /// - Returns: The path and the values that went into it.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` naming every
    ///   parameter whose value is missing, and every one whose value before the query is empty or
    ///   makes a segment `.` or `..` (servers fold those, however they are encoded).
    public func interpolated(
        encoding: ValueEncoding = .percentEncoded, _ value: (_ keyPath: String) -> String?
    ) throws(NetworkingError) -> Interpolation {
        var path: [UInt8] = []
        var arguments = PathArguments()
        var mistakes: [String] = []
        var isInQuery = false
        for piece in pieces {
            switch piece {
            case .literal(let range):
                path += literals[range]
                isInQuery = isInQuery || literals[range].contains(UInt8(ascii: "?"))
            case .parameter(let index):
                let name = parameters[index]
                guard let value = value(name) else {
                    mistakes.append("\":\(name)\" has no value")
                    continue
                }
                if !isInQuery, value.isEmpty || value == "." || value == ".." {
                    mistakes.append("the value of \":\(name)\" is empty, \".\" or \"..\"")
                }
                switch encoding {
                case .percentEncoded: PercentEncoding.appendEncoded(value.utf8, to: &path)
                case .verbatim: path += value.utf8
                }
                arguments.append(value, for: name)
            }
        }
        if mistakes.isEmpty, Self.hasDotSegment(path) {
            mistakes.append("the values make a segment \".\" or \"..\"")
        }
        guard mistakes.isEmpty else {
            throw NetworkingError(
                .invalidRequest, stage: .assembly,
                causes: mistakes.map { "path pattern \"\(text)\": \($0)" })
        }
        return Interpolation(path: String(decoding: path, as: UTF8.self), arguments: arguments)
    }

    /// Makes a path by filling every parameter from a dictionary; numbers are written in decimal.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest``, see
    ///   ``interpolated(encoding:_:)``.
    public func interpolated(
        with values: [String: any CustomStringConvertible],
        encoding: ValueEncoding = .percentEncoded
    ) throws(NetworkingError) -> Interpolation {
        try interpolated(encoding: encoding) { values[$0].map { String(describing: $0) } }
    }

    /// Makes a path by filling every parameter from the properties of an object.
    ///
    /// A parameter is a property's name, or a path such as `author.name`.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` naming every
    ///   parameter that is no property, else as ``interpolated(encoding:_:)`` does.
    public func interpolated(
        from object: some NamedValues, encoding: ValueEncoding = .percentEncoded
    ) throws(NetworkingError) -> Interpolation {
        var values: [String: String] = [:]
        var mistakes: [String] = []
        for name in parameters {
            do {
                values[name] = try object.text(at: DocumentPath(parsing: name))
            } catch {
                mistakes.append("path pattern \"\(text)\": \(error)")
            }
        }
        guard mistakes.isEmpty else {
            throw NetworkingError(.invalidRequest, stage: .assembly, causes: mistakes)
        }
        return try interpolated(encoding: encoding) { values[$0] }
    }

    /// Whether a segment before the query is `.` or `..`, written out or as `%2E`.
    static func hasDotSegment(_ path: [UInt8]) -> Bool {
        let end = path.firstIndex(of: UInt8(ascii: "?")) ?? path.count
        return path[..<end].split(separator: UInt8(ascii: "/")).contains { segment in
            let text = PercentEncoding.decoded(segment)
            return text == "." || text == ".."
        }
    }
}
