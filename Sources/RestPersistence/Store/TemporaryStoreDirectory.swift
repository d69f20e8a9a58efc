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

/// The private directory of a temporary store, which is removed with this object.
///
/// A lock on a file in it shows that its process is alive. The first temporary store of a process
/// removes the directories of processes that were killed.
final class TemporaryStoreDirectory: Sendable {
    /// The path of the database file.
    let databasePath: String
    private let path: String
    /// The descriptor of the locked file; `nil` when the directory was removed.
    private let lock: Mutex<Int32?>

    private static let prefix = "restkit-store-"
    private static let lockName = "lock"

    init() throws(PersistenceError) {
        _ = Self.removalOfAbandonedDirectories
        let path = (Self.parent as NSString).appendingPathComponent(
            Self.prefix + UUID().uuidString.lowercased())
        guard unsafe mkdir(path, 0o700) == 0 else {
            throw PrivateFile.failure("the temporary directory cannot be created")
        }
        let descriptor = unsafe open(Self.lockPath(path), O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw PrivateFile.failure("the temporary directory cannot be locked")
        }
        self.path = path
        databasePath = (path as NSString).appendingPathComponent("objects.sqlite")
        lock = Mutex(descriptor)
    }

    deinit { remove() }

    /// Removes the directory with all files.
    func remove() {
        lock.withLock { descriptor in
            guard let locked = descriptor else { return }
            // The operating system may have removed it already.
            try? FileManager.default.removeItem(atPath: path)
            close(locked)
            descriptor = nil
        }
    }

    private static var parent: String {
        FileManager.default.temporaryDirectory.path(percentEncoded: false)
    }

    private static func lockPath(_ directory: String) -> String {
        (directory as NSString).appendingPathComponent(lockName)
    }

    /// The removal, which happens once.
    private static let removalOfAbandonedDirectories: Void = removeAbandonedDirectories()

    /// Removes the directories whose lock is free.
    static func removeAbandonedDirectories() {
        // A directory that cannot be read or locked belongs to someone else and remains.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let directory = (parent as NSString).appendingPathComponent(name)
            let descriptor = unsafe open(lockPath(directory), O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                try? FileManager.default.removeItem(atPath: directory)
            }
            close(descriptor)
        }
    }
}
