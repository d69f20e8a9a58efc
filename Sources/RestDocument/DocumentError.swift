// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a document, a document cannot be bytes, a text is no path, or a document not a
/// value of a type, and where.
///
/// Nothing of the input but its keys appears in a description.
public struct DocumentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of mistake it is.
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

        /// The input ends where more must follow; also when there is no input at all.
        public static let unexpectedEnd = Code(storage: .unexpectedEnd)
        /// A byte that cannot stand there.
        public static let unexpectedByte = Code(storage: .unexpectedByte)
        /// A number that JSON does not allow, such as `01` or `1.`.
        public static let invalidNumber = Code(storage: .invalidNumber)
        /// A control character that must be escaped inside a string.
        public static let invalidString = Code(storage: .invalidString)
        /// A backslash that begins none of the escapes of JSON.
        public static let invalidEscape = Code(storage: .invalidEscape)
        /// Half of a surrogate pair, written as `\uD800` to `\uDFFF`.
        public static let loneSurrogate = Code(storage: .loneSurrogate)
        /// Bytes that are not UTF-8.
        public static let invalidUTF8 = Code(storage: .invalidUTF8)
        /// A byte order mark, or text in UTF-16 or UTF-32.
        public static let unsupportedEncoding = Code(storage: .unsupportedEncoding)
        /// More than one value.
        public static let trailingContent = Code(storage: .trailingContent)
        /// A limit of ``ParseLimits`` was passed.
        public static let limitExceeded = Code(storage: .limitExceeded)
        /// An object repeats a key and the limits refuse that, or a stream's elements could be at
        /// either of two places.
        public static let duplicateKey = Code(storage: .duplicateKey)
        /// No array is where the elements of a stream should be.
        public static let missingArray = Code(storage: .missingArray)
        /// A text that is not a ``DocumentPath``.
        public static let invalidPath = Code(storage: .invalidPath)
        /// A value that a format has no way to write.
        public static let unwritableValue = Code(storage: .unwritableValue)
        /// A media type that no format is registered for.
        public static let unregisteredFormat = Code(storage: .unregisteredFormat)
        /// A file that is not there or cannot be read.
        public static let unreadableFile = Code(storage: .unreadableFile)
        /// A value is not what its `Decodable` type asks for.
        public static let notDecodable = Code(storage: .notDecodable)
        /// A value of an `Encodable` type has no form in a document.
        public static let notEncodable = Code(storage: .notEncodable)

        /// The code's name.
        public var description: String { storage.rawValue }
    }

    /// What kind of mistake it is.
    public var code: Code
    /// Where, in bytes from the start of the input or the text of a path; what is being written
    /// counts as input.
    public var offset: Int
    /// Where, as a line counted from 1; lines end with `\n`.
    public var line: Int
    /// Where, as a byte of the line counted from 1.
    public var column: Int
    /// The value being read; cut to its outermost 512 components.
    public var path: DocumentPath
    /// What could have stood there, or which limit was passed.
    public var expected: String
    /// What a type's own code threw while it was decoded or encoded, such as a `DecodingError`; it
    /// may hold values of the document and is in no description.
    public var underlying: (any Error)?

    /// Makes an error from its parts, as formats of one's own need it.
    ///
    /// - Parameters:
    ///   - code: What kind of mistake it is.
    ///   - offset: Where, in bytes from the start of the input.
    ///   - line: The line, counted from 1.
    ///   - column: The byte of the line, counted from 1; follows from the offset where there is
    ///     one line.
    ///   - path: The value being read or written.
    ///   - expected: What could have stood there, or which limit was passed; nothing of the input.
    ///   - underlying: What other code threw; may hold anything.
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

    /// The code, the place and what was expected, in one line.
    public var description: String {
        // No place in the input is at fault.
        if code == .unregisteredFormat || code == .unreadableFile { return "\(code): \(expected)" }
        let place = path.components.isEmpty ? "" : " at \(path.abbreviated)"
        return "\(code)\(place), line \(line), column \(column) (byte \(offset)): \(expected)"
    }
}

extension DocumentError {
    /// Whether two errors say the same about the same place, whatever is underlying.
    public static func == (left: DocumentError, right: DocumentError) -> Bool {
        left.code == right.code && left.offset == right.offset && left.line == right.line
            && left.column == right.column && left.path == right.path
            && left.expected == right.expected
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(offset)
        hasher.combine(path)
    }
}
