// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    /// Refuses what is too large or not UTF-8.
    ///
    /// Invariant: the padding follows the text, so its first three bytes, and those that a wide
    /// load takes behind its end, are there.
    static func checkInput(
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

    /// What the first bytes of a text say against UTF-8: a mark, or a zero byte as in UTF-16.
    ///
    /// - Parameters:
    ///   - input: The text, followed by three zeros or more.
    ///   - count: Its byte count.
    /// - Returns: `nil` when there is nothing against it so far.
    static func encodingError(_ input: UnsafePointer<UInt8>, count: Int) -> DocumentError? {
        let (first, second, third) = unsafe (input[0], input[1], input[2])
        if first == 0xEF && second == 0xBB && third == 0xBF {
            return DocumentError(
                .unsupportedEncoding, offset: 0, expected: "UTF-8 without a byte order mark")
        }
        let isMark = (first == 0xFE && second == 0xFF) || (first == 0xFF && second == 0xFE)
        if isMark || (count >= 2 && (first == 0 || second == 0)) {
            return DocumentError(
                .unsupportedEncoding, offset: 0, expected: "UTF-8, found UTF-16 or UTF-32")
        }
        return nil
    }
}
