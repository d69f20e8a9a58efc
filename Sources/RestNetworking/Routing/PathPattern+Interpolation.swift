// SPDX-License-Identifier: Apache-2.0

import RestDocument
public import RestMapping
import RestSyntax

extension PathPattern {
    /// The encoding of values in a path.
    public enum ValueEncoding: Sendable, Hashable {
        /// Percent-encodes everything but letters, digits, `-`, `.`, `_` and `~`, so that any value
        /// fills exactly one segment.
        case percentEncoded
        /// Inserts the value unchanged, for values that are paths themselves.
        case verbatim
    }

    /// A path that a pattern was interpolated into, and the values of its parameters.
    public struct Interpolation: Sendable, Hashable {
        /// The path.
        public var path: String
        /// The values by parameter name, without encoding.
        public var arguments: PathArguments
    }

    /// Returns a path in which a closure's values replace the parameters.
    ///
    /// - Parameters:
    ///   - encoding: The encoding of the values.
    ///   - value: Returns the text for a parameter's key path; `nil` if there is none.
    /// - Returns: The path and the values of its parameters.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` that lists
    ///   every parameter without a value, and every parameter before the query whose value is empty
    ///   or forms a segment `.` or `..`. Servers remove such segments even if they are encoded.
    public func interpolated(
        encoding: ValueEncoding = .percentEncoded, _ value: (_ keyPath: String) -> String?
    ) throws(NetworkingError) -> Interpolation {
        var path: [UInt8] = []
        var arguments = PathArguments()
        var causes: [String] = []
        var isInQuery = false
        for piece in pieces {
            switch piece {
            case .literal(let range):
                path += literals[range]
                isInQuery = isInQuery || literals[range].contains(UInt8(ascii: "?"))
            case .parameter(let index):
                let name = parameters[index]
                guard let value = value(name) else {
                    causes.append("\":\(name)\" has no value")
                    continue
                }
                if !isInQuery, value.isEmpty || value == "." || value == ".." {
                    causes.append("the value of \":\(name)\" is empty, \".\" or \"..\"")
                }
                switch encoding {
                case .percentEncoded: PercentEncoding.appendEncoded(value.utf8, to: &path)
                case .verbatim: path += value.utf8
                }
                arguments.append(value, for: name)
            }
        }
        if causes.isEmpty, Self.hasDotSegment(path) {
            causes.append("the values make a segment \".\" or \"..\"")
        }
        guard causes.isEmpty else {
            throw NetworkingError(
                .invalidRequest, stage: .assembly,
                causes: causes.map { "path pattern \"\(text)\": \($0)" })
        }
        return Interpolation(path: String(decoding: path, as: UTF8.self), arguments: arguments)
    }

    /// Returns a path in which the values of a dictionary replace the parameters.
    ///
    /// Numbers are written in decimal.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest``, see
    ///   ``interpolated(encoding:_:)``.
    public func interpolated(
        with values: [String: any CustomStringConvertible],
        encoding: ValueEncoding = .percentEncoded
    ) throws(NetworkingError) -> Interpolation {
        try interpolated(encoding: encoding) { values[$0].map { String(describing: $0) } }
    }

    /// Returns a path in which the property values of an object replace the parameters.
    ///
    /// The name of a parameter is the name of a property, or a key path such as `author.name`.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest`` that lists
    ///   every parameter that is not a property; see also ``interpolated(encoding:_:)``.
    public func interpolated(
        from object: some NamedValues, encoding: ValueEncoding = .percentEncoded
    ) throws(NetworkingError) -> Interpolation {
        var values: [String: String] = [:]
        var causes: [String] = []
        for name in parameters {
            do {
                values[name] = try object.text(at: DocumentPath(parsing: name))
            } catch {
                causes.append("path pattern \"\(text)\": \(error)")
            }
        }
        guard causes.isEmpty else {
            throw NetworkingError(.invalidRequest, stage: .assembly, causes: causes)
        }
        return try interpolated(encoding: encoding) { values[$0] }
    }

    /// Returns a Boolean value that indicates whether a segment before the query is `.` or `..`,
    /// whether or not it is percent-encoded.
    static func hasDotSegment(_ path: [UInt8]) -> Bool {
        let end = path.firstIndex(of: UInt8(ascii: "?")) ?? path.count
        return path[..<end].split(separator: UInt8(ascii: "/")).contains { segment in
            let text = PercentEncoding.decoded(segment)
            return text == "." || text == ".."
        }
    }
}
