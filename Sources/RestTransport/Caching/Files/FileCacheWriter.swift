// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Logging
import RestSyntax

/// The writer of a ``FileCacheDirectory``, which serializes changes and enforces the size limit.
///
/// Each read-modify-write of a file holds the lock of the directory and does not suspend, so
/// another process cannot restore a response that this one removed.
actor FileCacheWriter {
    /// The maximum size in bytes of a body that is stored in the response file of its key.
    static let maximumInlineByteCount = 16 << 10

    /// The maximum number of responses with one key; the first stored one is removed.
    static let maximumResponseCount = 32

    let directory: FileCacheDirectory
    let byteLimit: Int
    let logger: Logger?

    /// The size of all files in bytes, or `nil` before the first sweep.
    var byteCount: Int?

    /// The number of bytes that running insertions may still write.
    private var reservedByteCount = 0

    /// The number of bytes written since the last sweep.
    var writtenByteCount = 0

    private var sweepTask: Task<Void, Never>?

    init(_ directory: FileCacheDirectory, byteLimit: Int, logger: Logger?) {
        self.directory = directory
        self.byteLimit = byteLimit
        self.logger = logger
    }

    // MARK: Changes

    func store(_ entry: CacheEntry, body: [UInt8]) async {
        let needed = neededByteCount(for: entry, body)
        guard await reserve(needed) else {
            log("response not stored", entry.key, "it is larger than the limit")
            return await removeEntries(for: entry.key)
        }
        defer { reservedByteCount -= needed }
        do {
            do {
                try await withLock { try insert(entry, body) }
            } catch let fault as SystemCallError where fault.isFullDisk {
                // Other programs fill the disk too, so the limit is not the free space.
                await sweepDirectory { used in used - max(needed * 2, used / 10) }
                try await withLock { try insert(entry, body) }
            }
        } catch {
            log("response not stored", entry.key, "\(error)")
            await removeEntries(for: entry.key)
        }
    }

    func update(_ entry: CacheEntry) async {
        do {
            try await withLock {
                guard var stored = try validFile(for: entry.key),
                    let index = stored.responses.firstIndex(where: { $0.entry.id == entry.id }),
                    stored.responses[index].entry.bodyByteCount == entry.bodyByteCount
                else { return }
                let old = stored
                stored.responses[index].entry = entry
                try replace(old, with: stored)
            }
        } catch {
            log("response not stored", entry.key, "\(error)")
            await removeEntries(for: entry.key)
        }
    }

    func remove(_ entry: CacheEntry) async {
        await removeResponses(with: entry.key) { $0.entry.id == entry.id }
    }

    /// Removes a response that cannot be read, unless it was replaced in the meantime.
    func remove(_ response: ResponseFile.Response, because reason: String) async {
        log("stored response removed", response.entry.key, reason)
        await removeResponses(with: response.entry.key) { $0.body == response.body }
    }

    func removeEntries(for key: CacheKey) async {
        await removeResponses(with: key) { _ in true }
    }

    /// Removes a corrupt response file, unless it was replaced by a valid one in the meantime.
    func removeCorruptFile(of key: CacheKey) async {
        await removing(with: key) { _ = try validFile(for: key) }
    }

    /// Removes the partitions with directory names, or all partitions for `nil`.
    func removePartitions(_ names: [String]?) async {
        await waitForSweep()
        byteCount = nil
        var renamed: [String] = []
        do {
            try await withLock {
                for name in try names ?? partitionNames() {
                    let other = "gone-\(Hexadecimal.text(of: UInt64.random(in: .min ... .max)))"
                    do {
                        try directory.rename(name, to: other)
                        renamed.append(other)
                    } catch let fault as SystemCallError where fault.isMissing {
                        // The partition has no responses.
                    }
                }
            }
        } catch {
            logger?.warning("stored responses not removed", metadata: ["reason": "\(error)"])
        }
        for name in renamed { await removeContents(of: name) }
    }

    // MARK: Files

    private func insert(_ entry: CacheEntry, _ body: [UInt8]) throws {
        let old = try validFile(for: entry.key) ?? ResponseFile(key: entry.key)
        var stored = old
        stored.responses.removeAll { $0.entry.id == entry.id }
        if stored.responses.count >= Self.maximumResponseCount { stored.responses.removeFirst() }
        guard body.count > Self.maximumInlineByteCount else {
            stored.responses.append(.init(entry: entry, body: .inline(body[...])))
            return try replace(old, with: stored)
        }
        let number = UInt64.random(in: .min ... .max)
        let name = directory.name(ofBody: number, of: entry.key)
        try write(body, to: name, of: entry.key)
        stored.responses.append(
            .init(
                entry: entry, body: .separate(number: number, hash: directory.hash.hash(body[...])))
        )
        do {
            try replace(old, with: stored)
        } catch {
            removeFile(name, byteCount: body.count)
            throw error
        }
    }

    /// Replaces the response file of a key and removes the body files that it no longer refers to.
    private func replace(_ old: ResponseFile, with stored: ResponseFile) throws {
        let name = directory.name(of: stored.key)
        let oldByteCount = try directory.status(of: name)?.byteCount
        if stored.responses.isEmpty {
            try directory.remove(name)
        } else {
            let partition = directory.name(ofPartition: stored.key.partition)
            let number = UInt64.random(in: .min ... .max)
            let temporary = "\(partition)/t-\(Hexadecimal.text(of: number))"
            let bytes = stored.bytes(hash: directory.hash)
            try write(bytes, to: temporary, of: stored.key)
            directory.markUse(of: temporary)
            do {
                try directory.rename(temporary, to: name)
            } catch {
                removeFile(temporary, byteCount: bytes.count)
                throw error
            }
        }
        if let oldByteCount { byteCount? -= Self.size(oldByteCount) }
        let numbers = Set(stored.bodyNumbers)
        for response in old.responses {
            guard case .separate(let number, _) = response.body, !numbers.contains(number) else {
                continue
            }
            removeFile(
                directory.name(ofBody: number, of: old.key),
                byteCount: response.entry.bodyByteCount)
        }
    }

    private func write(_ bytes: [UInt8], to name: String, of key: CacheKey) throws {
        try directory.write(
            bytes, to: name, in: directory.name(ofPartition: key.partition))
        byteCount? += Self.size(bytes.count)
        writtenByteCount += Self.size(bytes.count)
    }

    /// Removes an unreferenced file; if that fails, a later sweep removes the file.
    private func removeFile(_ name: String, byteCount count: Int) {
        if (try? directory.remove(name)) != nil { byteCount? -= Self.size(count) }
    }

    /// Returns the response file of a key, or removes the file and returns `nil` if it is corrupt
    /// or unreadable.
    private func validFile(for key: CacheKey) throws -> ResponseFile? {
        do {
            return try directory.file(for: key)
        } catch {
            log("stored response removed", key, "\(error)")
            let name = directory.name(of: key)
            let status = try directory.status(of: name)
            try directory.remove(name)
            if let status { byteCount? -= Self.size(status.byteCount) }
            return nil
        }
    }

    private func removeResponses(
        with key: CacheKey, where shouldRemove: (ResponseFile.Response) -> Bool
    ) async {
        await removing(with: key) {
            guard let old = try validFile(for: key) else { return }
            var stored = old
            stored.responses.removeAll(where: shouldRemove)
            if stored.responses.count < old.responses.count { try replace(old, with: stored) }
        }
    }

    /// Removes responses with a key; if that fails, removes the response file.
    private func removing(with key: CacheKey, _ work: () throws -> Void) async {
        do {
            try await withLock(work)
        } catch {
            log("stored responses removed", key, "\(error)")
            byteCount = nil
            do {
                try directory.remove(directory.name(of: key))
            } catch {
                log("stored responses not removed", key, "\(error)")
            }
        }
    }

    /// Calls a closure while the directory is locked.
    private func withLock(_ work: () throws -> Void) async throws {
        var tryCount = 0
        await waitForSweep()
        while !directory.tryLock() {
            tryCount += 1
            guard tryCount < 1_000 else { throw SystemCallError.busy }
            // A sleep in a cancelled task would return at once.
            await Task { try? await Task.sleep(for: .milliseconds(1)) }.value
            await waitForSweep()
        }
        defer { directory.unlock() }
        try work()
    }

    // MARK: Size limit

    /// Returns the size of a file on the disk, in whole blocks.
    static func size(_ byteCount: Int) -> Int { max(1, (byteCount + 4095) >> 12) << 12 }

    /// Returns the number of bytes that an insertion may write; the old file exists until the new
    /// one is complete.
    private func neededByteCount(for entry: CacheEntry, _ body: [UInt8]) -> Int {
        var count = 256 + entry.key.url.utf8.count + (entry.key.partition?.utf8.count ?? 0)
        for field in entry.head.headerFields + entry.selectingFields {
            count += 8 + field.name.rawName.utf8.count + field.value.utf8.count
        }
        let old = try? directory.status(of: directory.name(of: entry.key))
        return Self.size(
            count + (old?.byteCount ?? 0) + min(body.count, Self.maximumInlineByteCount))
            + Self.size(body.count)
    }

    /// Reserves a number of bytes, after a sweep if necessary.
    ///
    /// - Returns: A Boolean value that indicates whether the limit allows so many bytes.
    private func reserve(_ needed: Int) async -> Bool {
        guard needed <= byteLimit else { return false }
        var hasSwept = false
        while true {
            await waitForSweep()
            let reserved = reservedByteCount + needed
            if let used = byteCount, used + reserved <= byteLimit,
                hasSwept || writtenByteCount < byteLimit / 10
            {
                reservedByteCount = reserved
                return true
            }
            if hasSwept { return false }
            hasSwept = true
            await sweepDirectory { [byteLimit] used in
                used + reserved > byteLimit ? byteLimit / 10 * 9 - reserved : used
            }
        }
    }

    private func waitForSweep() async {
        while let sweepTask { await sweepTask.value }
    }

    /// Sweeps the directory in a new task and waits for it.
    ///
    /// - Parameter target: A closure that returns the size to keep, given the size of all files.
    private func sweepDirectory(
        target: @escaping @Sendable (_ used: Int) -> Int
    ) async {
        await waitForSweep()
        let task = Task {
            await sweep(target: target)
            sweepTask = nil
        }
        sweepTask = task
        await task.value
    }

    func log(_ message: Logger.Message, _ key: CacheKey, _ reason: String) {
        logger?.warning(
            message, metadata: ["file": "\(directory.name(of: key))", "reason": "\(reason)"])
    }
}
