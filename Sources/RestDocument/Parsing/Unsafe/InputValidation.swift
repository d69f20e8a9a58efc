// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    /// Throws an error if the input is too large or not UTF-8.
    ///
    /// Invariant: the padding follows the text, so the first three bytes exist, and so do the bytes
    /// that a wide load reads past the end.
    static func validate(
        _ input: UnsafeMutablePointer<UInt8>, count: Int, limits: ParseLimits
    ) throws(DocumentError) {
        guard count <= limits.byteCount else {
            throw DocumentError(
                .limitExceeded, offset: limits.byteCount,
                expected: "at most \(limits.byteCount) bytes, found \(count)")
        }
        if let error = unsafe encodingError(input, count: count) { throw error }
        if let offset = unsafe firstInvalidUTF8(input, count: count) {
            let (line, column) = unsafe lineAndColumn(of: offset, in: UnsafePointer(input))
            throw DocumentError(
                .invalidUTF8, offset: offset, line: line, column: column,
                expected: "well-formed UTF-8")
        }
    }

    /// Returns the length of the byte order mark before UTF-8 text.
    ///
    /// A parser may ignore the mark, and servers send it (RFC 8259, section 8.1).
    ///
    /// - Parameter input: The text, followed by at least three zeros.
    /// - Returns: The number of bytes of the mark: 3, or 0 without one.
    static func byteOrderMarkLength(_ input: UnsafePointer<UInt8>) -> Int {
        unsafe input[0] == 0xEF && input[1] == 0xBB && input[2] == 0xBF ? 3 : 0
    }

    /// Returns the error for input that begins with the byte order mark of another encoding or, as
    /// UTF-16 does, with a zero byte.
    ///
    /// - Parameters:
    ///   - input: The text, followed by at least two zeros.
    ///   - count: The number of bytes of the text.
    /// - Returns: The error; `nil` if the first bytes do not contradict UTF-8.
    static func encodingError(_ input: UnsafePointer<UInt8>, count: Int) -> DocumentError? {
        let (first, second) = unsafe (input[0], input[1])
        let isByteOrderMark = (first == 0xFE && second == 0xFF) || (first == 0xFF && second == 0xFE)
        if isByteOrderMark || (count >= 2 && (first == 0 || second == 0)) {
            return DocumentError(
                .unsupportedEncoding, offset: 0, expected: "UTF-8, found UTF-16 or UTF-32")
        }
        return nil
    }
}
