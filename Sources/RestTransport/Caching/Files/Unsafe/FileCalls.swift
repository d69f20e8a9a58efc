// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A call of the system that failed.
struct FileFault: Error, Hashable, CustomStringConvertible {
    /// The calls that can fail.
    enum Call: String, Hashable, CaseIterable {
        case open
        case makeDirectory
        case readDirectory
        case status
        case read
        case write
        case rename
        case remove
        case lock
    }

    let call: Call
    let number: CInt

    /// Whether no room is left on the disk, or none for this user.
    var isFullDisk: Bool { number == ENOSPC || number == EDQUOT }

    /// Whether the file or a directory of its path is not there.
    var isMissing: Bool { number == ENOENT }

    /// What it means that another holder has the lock for too long.
    static let busy = FileFault(call: .lock, number: EWOULDBLOCK)

    /// The call and the number of the error, such as `write: errno 28`.
    var description: String { "\(call.rawValue): errno \(number)" }

    /// What the last call left.
    fileprivate static func last(_ call: Call) -> FileFault { FileFault(call: call, number: errno) }
}

/// What is known of a file without reading it.
struct FileStatus {
    let byteCount: Int
    /// Nanoseconds since 1970.
    let modified: Int64
    let permissions: UInt32
    let owner: UInt32
    let isDirectory: Bool
    let isFile: Bool

    fileprivate init(_ status: stat) {
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        byteCount = Int(status.st_size)
        modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        permissions = UInt32(status.st_mode) & 0o7777
        owner = UInt32(status.st_uid)
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isFile = status.st_mode & S_IFMT == S_IFREG
    }
}

/// A directory that is held open; names in it are relative paths, and links at their ends are not
/// followed.
///
/// Invariant: `descriptor` is open until `deinit`. Pointers to paths and buffers are handed to the
/// system only for the time of a call.
final class OpenDirectory: Sendable {
    private let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Opens a directory by its path in the file system.
    static func open(_ path: String) throws(FileFault) -> OpenDirectory {
        OpenDirectory(try openFile(path, in: AT_FDCWD, O_RDONLY | O_DIRECTORY, O_CLOEXEC))
    }

    /// Opens a directory inside.
    func open(_ name: String) throws(FileFault) -> OpenDirectory {
        OpenDirectory(
            try openFile(name, in: descriptor, O_RDONLY | O_DIRECTORY, O_CLOEXEC | O_NOFOLLOW))
    }

    /// Makes a directory with permissions 0700, whatever the umask, unless one is there.
    static func make(_ path: String) throws(FileFault) {
        try makeDirectory(path, in: AT_FDCWD)
    }

    /// Makes a directory inside with permissions 0700, whatever the umask, unless one is there.
    func make(_ name: String) throws(FileFault) {
        try makeDirectory(name, in: descriptor)
    }

