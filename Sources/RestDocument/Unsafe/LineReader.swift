// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads one line after the other out of a ``StreamBuffer``, each as a whole document.
///
/// Invariant: nothing of a line that is not complete is consumed, so `searchedCount` is at most the
/// buffer's count. The copy of a line has room for the padding and belongs to the parser from then
/// on, which frees it when no storage comes of it.
struct LineReader {
    private let limits: ParseLimits
    /// Bytes of the next line that are known to hold no line break.
    private var searchedCount = 0

    init(limits: ParseLimits) {
        self.limits = limits
    }

    /// Reads the line that begins at the next byte.
    ///
    /// - Parameter buffer: Where it lies; it is consumed, without its line break.
    /// - Returns: `nil` when more bytes have to arrive first.
    /// - Throws: What `Document(parsing:)` throws for the line, with its place in the stream.
    mutating func read(_ buffer: inout StreamBuffer) throws(DocumentError) -> Document? {
        let place = unsafe buffer.next + searchedCount
        var length = buffer.count
        let lineBreak = unsafe memchr(place, 0x0A, length - searchedCount)
        if let lineBreak = unsafe lineBreak {
            length = unsafe UnsafeRawPointer(lineBreak) - UnsafeRawPointer(buffer.next)
        }
        guard length <= limits.byteCount else {
            throw buffer.placed(
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
            let storage = try unsafe DocumentStorage.adopted(bytes, count: length, limits: limits)
            buffer.consume(length)
            return Document(storage: storage)
        } catch {
            throw buffer.placed(error)
        }
    }
}
