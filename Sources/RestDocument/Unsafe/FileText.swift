// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Document {
    /// Reads JSON text (RFC 8259) in UTF-8 from a file, strictly.
    ///
    /// The text is read to where the document keeps it, so there is one copy of it in memory. A
    /// pipe or device is read to its end.
    ///
    /// - Parameters:
    ///   - path: The file's path, absolute or relative to the working directory.
    ///   - limits: What the document may grow to; little more of a file that is larger is read.
    /// - Throws: ``DocumentError`` with the place, or with code
    ///   ``DocumentError/Code/unreadableFile``.
    public init(
        contentsOfFile path: String, limits: ParseLimits = .default
    ) throws(DocumentError) {
        let file = try FileText(path)
        self = try file.document(limits: limits)
    }
}

/// A file that is read once, from its beginning to its end.
private struct FileText: ~Copyable {
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

    /// Reads the file.
    ///
    /// Invariant: `bytes` is made by `malloc` and has room for `capacity` bytes and the padding, the
    /// first `count` of which are filled; it is freed where an error is thrown, or else handed over.
    func document(limits: ParseLimits) throws(DocumentError) -> Document {
        let most = min(limits.byteCount, .max >> 2)
        var capacity = min(max(knownByteCount, 4096), most) + 1
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
            // One byte too many is known as that by the check of the limit.
            if count > most { break }
            guard count == capacity else { continue }
            capacity = min(capacity * 2, most + 1)
            unsafe bytes = reallocateBytes(bytes, capacity + DocumentStorage.padding)
        }
        return try unsafe Document(adopting: bytes, byteCount: count, limits: limits)
    }

    /// The byte count of a file on a disk; 0 where it is not known.
    private var knownByteCount: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    private static func unreadable(_ code: CInt, at offset: Int) -> DocumentError {
        let reason =
            switch code {
            case ENOENT, ENOTDIR: "there is none"
            case EACCES, EPERM: "there is no permission"
            case EISDIR: "it is a directory"
            default: "system error \(code)"
            }
        return DocumentError(
            .unreadableFile, offset: offset, expected: "expected a file that can be read, \(reason)"
        )
    }
}
