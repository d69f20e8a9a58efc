// SPDX-License-Identifier: Apache-2.0

package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Operations on files and directories that only their owner can access.
///
/// SQLite creates its journal files with the permissions of the database file. Paths, not URLs, name
/// the side files, so that no character of a name is escaped.
package enum PrivateFile {
    /// The ends of the names of the files that SQLite keeps beside a database.
    static let sideFileSuffixes = ["-wal", "-shm", "-journal"]

    /// Returns the path of the file that a URL names, which is that of the target of a symbolic link.
    ///
    /// SQLite keeps its side files beside the target as well.
    ///
    /// - Throws: ``PersistenceError`` with code `cannotOpen`.
    package static func path(of url: URL) throws(PersistenceError) -> String {
        guard url.isFileURL else {
            throw PersistenceError(.cannotOpen, details: ["the URL does not name a file"])
        }
        guard !url.path(percentEncoded: false).utf8.contains(0) else {
            throw PersistenceError(.cannotOpen, details: ["the path contains a NUL character"])
        }
        return url.resolvingSymlinksInPath().path(percentEncoded: false)
    }

    /// Returns a Boolean value that indicates whether there is no file at a path.
    ///
    /// - Throws: ``PersistenceError`` with code `cannotOpen` for a directory, or for a pipe or device,
    ///   which SQLite would wait for.
    static func isMissing(_ path: String) throws(PersistenceError) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let type = attributes?[.type] as? FileAttributeType else { return true }
        let problem: String
        switch type {
        case .typeRegular: return false
        case .typeDirectory: problem = "the path is a directory"
        case .typeSymbolicLink: problem = "the symbolic link has no target"
        default: problem = "the path is a pipe or a device"
        }
        throw PersistenceError(.cannotOpen, details: [problem])
    }

    /// Creates the directory of a file, unless it exists; not the directories above.
    static func createDirectory(of path: String) throws(PersistenceError) {
        let directory = (path as NSString).deletingLastPathComponent
        if directory.isEmpty { return }
        guard unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw failure("the directory cannot be created")
        }
    }

    /// Returns a Boolean value that indicates whether no file can be created beside a file, although its
    /// directory exists.
    static func isDirectoryReadOnly(of path: String) -> Bool {
        let directory = (path as NSString).deletingLastPathComponent
        return unsafe access(directory.isEmpty ? "." : directory, W_OK) != 0 && errno != ENOENT
            && errno != ENOTDIR
    }

    /// Creates an empty file; returns `false` if a file exists.
    static func create(_ path: String) throws(PersistenceError) -> Bool {
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return false }
            throw failure("the file cannot be created")
        }
        close(descriptor)
        return true
    }

    /// Moves a file to a path; returns `false` if a file exists there, which is then unchanged.
    static func moveIfAbsent(_ path: String, to destination: String) throws(PersistenceError)
        -> Bool
    {
        defer { unsafe unlink(path) }
        guard unsafe link(path, destination) == 0 else {
            if errno == EEXIST { return false }
            throw failure("the file cannot be created")
        }
        syncDirectory(of: destination)
        return true
    }

    /// Moves a file to a path and replaces the file there.
    static func replace(_ destination: String, by path: String) throws(PersistenceError) {
        guard unsafe rename(path, destination) == 0 else {
            throw failure("the file cannot be replaced")
        }
        syncDirectory(of: destination)
    }

    /// Removes a database with its side files.
    ///
    /// The log is removed first: a database without its log is an older state of itself, a log without
    /// its database could be applied to another one.
    package static func removeDatabase(_ path: String) throws(PersistenceError) {
        for suffix in sideFileSuffixes + [""] {
            guard unsafe unlink(path + suffix) == 0 || errno == ENOENT else {
                throw failure("the file cannot be removed")
            }
        }
        // The files of unsent edits, which are gone.
        try? FileManager.default.removeItem(atPath: UnsentEdits.filesDirectory(of: path))
    }

    /// Writes the entries of a directory to the disk.
    ///
    /// Failures are ignored: not every file system supports it, and the file is complete without it.
    private static func syncDirectory(of path: String) {
        let directory = (path as NSString).deletingLastPathComponent
        let descriptor = unsafe open(directory.isEmpty ? "." : directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// A Boolean value that indicates whether the process can open no more files now.
    ///
    /// SQLite reports only that it could not open a file.
    static var hasTooManyOpenFiles: Bool {
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == EMFILE || errno == ENFILE }
        close(descriptor)
        return false
    }

    /// Returns an error with the reason in `errno`.
    static func failure(_ text: String) -> PersistenceError {
        let number = errno
        let code: PersistenceError.Code =
            switch number {
            case ENOSPC, EDQUOT: .storageFull
            case EROFS: .readOnly
            case EMFILE, ENFILE: .tooManyOpenFiles
            default: .cannotOpen
            }
        let reason = unsafe strerror(number).map { unsafe String(cString: $0) }
        return PersistenceError(code, details: ["\(text): \(reason ?? "error \(number)")"])
    }
}