    /// What is known of the directory itself.
    func status() throws(FileFault) -> FileStatus {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last(.status) }
        return FileStatus(status)
    }

    /// What is known of a file inside, `nil` when there is none.
    func status(of name: String) throws(FileFault) -> FileStatus? {
        var status = stat()
        if unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
            return FileStatus(status)
        }
        if errno == ENOENT { return nil }
        throw .last(.status)
    }

    /// Gives the directory itself permissions 0700.
    func restrict() throws(FileFault) {
        guard fchmod(descriptor, 0o700) == 0 else { throw .last(.makeDirectory) }
    }

    /// The bytes of a file, `nil` when there is none; what is longer than a limit, a link or no
    /// file is read as empty.
    func read(_ name: String, upTo limit: Int) throws(FileFault) -> [UInt8]? {
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
        let known = FileStatus(status)
        guard known.isFile, known.byteCount <= limit else { return [] }
        var fault: FileFault?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: known.byteCount) { buffer, count in
            while count < buffer.count {
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let result = unsafe systemRead(file, rest.baseAddress, rest.count)
                if result < 0, errno == EINTR { continue }
                if result < 0 { fault = .last(.read) }
                if result <= 0 { return }
                count += result
            }
        }
        if let fault { throw fault }
        return bytes
    }

    /// Writes a new file with permissions 0600, whatever the umask; with a fault it fails half way,
    /// as tests need it.
    func write(
        _ bytes: [UInt8], to name: String, fault: CInt? = nil
    ) throws(FileFault) {
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
        if let fault { throw FileFault(call: .write, number: fault) }
    }

    /// Gives a file another name, in place of what has it.
    func rename(_ name: String, to other: String) throws(FileFault) {
        guard unsafe renameat(descriptor, name, descriptor, other) == 0 else {
            throw .last(.rename)
        }
    }

    /// Removes a file or an empty directory; one that is not there is no fault.
    func remove(_ name: String, isDirectory: Bool = false) throws(FileFault) {
        if unsafe unlinkat(descriptor, name, isDirectory ? AT_REMOVEDIR : 0) == 0 { return }
        if errno != ENOENT { throw .last(.remove) }
    }

    /// Sets when a file was last used; one that is not there is no fault.
    func mark(_ name: String, usedAt nanoseconds: Int64) {
        let time = timespec(
            tv_sec: time_t(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        _ = unsafe utimensat(descriptor, name, [time, time], AT_SYMLINK_NOFOLLOW)
    }

    /// Takes the directory for this holder alone, among all processes; does not wait.
    ///
    /// - Returns: Whether nobody else has it.
    func tryLock() throws(FileFault) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        if errno == EWOULDBLOCK || errno == EINTR { return false }
        throw .last(.lock)
    }

    /// Gives the directory free again.
    func unlock() {
        _ = flock(descriptor, LOCK_UN)
    }

    /// Reads the names of what is inside, a number of them at a time.
    func names() throws(FileFault) -> NameReader {
        let copy = try openFile(".", in: descriptor, O_RDONLY | O_DIRECTORY, O_CLOEXEC)
        guard let stream = unsafe fdopendir(copy) else {
            let fault = FileFault.last(.readDirectory)
            close(copy)
            throw fault
        }
        return unsafe NameReader(stream)
    }

    private func makeDirectory(_ path: String, in directory: CInt) throws(FileFault) {
        try Self.makeDirectory(path, in: directory)
    }

    private static func makeDirectory(_ path: String, in directory: CInt) throws(FileFault) {
        if unsafe mkdirat(directory, path, 0o700) == 0 {
            guard unsafe fchmodat(directory, path, 0o700, 0) == 0 else {
                throw .last(.makeDirectory)
            }
        } else if errno != EEXIST {
            throw .last(.makeDirectory)
        }
    }
}

/// Reads the names in a directory.
///
/// Invariant: `stream` is open until `deinit`, and only the one who made the reader uses it.
@safe
final class NameReader {
    #if canImport(Darwin)
    typealias Stream = UnsafeMutablePointer<DIR>
    #else
    typealias Stream = OpaquePointer
    #endif

    private let stream: Stream

    fileprivate init(_ stream: Stream) {
        unsafe self.stream = unsafe stream
    }

    deinit {
        unsafe closedir(stream)
    }

    /// The next names, without `.` and `..`; none at the end.
    func next(_ count: Int) -> [String] {
        var names: [String] = []
        while names.count < count, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// The time of day in nanoseconds since 1970.
func nanosecondsOfDay() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Waits a millisecond on this thread.
func pauseBriefly() {
    usleep(1000)
}

/// Who this process is for the permissions of files.
func effectiveUser() -> UInt32 { UInt32(geteuid()) }

private func openFile(
    _ path: String, in directory: CInt, _ access: CInt, _ flags: CInt
) throws(FileFault) -> CInt {
    while true {
        let file = unsafe openat(directory, path, access | flags, 0o600)
        if file >= 0 { return file }
        if errno != EINTR { throw .last(.open) }
    }
}

// Members of OpenDirectory have the names of these calls.
private func systemRead(_ file: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(file, bytes, count)
}

private func systemWrite(_ file: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(file, bytes, count)
}
