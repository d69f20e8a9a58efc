// SPDX-License-Identifier: Apache-2.0

/// An error of reading, writing, decoding or encoding a document, or of parsing a path.
///
/// The description contains keys of the input, but no values.
public struct DocumentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case unexpectedEnd
            case unexpectedByte
            case invalidNumber
            case invalidString
            case invalidEscape
            case loneSurrogate
            case invalidUTF8
            case unsupportedEncoding
            case trailingContent
            case limitExceeded
            case duplicateKey
            case missingArray
            case invalidPath
            case unwritableValue
            case unregisteredFormat
            case unreadableFile
            case notDecodable
            case notEncodable
        }

        private let storage: Storage

        /// The input ends too early, or is empty.
        public static let unexpectedEnd = Code(storage: .unexpectedEnd)
        /// A byte is not allowed at its position.
        public static let unexpectedByte = Code(storage: .unexpectedByte)
        /// A number is not valid JSON, such as `01` or `1.`.
        public static let invalidNumber = Code(storage: .invalidNumber)
        /// A string contains an unescaped control character.
        public static let invalidString = Code(storage: .invalidString)
        /// A backslash does not begin a JSON escape.
        public static let invalidEscape = Code(storage: .invalidEscape)
        /// A surrogate, written as `\uD800` to `\uDFFF`, is not part of a pair.
        public static let loneSurrogate = Code(storage: .loneSurrogate)
        /// The bytes are not well-formed UTF-8.
        public static let invalidUTF8 = Code(storage: .invalidUTF8)
        /// The input is in UTF-16 or UTF-32.
        public static let unsupportedEncoding = Code(storage: .unsupportedEncoding)
        /// The input continues after the value.
        public static let trailingContent = Code(storage: .trailingContent)
        /// The input exceeds one of the ``ParseLimits``.
        public static let limitExceeded = Code(storage: .limitExceeded)
        /// An object repeats a key although the limits forbid it, or a repeated key makes the path
        /// to a stream's elements ambiguous.
        public static let duplicateKey = Code(storage: .duplicateKey)
        /// The value at the path of a stream's elements is not an array.
        public static let missingArray = Code(storage: .missingArray)
        /// A text is not a valid ``DocumentPath``.
        public static let invalidPath = Code(storage: .invalidPath)
        /// A format cannot express a value.
        public static let unwritableValue = Code(storage: .unwritableValue)
        /// A media type has no registered format.
        public static let unregisteredFormat = Code(storage: .unregisteredFormat)
        /// A file does not exist or cannot be read.
        public static let unreadableFile = Code(storage: .unreadableFile)
        /// A value does not match its `Decodable` type.
        public static let notDecodable = Code(storage: .notDecodable)
        /// A value of an `Encodable` type has no representation in a document.
        public static let notEncodable = Code(storage: .notEncodable)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// The kind of the error.
    public var code: Code
    /// The offset in bytes from the start of the input, of the path's text, or of the text being
    /// written.
    public var offset: Int
    /// The line, counted from 1.
    ///
    /// Lines end with `\n`.
    public var line: Int
    /// The column in bytes, counted from 1.
    public var column: Int
    /// The path of the value being read or written, limited to its outermost 512 components.
    public var path: DocumentPath
    /// The expected input, or the exceeded limit.
    public var expected: String
    /// The error that a type's own code threw during decoding or encoding, such as a
    /// `DecodingError`.
    ///
    /// It may contain values of the document and is not part of the description.
    public var underlying: (any Error)?

    /// Creates an error.
    ///
    /// Custom formats use this initializer.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - offset: The offset in bytes from the start of the input.
    ///   - line: The line, counted from 1.
    ///   - column: The column in bytes, counted from 1. `nil` derives it from the offset, for input
    ///     of one line.
    ///   - path: The path of the value being read or written.
    ///   - expected: The expected input, or the exceeded limit; no part of the input.
    ///   - underlying: The error that other code threw; may contain anything.
    public init(
        _ code: Code, offset: Int, line: Int = 1, column: Int? = nil, path: DocumentPath = .root,
        expected: String, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.offset = offset
        self.line = line
        self.column = column ?? offset + 1
        self.path = path
        self.expected = expected
        self.underlying = underlying
    }

    /// The code, the position and the expected input, in one line.
    public var description: String {
        let reason = expected.isEmpty ? "" : ": \(expected)"
        guard hasPosition else { return "\(code)\(reason)" }
        let location = path.components.isEmpty ? "" : " at \(path.abbreviated)"
        return "\(code)\(location), line \(line), column \(column) (byte \(offset))\(reason)"
    }

    /// A Boolean value that indicates whether the error has a position in the input.
    var hasPosition: Bool { code != .unregisteredFormat && code != .unreadableFile }
}

extension DocumentError {
    /// Returns a Boolean value that indicates whether two errors are equal in all but their
    /// underlying errors.
    public static func == (left: DocumentError, right: DocumentError) -> Bool {
        left.code == right.code && left.offset == right.offset && left.line == right.line
            && left.column == right.column && left.path == right.path
            && left.expected == right.expected
    }

    /// Hashes the code, offset and path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(offset)
        hasher.combine(path)
    }
}
