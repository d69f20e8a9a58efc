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

/// The private directory of a temporary store, or of a database that is being created to replace another
/// one, which is removed with this object.
///
/// A lock on a file in it shows that its process is alive. The first temporary store of a process
/// removes the directories of processes that were killed, and so does opening a store with those beside
/// its file.
package final class TemporaryStoreDirectory: Sendable {
    /// The path of the database file.
    package let databasePath: String
    private let path: String
    /// The descriptor of the locked file; `nil` when the directory was removed.
    private let lock: Mutex<Int32?>

    /// The parent of the directories of one kind, and the beginning of their names.
    private struct Place {
        let parent: String
        let prefix: String

        init(parent: String, prefix: String) {
            self.parent = parent
            self.prefix = prefix
        }

        init(beside file: String) {
            let parent = (file as NSString).deletingLastPathComponent
            self.parent = parent.isEmpty ? "." : parent
            prefix = (file as NSString).lastPathComponent + "-new-"
        }
    }

    private static var temporary: Place {
        Place(
            parent: FileManager.default.temporaryDirectory.path(percentEncoded: false),
            prefix: "restkit-store-")
    }

    private static let lockName = "lock"

    /// Creates the directory of a temporary store.
    package convenience init() throws(PersistenceError) {
        _ = Self.removalOfAbandonedDirectories
        try self.init(Self.temporary)
    }

    /// Creates the directory of a database that will replace a file.
    convenience init(beside file: String) throws(PersistenceError) {
        try self.init(Place(beside: file))
    }

    private init(_ place: Place) throws(PersistenceError) {
        let path = (place.parent as NSString).appendingPathComponent(
            place.prefix + UUID().uuidString.lowercased())
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
    package func remove() {
        lock.withLock { descriptor in
            guard let locked = descriptor else { return }
            // The operating system may have removed it already.
            try? FileManager.default.removeItem(atPath: path)
            close(locked)
            descriptor = nil
        }
    }

    private static func lockPath(_ directory: String) -> String {
        (directory as NSString).appendingPathComponent(lockName)
    }

    /// The removal, which happens once.
    private static let removalOfAbandonedDirectories: Void = removeAbandonedDirectories()

    /// Removes the directories of temporary stores whose lock is free.
    static func removeAbandonedDirectories() { removeAbandonedDirectories(of: temporary) }

    /// Removes the directories of databases that were to replace a file, and whose lock is free.
    static func removeAbandonedDirectories(beside file: String) {
        removeAbandonedDirectories(of: Place(beside: file))
    }

    private static func removeAbandonedDirectories(of place: Place) {
        // A directory that cannot be read or locked belongs to someone else and remains.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.parent)) ?? []
        for name in names where name.hasPrefix(place.prefix) {
            let directory = (place.parent as NSString).appendingPathComponent(name)
            let descriptor = unsafe open(lockPath(directory), O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                try? FileManager.default.removeItem(atPath: directory)
            }
            close(descriptor)
        }
    }
}
