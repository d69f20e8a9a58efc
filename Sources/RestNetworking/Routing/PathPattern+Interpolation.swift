// SPDX-License-Identifier: Apache-2.0

public import RestDocument
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
        public let path: String

        fileprivate struct Value: Sendable, Hashable {
            var name: String
            var value: PathValue
        }

        fileprivate var values: [Value] = []

        /// The values as text, by parameter name and without encoding.
        public var arguments: PathArguments {
            var arguments = PathArguments()
            for value in values {
                arguments.append(value.value.text, for: value.name)
            }
            return arguments
        }

        /// The values as an object: numbers, Boolean values and text by parameter name, without
        /// encoding.
        ///
        /// A key path is one name with dots.
        public var parameters: Document {
            var builder = DocumentBuilder()
            builder.beginObject()
            var names: Set<String> = []
            for value in values where names.insert(value.name).inserted {
                builder.key(value.name)
                value.value.add(to: &builder)
            }
            builder.end()
            return builder.finish()
        }
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
        try interpolated(encoding) { index in value(parameters[index]).map { .text($0) } }
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
        try interpolated(from: .dictionary(values), encoding)
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
        try interpolated(from: .object(object), encoding)
    }

    /// Returns a path in which the values of a document replace the parameters.
    ///
    /// The name of a parameter is the key of a member, or a path of keys such as `author.name`.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/invalidRequest``, see
    ///   ``interpolated(encoding:_:)``. Null, arrays and objects are no values.
    public func interpolated(
        from document: Document, encoding: ValueEncoding = .percentEncoded
    ) throws(NetworkingError) -> Interpolation {
        try interpolated(from: .document(document.root), encoding)
    }

    /// Returns a path in which the values of a source replace the parameters.
    func interpolated(
        from source: PathValueSource, _ encoding: ValueEncoding, dates: DateFormat = .iso8601
    ) throws(NetworkingError) -> Interpolation {
        try interpolated(encoding) { (index) throws(MappingError) in
            try source.value(named: parameters[index], at: keyPaths[index], dates)
        }
    }

    private func interpolated(
        _ encoding: ValueEncoding, value: (_ parameter: Int) throws(MappingError) -> PathValue?
    ) throws(NetworkingError) -> Interpolation {
        var path: [UInt8] = []
        var values: [Interpolation.Value] = []
        var causes: [String] = []
        var isInQuery = false
        for piece in pieces {
            switch piece {
            case .literal(let range):
                path += literals[range]
                isInQuery = isInQuery || literals[range].contains(UInt8(ascii: "?"))
            case .parameter(let index):
                let name = parameters[index]
                let found: PathValue?
                do throws(MappingError) {
                    found = try value(index)
                } catch {
                    causes.append("\(error)")
                    continue
                }
                guard let found else {
                    causes.append("\":\(name)\" has no value")
                    continue
                }
                let text = found.text
                if !isInQuery, text.isEmpty || text == "." || text == ".." {
                    causes.append("the value of \":\(name)\" is empty, \".\" or \"..\"")
                }
                switch encoding {
                case .percentEncoded: PercentEncoding.appendEncoded(text.utf8, to: &path)
                case .verbatim: path += text.utf8
                }
                values.append(Interpolation.Value(name: name, value: found))
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
        return Interpolation(path: String(decoding: path, as: UTF8.self), values: values)
    }

    /// Returns a Boolean value that indicates whether a segment before the query is `.` or `..`,
    /// whether or not it is percent-encoded.
    static func hasDotSegment(_ path: [UInt8]) -> Bool {
        guard path.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else {
            return false
        }
        let end = path.firstIndex(of: UInt8(ascii: "?")) ?? path.count
        return path[..<end].split(separator: UInt8(ascii: "/")).contains { segment in
            let text = PercentEncoding.decoded(segment)
            return text == "." || text == ".."
        }
    }
}
