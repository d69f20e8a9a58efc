// SPDX-License-Identifier: Apache-2.0

public import Logging

/// A store of responses in a directory, which persists across restarts.
///
/// ```swift
/// let storage = try FileCacheStorage(directory: "/home/me/.cache/example", logger: logger)
/// ```
///
/// **Directory:** The storage owns its directory. It creates a missing directory and its parents,
/// accepts an empty one, and throws an error for any other. Permissions are 0700 for directories
/// and 0600 for files, and file names are hashes with a secret key of the directory. Several
/// storages and processes can use a directory at the same time.
///
/// **Integrity:** A lookup returns a response exactly as it was stored, or nothing. A file is
/// written under a temporary name and then renamed, and contains a hash of its content. A file that
/// is truncated, changed, unreadable or from another directory is removed and logged, and counts as
/// a miss. A process may be killed at any time. Files are not synced to the disk: after a power
/// failure responses may be missing or corrupt, which the hashes detect.
///
/// **Size limit:** The limit counts files in whole blocks of 4 KiB. When it is reached, the storage
/// sweeps the directory and removes the least recently used responses until nine tenths of the
/// limit are left, always all responses with one key. It also sweeps when the disk is full. Each of
/// several processes may exceed the limit by a tenth until its next sweep.
///
/// **Memory:** Entries are not held in memory; each lookup opens a file. A sweep needs about 100
/// bytes for each entry while it runs.
public final class FileCacheStorage: CacheStorage {
    private let directory: FileCacheDirectory
    private let writer: FileCacheWriter
    private let logger: Logger?

    /// Opens a directory of stored responses.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory, absolute or relative to the present working
    ///     directory.
    ///   - byteCount: The maximum size on the disk in bytes; 256 MiB by default. A larger response
    ///     is not stored.
    ///   - logger: The logger of corrupt files and failed writes, at level `warning`. Its messages
    ///     contain hashes and numbers only.
    /// - Throws: ``TransportError`` with code `cacheUnavailable` if the directory cannot be created
    ///   or read, belongs to another user, or contains other files.
    public convenience init(
        directory: String, byteCount: Int = 256 << 20, logger: Logger? = nil
    ) throws(TransportError) {
        try self.init(directory: directory, byteCount: byteCount, logger: logger, faults: nil)
    }

    init(
        directory path: String, byteCount: Int, logger: Logger?,
        faults: FileCacheDirectory.FaultInjection?
    ) throws(TransportError) {
        directory = try FileCacheDirectory(path, logger: logger, faults: faults)
        writer = FileCacheWriter(directory, byteLimit: byteCount, logger: logger)
        self.logger = logger
    }

    /// Returns the entries with a key.
    ///
    /// - Complexity: Reads one file, independent of the number of files.
    @concurrent
    public func entries(for key: CacheKey) async -> [CacheEntry] {
        await file(for: key)?.responses.map(\.entry) ?? []
    }

    /// Returns the body of an entry.
    @concurrent
    public func body(of entry: CacheEntry) async -> [UInt8]? {
        let stored = await file(for: entry.key)?.responses.first { $0.entry.id == entry.id }
        guard let response = stored, response.entry.bodyByteCount == entry.bodyByteCount else {
            return nil
        }
        do {
            if let body = try directory.body(of: response) {
                directory.markUse(of: directory.name(of: entry.key))
                return body
            }
            await writer.remove(response, because: "its body is corrupt or missing")
        } catch {
            await writer.remove(response, because: "\(error)")
        }
        return nil
    }

    /// Stores a response.
    public func store(_ entry: CacheEntry, body: [UInt8]) async {
        await writer.store(entry, body: body)
    }

    /// Replaces an entry and leaves its body unchanged.
    public func update(_ entry: CacheEntry) async {
        await writer.update(entry)
    }

    /// Removes a response.
    public func remove(_ entry: CacheEntry) async {
        await writer.remove(entry)
    }

    /// Removes all responses with a key.
    public func removeEntries(for key: CacheKey) async {
        await writer.removeEntries(for: key)
    }

    /// Removes all responses of a partition, without opening its files.
    public func removeEntries(inPartition partition: String?) async {
        await writer.removePartitions([directory.name(ofPartition: partition)])
    }

    /// Removes all responses.
    public func removeAll() async {
        await writer.removePartitions(nil)
    }

    private func file(for key: CacheKey) async -> ResponseFile? {
        do {
            return try directory.file(for: key)
        } catch is ResponseFile.Corruption {
            await writer.removeCorruptFile(of: key)
        } catch {
            logger?.warning(
                "stored responses not read",
                metadata: ["file": "\(directory.name(of: key))", "reason": "\(error)"])
        }
        return nil
    }
}
