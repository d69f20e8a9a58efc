// SPDX-License-Identifier: Apache-2.0

public import Logging

/// Keeps responses in a directory, so that they are there after a restart.
///
/// ```swift
/// let storage = try FileCacheStorage(directory: "/home/me/.cache/example", logger: logger)
/// ```
///
/// **The directory** belongs to the storage alone: it is made with its parents where it is missing,
/// an empty one is taken, any other is refused. Its permissions are 0700, those of files 0600, and
/// names are hashes under a secret of the directory. Several storages and processes may use it
/// at once.
///
/// **What is served** is what was stored, whole, or nothing. A file is written beside the old one and
/// then takes its name, and carries a hash of its content. One that is cut, changed, unreadable or
/// from elsewhere is removed, with a line in the log, and is a miss. A process may be killed at any
/// moment. Nothing is synced to the disk: after a power cut responses may be missing, which the
/// hashes notice, and a cache can be filled again.
///
/// **The bound** holds while the storage runs, with files counted as whole blocks of 4 KiB. When
/// it is reached, the storage goes through the directory and removes what was not used for the
/// longest time, down to nine tenths of the bound, all responses under one address at once. It also
/// does so when the disk is full. Each of several processes may go beyond by a tenth until it looks
/// again.
///
/// **Memory** is not used for entries: looking one up opens a file. Going through a directory takes
/// about 100 bytes for each entry, for that time.
public final class FileCacheStorage: CacheStorage {
    private let directory: FileCacheDirectory
    private let writer: FileCacheWriter
    private let logger: Logger?

    /// Opens a directory of stored responses.
    ///
    /// - Parameters:
    ///   - directory: A path, as a rule absolute; a relative one counts from the process's working
    ///     directory at this moment.
    ///   - byteCount: Most bytes on the disk; 256 MiB by default. A response that does not fit in
    ///     it is not kept.
    ///   - logger: Where damaged files and failed writes are noted at level `warning`, by hashes
    ///     and numbers only.
    /// - Throws: ``TransportError`` with code `cacheUnavailable` when the directory cannot be made or
    ///   read, belongs to another user, or holds what is no cache.
    public convenience init(
        directory: String, byteCount: Int = 256 << 20, logger: Logger? = nil
    ) throws(TransportError) {
        try self.init(directory: directory, byteCount: byteCount, logger: logger, faults: nil)
    }

    init(
        directory path: String, byteCount: Int, logger: Logger?, faults: FileCacheDirectory.Faults?
    ) throws(TransportError) {
        directory = try FileCacheDirectory(path, logger: logger, faults: faults)
        writer = FileCacheWriter(directory, byteLimit: byteCount, logger: logger)
        self.logger = logger
    }

    /// The entries under a key.
    ///
    /// - Complexity: One file is read, however many there are.
    @concurrent
    public func entries(for key: CacheKey) async -> [CacheEntry] {
        await responses(for: key)?.responses.map(\.entry) ?? []
    }

    /// The body of an entry.
    @concurrent
    public func body(of entry: CacheEntry) async -> [UInt8]? {
        let known = await responses(for: entry.key)?.responses.first { $0.entry.id == entry.id }
        guard let response = known, response.entry.bodyByteCount == entry.bodyByteCount else {
            return nil
        }
        do {
            if let body = try directory.body(of: response) {
                directory.markUse(of: directory.name(of: entry.key))
                return body
            }
            await writer.remove(response, because: "its body is damaged or gone")
        } catch {
            await writer.remove(response, because: "\(error)")
        }
        return nil
    }

    /// Keeps a response.
    public func store(_ entry: CacheEntry, body: [UInt8]) async {
        await writer.store(entry, body: body)
    }

    /// Replaces what is known of a response whose body stays.
    public func update(_ entry: CacheEntry) async {
        await writer.update(entry)
    }

    /// Lets go of a response.
    public func remove(_ entry: CacheEntry) async {
        await writer.remove(entry)
    }

    /// Lets go of all responses under a key.
    public func removeEntries(for key: CacheKey) async {
        await writer.removeEntries(for: key)
    }

    /// Lets go of all responses of a partition; no file of it is opened.
    public func removeEntries(inPartition partition: String?) async {
        await writer.removePartitions([directory.name(ofPartition: partition)])
    }

    /// Lets go of everything.
    public func removeAll() async {
        await writer.removePartitions(nil)
    }

    private func responses(for key: CacheKey) async -> StoredResponses? {
        do {
            return try directory.responses(for: key)
        } catch let damage as StoredResponses.Damage {
            await writer.removeDamaged(key, damage)
        } catch {
            logger?.warning(
                "stored responses not read",
                metadata: ["file": "\(directory.name(of: key))", "reason": "\(error)"])
        }
        return nil
    }
}
