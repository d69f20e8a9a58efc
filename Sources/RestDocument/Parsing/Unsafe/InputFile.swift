// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Document {
    /// Creates a document by parsing JSON text (RFC 8259) in UTF-8 from a file.
    ///
    /// The file is read directly into the memory of the document, so that only one copy of the text
    /// exists. A pipe or device is read to its end.
    ///
    /// - Parameters:
    ///   - path: The path of the file, absolute or relative to the working directory.
    ///   - limits: The limits for the document. Of a file beyond the byte limit, little more than
    ///     the limit is read.
    /// - Throws: ``DocumentError`` with the position if the text is not valid JSON or exceeds a
    ///   limit; with code ``DocumentError/Code/unreadableFile`` if the file cannot be read.
    public init(
        contentsOfFile path: String, limits: ParseLimits = .default
    ) throws(DocumentError) {
        let file = try InputFile(path)
        self = try file.document(limits: limits)
    }
}

/// A file that is read once, from beginning to end.
private struct InputFile: ~Copyable {
    private let descriptor: CInt

    init(_ path: String) throws(DocumentError) {
        var descriptor: CInt
        repeat {
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw Self.unreadable(errno, at: 0) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Reads and parses the file.
    ///
    /// Invariant: `bytes` was allocated by `malloc` and has space for `capacity` bytes plus the
    /// padding, of which the first `count` are initialized. It is freed before an error is thrown;
    /// otherwise the document takes ownership.
    func document(limits: ParseLimits) throws(DocumentError) -> Document {
        let maximum = min(limits.byteCount, .max >> 2)
        var capacity = min(max(knownByteCount, 4096), maximum) + 1
        var bytes = unsafe allocateBytes(capacity + DocumentStorage.padding)
        var count = 0
        while true {
            let added = unsafe read(descriptor, bytes + count, capacity - count)
            if added == 0 { break }
            if added < 0 {
                if errno == EINTR { continue }
                let error = Self.unreadable(errno, at: count)
                unsafe free(bytes)
                throw error
            }
            count += added
            // The limit check reports one surplus byte, so more need not be read.
            if count > maximum { break }
            guard count == capacity else { continue }
            capacity = min(capacity * 2, maximum + 1)
            unsafe bytes = reallocateBytes(bytes, capacity + DocumentStorage.padding)
        }
        return try unsafe Document(adopting: bytes, byteCount: count, limits: limits)
    }

    /// The size of a regular file in bytes; 0 if unknown.
    private var knownByteCount: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    private static func unreadable(_ code: CInt, at offset: Int) -> DocumentError {
        let reason =
            switch code {
            case ENOENT, ENOTDIR: "it does not exist"
            case EACCES, EPERM: "permission is denied"
            case EISDIR: "it is a directory"
            default: "system error \(code) occurred"
            }
        return DocumentError(
            .unreadableFile, offset: offset, expected: "expected a readable file, but \(reason)"
        )
    }
}
