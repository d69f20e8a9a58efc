// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file that one writer at a time fills, also among processes.
///
/// Invariant: `descriptor` is open until `deinit`. The system uses pointers to paths and buffers
/// only during a call, within the given count.
final class FileWriter: Sendable {
    private let descriptor: CInt

    /// Opens a file for writing, and creates it with permissions 0600 if it does not exist.
    ///
    /// - Throws: ``SystemCallError``; it is ``SystemCallError/busy`` if the file has another
    ///   writer. A symbolic link, and anything but a regular file, cannot be opened.
    init(opening path: String) throws(SystemCallError) {
        // A path ends at its first zero byte for the system.
        guard !path.utf8.contains(0) else { throw SystemCallError(call: .open, number: EINVAL) }
        // Without O_NONBLOCK, a pipe would block the thread until it has a reader.
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else { throw .last(.open) }
        self.descriptor = descriptor
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .busy : .last(.lock)
        }
        // The previous writer may have renamed or removed the file before it released the lock.
        var opened = stat()
        var named = stat()
        guard unsafe fstat(descriptor, &opened) == 0, opened.st_mode & S_IFMT == S_IFREG else {
            throw SystemCallError(call: .open, number: EINVAL)
        }
        guard unsafe lstat(path, &named) == 0, named.st_ino == opened.st_ino,
            named.st_dev == opened.st_dev
        else { throw .busy }
    }

    deinit {
        close(descriptor)
    }

    /// Checks that a path is that of a regular file, or of none, so that it may be replaced.
    ///
    /// - Throws: ``SystemCallError``; it is ``SystemCallError/directory`` or
    ///   ``SystemCallError/specialFile`` for something else.
    static func checkReplaceable(_ path: String) throws(SystemCallError) {
        guard !path.utf8.contains(0) else { throw SystemCallError(call: .status, number: EINVAL) }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .last(.status)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .directory
        default: throw .specialFile
        }
    }

    /// The size of the file in bytes.
    func byteCount() throws(SystemCallError) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last(.status) }
        return Int(status.st_size)
    }

    /// Removes all bytes from an offset on.
    func truncate(to byteCount: Int) throws(SystemCallError) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw .last(.write) }
    }

    /// Writes bytes at an offset.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemCallError) {
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                return unsafe pwrite(
                    descriptor, rest.baseAddress, rest.count, off_t(offset + written))
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw .last(.write) }
            written += result
        }
    }

    /// Waits until all written bytes are on the storage device.
    func synchronize() throws(SystemCallError) {
        while fsync(descriptor) != 0 {
            guard errno == EINTR else { throw .last(.write) }
        }
    }

    /// Renames a file, replacing a file with the new name.
    static func rename(_ path: String, to other: String) throws(SystemCallError) {
        guard !other.utf8.contains(0) else { throw SystemCallError(call: .rename, number: EINVAL) }
        guard systemRename(path, other) == 0 else { throw .last(.rename) }
    }

    /// Removes a file if it exists.
    static func remove(_ path: String) throws(SystemCallError) {
        if unsafe unlink(path) != 0, errno != ENOENT { throw .last(.remove) }
    }
}

// The member `rename` of FileWriter shadows the call.
private func systemRename(_ path: String, _ other: String) -> CInt {
    unsafe rename(path, other)
}
