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

    /// Returns the error for input that begins with a byte order mark or, as UTF-16 does, with a
    /// zero byte.
    ///
    /// - Parameters:
    ///   - input: The text, followed by at least three zeros.
    ///   - count: The number of bytes of the text.
    /// - Returns: The error; `nil` if the first bytes do not contradict UTF-8.
    static func encodingError(_ input: UnsafePointer<UInt8>, count: Int) -> DocumentError? {
        let (first, second, third) = unsafe (input[0], input[1], input[2])
        if first == 0xEF && second == 0xBB && third == 0xBF {
            return DocumentError(
                .unsupportedEncoding, offset: 0, expected: "UTF-8 without a byte order mark")
        }
        let isByteOrderMark = (first == 0xFE && second == 0xFF) || (first == 0xFF && second == 0xFE)
        if isByteOrderMark || (count >= 2 && (first == 0 || second == 0)) {
            return DocumentError(
                .unsupportedEncoding, offset: 0, expected: "UTF-8, found UTF-16 or UTF-32")
        }
        return nil
    }
}
