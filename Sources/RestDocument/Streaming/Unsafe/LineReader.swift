// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A reader of documents from the lines in a ``StreamBuffer``.
///
/// Invariant: no part of an incomplete line is consumed, so `searchedCount` is at most the buffer's
/// count. The copy of a line has space for the padding. The parser owns the copy and frees it if
/// parsing fails.
struct LineReader {
    private let limits: ParseLimits
    /// The number of bytes of the next line that are known to contain no line break.
    private var searchedCount = 0

    init(limits: ParseLimits) {
        self.limits = limits
    }

    /// Reads the line that begins at the next byte.
    ///
    /// - Parameter buffer: The input. The line is consumed, without its line break.
    /// - Returns: The document; `nil` if more bytes have to arrive first.
    /// - Throws: The error of parsing the line as a document, with its position in the stream.
    mutating func read(_ buffer: inout StreamBuffer) throws(DocumentError) -> Document? {
        let searchStart = unsafe buffer.next + searchedCount
        var length = buffer.count
        let lineBreak = unsafe memchr(searchStart, 0x0A, length - searchedCount)
        if let lineBreak = unsafe lineBreak {
            length = unsafe UnsafeRawPointer(lineBreak) - UnsafeRawPointer(buffer.next)
        }
        guard length <= limits.byteCount else {
            throw buffer.located(
                DocumentError(
                    .limitExceeded, offset: limits.byteCount,
                    expected: "at most \(limits.byteCount) bytes in one line"))
        }
        guard unsafe lineBreak != nil || buffer.isFinished else {
            searchedCount = length
            return nil
        }
        searchedCount = 0
        let bytes = unsafe allocateBytes(length + DocumentStorage.padding)
        unsafe memcpy(bytes, buffer.next, length)
        do throws(DocumentError) {
            let storage = try unsafe DocumentStorage.adopted(
                bytes, count: length, limits: limits, skipsByteOrderMark: false)
            buffer.consume(length)
            return Document(storage: storage)
        } catch {
            throw buffer.located(error)
        }
    }
}
