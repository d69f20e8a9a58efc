// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A reader of an open file, from its start to its end.
///
/// Invariant: `descriptor` is open until `deinit`; the system uses pointers to paths and buffers
/// only during a call, within the given count.
final class FileReader: ChunkReader {
    /// The size of the file in bytes when it was opened.
    let byteCount: Int

    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Throws: ``TransportError`` with code `bodyUnavailable` if the file cannot be opened or is
    ///   not a regular file. The error does not contain the path, because paths may contain names
    ///   of users.
    init(opening path: String) throws(TransportError) {
        // A path ends at its first zero byte for the system.
        guard !path.utf8.contains(0) else { throw Self.notAFile() }
        // Without O_NONBLOCK, a pipe would block the thread until it has a writer.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.unavailable("opened", errno) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Self.notAFile()
        }
        self.descriptor = descriptor
        byteCount = Int(status.st_size)
    }

    deinit {
        close(descriptor)
    }

    func next() throws(TransportError) -> [UInt8]? {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) {
            buffer, count in
            var result: Int
            repeat {
                result = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            } while result < 0 && errno == EINTR
            if result < 0 { failure = errno }
            count = max(0, result)
        }
        if failure != 0 { throw Self.unavailable("read", failure) }
        return bytes.isEmpty ? nil : bytes
    }

    private static func notAFile() -> TransportError {
        TransportError(
            .bodyUnavailable, stage: .preparing, reason: "the path is not that of a file")
    }

    private static func unavailable(_ action: String, _ number: Int32) -> TransportError {
        TransportError(
            .bodyUnavailable, stage: .preparing,
            reason: "the file cannot be \(action) (error \(number))")
    }

    private static let chunkByteCount = 64 << 10
}
