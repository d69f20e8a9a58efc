// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An open directory, whose files are named by relative paths.
///
/// Symbolic links at the end of a path are not followed.
///
/// The calls are those of POSIX, because swift-system 1.8 covers only five of them (`fstat`,
/// `fstatat`, `read`, `write`, `close`). It has no `openat`, `mkdirat`, `fchmodat`, `renameat`,
/// `unlinkat`, `utimensat`, `flock` or `fdopendir`, and absolute paths instead of them would follow
/// a directory that was replaced.
///
/// Invariant: `descriptor` is open until `deinit`. The system uses pointers to paths and
/// buffers only during a call.
final class DirectoryDescriptor: Sendable {
    private let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Opens a directory by its path in the file system.
    static func open(_ path: String) throws(SystemCallError) -> DirectoryDescriptor {
        DirectoryDescriptor(try openFile(path, in: AT_FDCWD, O_RDONLY | O_DIRECTORY, O_CLOEXEC))
    }

    /// Opens a directory in this one.
    func open(_ name: String) throws(SystemCallError) -> DirectoryDescriptor {
        DirectoryDescriptor(
            try openFile(name, in: descriptor, O_RDONLY | O_DIRECTORY, O_CLOEXEC | O_NOFOLLOW))
    }

    /// Creates a directory with permissions 0700 regardless of the umask, unless it exists.
    static func make(_ path: String) throws(SystemCallError) {
        try makeDirectory(path, in: AT_FDCWD)
    }

    /// Creates a directory in this one with permissions 0700 regardless of the umask, unless it
    /// exists.
    func make(_ name: String) throws(SystemCallError) {
        try makeDirectory(name, in: descriptor)
    }

    /// Returns the status of the directory.
    func status() throws(SystemCallError) -> FileStatus {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last(.status) }
        return FileStatus(status)
    }

    /// Returns the status of a file, or `nil` if it does not exist.
    func status(of name: String) throws(SystemCallError) -> FileStatus? {
        var status = stat()
        if unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
            return FileStatus(status)
        }
        if errno == ENOENT { return nil }
        throw .last(.status)
    }

    /// Sets the permissions of the directory to 0700.
    func restrictPermissions() throws(SystemCallError) {
        guard fchmod(descriptor, 0o700) == 0 else { throw .last(.makeDirectory) }
    }

    /// Returns the bytes of a file, or `nil` if it does not exist.
    ///
    /// A file over the limit, a symbolic link, and anything but a regular file have no bytes.
    func read(_ name: String, upTo limit: Int) throws(SystemCallError) -> [UInt8]? {
        let file: CInt
        do {
            file = try openFile(name, in: descriptor, O_RDONLY | O_NONBLOCK, O_CLOEXEC | O_NOFOLLOW)
        } catch  where error.number == ENOENT {
            return nil
        } catch  where error.number == ELOOP {
            return []
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw .last(.status) }
        let fileStatus = FileStatus(status)
        guard fileStatus.isFile, fileStatus.byteCount <= limit else { return [] }
        var failure: SystemCallError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: fileStatus.byteCount) {
            buffer, count in
            while count < buffer.count {
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let result = unsafe systemRead(file, rest.baseAddress, rest.count)
                if result < 0, errno == EINTR { continue }
                if result < 0 { failure = .last(.read) }
                if result <= 0 { return }
                count += result
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes a new file with permissions 0600 regardless of the umask.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - name: The name of the file.
    ///   - fault: An error number for tests, with which the call fails after half of the bytes.
    /// - Throws: The error of the failed call; the file is then incomplete.
    func write(
        _ bytes: [UInt8], to name: String, fault: CInt? = nil
    ) throws(SystemCallError) {
        let file = try openFile(
            name, in: descriptor, O_WRONLY | O_CREAT | O_EXCL, O_CLOEXEC | O_NOFOLLOW)
        defer { close(file) }
        guard fchmod(file, 0o600) == 0 else { throw .last(.open) }
        let count = fault == nil ? bytes.count : bytes.count / 2
        var written = 0
        while written < count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written..<count])
                return unsafe systemWrite(file, rest.baseAddress, rest.count)
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw .last(.write) }
            written += result
        }
        if let fault { throw SystemCallError(call: .write, number: fault) }
    }

    /// Renames a file, replacing a file with the new name.
    func rename(_ name: String, to other: String) throws(SystemCallError) {
        guard unsafe renameat(descriptor, name, descriptor, other) == 0 else {
            throw .last(.rename)
        }
    }

    /// Removes a file or an empty directory if it exists.
    func remove(_ name: String, isDirectory: Bool = false) throws(SystemCallError) {
        if unsafe unlinkat(descriptor, name, isDirectory ? AT_REMOVEDIR : 0) == 0 { return }
        if errno != ENOENT { throw .last(.remove) }
    }

    /// Sets the access and modification time of a file if it exists.
    func mark(_ name: String, usedAt nanoseconds: Int64) {
        let time = timespec(
            tv_sec: time_t(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        _ = unsafe utimensat(descriptor, name, [time, time], AT_SYMLINK_NOFOLLOW)
    }

    /// Locks the directory exclusively among all processes, without waiting.
    ///
    /// - Returns: A Boolean value that indicates whether the directory is now locked.
    func tryLock() throws(SystemCallError) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        if errno == EWOULDBLOCK || errno == EINTR { return false }
        throw .last(.lock)
    }

    /// Unlocks the directory.
    func unlock() {
        _ = flock(descriptor, LOCK_UN)
    }

    /// Returns a reader of the names in the directory.
    func names() throws(SystemCallError) -> DirectoryEntryReader {
        let copy = try openFile(".", in: descriptor, O_RDONLY | O_DIRECTORY, O_CLOEXEC)
        guard let stream = unsafe fdopendir(copy) else {
            let error = SystemCallError.last(.readDirectory)
            close(copy)
            throw error
        }
        return unsafe DirectoryEntryReader(stream)
    }

    private func makeDirectory(_ path: String, in directory: CInt) throws(SystemCallError) {
        try Self.makeDirectory(path, in: directory)
    }

    private static func makeDirectory(_ path: String, in directory: CInt) throws(SystemCallError) {
        if unsafe mkdirat(directory, path, 0o700) == 0 {
            guard unsafe fchmodat(directory, path, 0o700, 0) == 0 else {
                throw .last(.makeDirectory)
            }
        } else if errno != EEXIST {
            throw .last(.makeDirectory)
        }
    }
}

private func openFile(
    _ path: String, in directory: CInt, _ access: CInt, _ flags: CInt
) throws(SystemCallError) -> CInt {
    while true {
        let file = unsafe openat(directory, path, access | flags, 0o600)
        if file >= 0 { return file }
        if errno != EINTR { throw .last(.open) }
    }
}

// The members `read` and `write` of DirectoryDescriptor shadow the calls.
private func systemRead(_ file: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(file, bytes, count)
}

private func systemWrite(_ file: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(file, bytes, count)
}
