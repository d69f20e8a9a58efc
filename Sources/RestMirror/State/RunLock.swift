// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The lock of a mirror's file, which one run holds at a time.
///
/// Two runs at the same time would spend a budget twice, and one could delete a row that the other one has just
/// read. The lock is that of a file beside the mirror, `items.db-lock`. The operating system frees it with the
/// process, so that a run after a killed one does not wait.
///
/// A class, so that the lock is released once.
final class RunLock: Sendable {
    private let path: String
    private let descriptor: Mutex<Int32?>

    /// Locks a file.
    ///
    /// - Throws: ``MirrorError`` with code `runInProgress` if another run has the lock, or `storeFailed`.
    init(of file: URL) throws(MirrorError) {
        path = file.resolvingSymlinksInPath().path(percentEncoded: false) + "-lock"
        while true {
            // Invariant of the unsafe calls here and below: the path is a string that lives during the call.
            let opened = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            guard opened >= 0 else { throw Self.failure(file) }
            guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
                let isHeld = errno == EWOULDBLOCK
                close(opened)
                throw isHeld ? Self.inProgress(file) : Self.failure(file)
            }
            // The run before may have removed the file after it was opened.
            if Self.isFile(opened, at: path) {
                descriptor = Mutex(opened)
                return
            }
            close(opened)
        }
    }

    deinit { release() }

    /// Releases the lock.
    func release() {
        descriptor.withLock { descriptor in
            guard let locked = descriptor else { return }
            try? FileManager.default.removeItem(atPath: path)
            close(locked)
            descriptor = nil
        }
    }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, present) = (stat(), stat())
        guard unsafe fstat(descriptor, &opened) == 0, unsafe stat(path, &present) == 0 else {
            return false
        }
        return opened.st_ino == present.st_ino && opened.st_dev == present.st_dev
    }

    private static func inProgress(_ file: URL) -> MirrorError {
        MirrorError(
            .runInProgress,
            details: [
                "another run reads into \(file.lastPathComponent); run the command again when it has ended"
            ])
    }

    private static func failure(_ file: URL) -> MirrorError {
        MirrorError(
            .storeFailed,
            details: ["\(file.lastPathComponent)-lock cannot be locked beside the file"])
    }
}
