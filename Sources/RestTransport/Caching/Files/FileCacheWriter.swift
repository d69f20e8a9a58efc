// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Logging

/// Changes the files of a ``FileCacheDirectory``, one change after the other, and keeps them bounded.
///
/// What is read, changed and written again is so under the directory's lock, without suspension:
/// another process cannot bring back what this one removed.
actor FileCacheWriter {
    /// Bodies up to this length are in the file of their key.
    static let insideLimit = 16 << 10

    /// Most responses under a key; of more, the one stored first goes.
    static let responseLimit = 32

    let directory: FileCacheDirectory
    let byteLimit: Int
    let logger: Logger?

    /// What all files take, as far as known; `nil` until someone has looked.
    var byteCount: Int?

    /// What stores that are under way may still write.
    private var reservedByteCount = 0

    /// What was written since someone looked.
    var writtenByteCount = 0

    private var look: Task<Void, Never>?

    init(_ directory: FileCacheDirectory, byteLimit: Int, logger: Logger?) {
        self.directory = directory
        self.byteLimit = byteLimit
        self.logger = logger
    }

    // MARK: Changes

    func store(_ entry: CacheEntry, body: [UInt8]) async {
        let needed = neededByteCount(for: entry, body)
        guard await reserve(needed) else {
            log("response not kept", entry.key, "it is larger than the bound")
            return await removeEntries(for: entry.key)
        }
        defer { reservedByteCount -= needed }
        do {
            do {
                try await locked { try keep(entry, body) }
            } catch let fault as FileFault where fault.isFullDisk {
                // Others fill the disk too, so the bound is not what is left.
                await lookAround { used in used - max(needed * 2, used / 10) }
                try await locked { try keep(entry, body) }
            }
        } catch {
            log("response not kept", entry.key, "\(error)")
            await removeEntries(for: entry.key)
        }
    }

    func update(_ entry: CacheEntry) async {
        do {
            try await locked {
                guard var stored = try readable(entry.key),
                    let index = stored.responses.firstIndex(where: { $0.entry.id == entry.id }),
                    stored.responses[index].entry.bodyByteCount == entry.bodyByteCount
                else { return }
                let old = stored
                stored.responses[index].entry = entry
                try replace(old, with: stored)
            }
        } catch {
            log("response not kept", entry.key, "\(error)")
            await removeEntries(for: entry.key)
        }
    }

    func remove(_ entry: CacheEntry) async {
        await removeResponses(under: entry.key) { $0.entry.id == entry.id }
    }

    /// Removes a response that cannot be served, unless it was replaced in the meantime.
    func remove(_ response: StoredResponses.Response, because reason: String) async {
        log("stored response dropped", response.entry.key, reason)
        await removeResponses(under: response.entry.key) { $0.body == response.body }
    }

    func removeEntries(for key: CacheKey) async {
        await removeResponses(under: key) { _ in true }
    }

    /// Removes a file of responses, unless it was replaced by a good one in the meantime.
    func removeDamaged(_ key: CacheKey, _ damage: StoredResponses.Damage) async {
        await removing(under: key) { _ = try readable(key) }
    }

    /// Removes partitions by their names, all of them for `nil`.
    func removePartitions(_ names: [String]?) async {
        await lookEnded()
        byteCount = nil
        var gone: [String] = []
        do {
            try await locked {
                for name in try names ?? partitionNames() {
                    let other = "gone-\(hexadecimal(UInt64.random(in: .min ... .max)))"
                    do {
                        try directory.rename(name, to: other)
                        gone.append(other)
                    } catch let fault as FileFault where fault.isMissing {
                        // No response of this partition was ever stored.
                    }
                }
            }
        } catch {
            logger?.warning("stored responses not removed", metadata: ["reason": "\(error)"])
        }
        for name in gone { await removeContents(of: name) }
    }

    // MARK: Files

    private func keep(_ entry: CacheEntry, _ body: [UInt8]) throws {
        let old = try readable(entry.key) ?? StoredResponses(key: entry.key)
        var stored = old
        stored.responses.removeAll { $0.entry.id == entry.id }
        if stored.responses.count >= Self.responseLimit { stored.responses.removeFirst() }
        guard body.count > Self.insideLimit else {
            stored.responses.append(.init(entry: entry, body: .inside(body[...])))
            return try replace(old, with: stored)
        }
        let number = UInt64.random(in: .min ... .max)
        let name = directory.name(ofBody: number, of: entry.key)
        try write(body, to: name, of: entry.key)
        stored.responses.append(
            .init(entry: entry, body: .apart(number: number, hash: directory.hash.hash(body[...]))))
        do {
            try replace(old, with: stored)
        } catch {
            removeFile(name, byteCount: body.count)
            throw error
        }
    }

    /// Writes the file of a key anew and removes the bodies that are no longer named in it.
    private func replace(_ old: StoredResponses, with stored: StoredResponses) throws {
        let name = directory.name(of: stored.key)
        let oldByteCount = try directory.status(of: name)?.byteCount
        if stored.responses.isEmpty {
            try directory.remove(name)
        } else {
            let partition = directory.name(ofPartition: stored.key.partition)
            let number = UInt64.random(in: .min ... .max)
            let temporary = "\(partition)/t-\(hexadecimal(number))"
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
        let kept = Set(stored.bodyNumbers)
        for response in old.responses {
            guard case .apart(let number, _) = response.body, !kept.contains(number) else {
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

    /// Removes a file that nothing names; should that fail, it is found when the bound is reached.
    private func removeFile(_ name: String, byteCount count: Int) {
        if (try? directory.remove(name)) != nil { byteCount? -= Self.size(count) }
    }

    /// The responses under a key; what cannot be read is removed.
    private func readable(_ key: CacheKey) throws -> StoredResponses? {
        do {
            return try directory.responses(for: key)
        } catch {
            log("stored response dropped", key, "\(error)")
            let name = directory.name(of: key)
            let status = try directory.status(of: name)
            try directory.remove(name)
            if let status { byteCount? -= Self.size(status.byteCount) }
            return nil
        }
    }

    private func removeResponses(
        under key: CacheKey, where isMeant: (StoredResponses.Response) -> Bool
    ) async {
        await removing(under: key) {
            guard let old = try readable(key) else { return }
            var stored = old
            stored.responses.removeAll(where: isMeant)
            if stored.responses.count < old.responses.count { try replace(old, with: stored) }
        }
    }

    /// Removes something under a key; if that cannot be done well, then all of it.
    private func removing(under key: CacheKey, _ work: () throws -> Void) async {
        do {
            try await locked(work)
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

    /// Does something while no other process changes anything.
    private func locked(_ work: () throws -> Void) async throws {
        var tryCount = 0
        await lookEnded()
        while !directory.tryLock() {
            tryCount += 1
            guard tryCount < 1_000 else { throw FileFault.busy }
            // Not in the caller's task: one that was cancelled would not wait.
            await Task { try? await Task.sleep(for: .milliseconds(1)) }.value
            await lookEnded()
        }
        defer { directory.unlock() }
        try work()
    }

    // MARK: The bound

    /// What a file takes on the disk.
    static func size(_ byteCount: Int) -> Int { max(1, (byteCount + 4095) >> 12) << 12 }

    /// What storing may take, the old file still being there while the new one is written.
    private func neededByteCount(for entry: CacheEntry, _ body: [UInt8]) -> Int {
        var count = 256 + entry.key.url.utf8.count + (entry.key.partition?.utf8.count ?? 0)
        for field in entry.head.headerFields + entry.requestFields {
            count += 8 + field.name.rawName.utf8.count + field.value.utf8.count
        }
        let old = try? directory.status(of: directory.name(of: entry.key))
        return Self.size(count + (old?.byteCount ?? 0) + min(body.count, Self.insideLimit))
            + Self.size(body.count)
    }

    /// Makes room and takes it.
    ///
    /// - Returns: Whether there is so much room at all.
    private func reserve(_ needed: Int) async -> Bool {
        guard needed <= byteLimit else { return false }
        var hasLooked = false
        while true {
            await lookEnded()
            let wanted = reservedByteCount + needed
            if let used = byteCount, used + wanted <= byteLimit,
                hasLooked || writtenByteCount < byteLimit / 10
            {
                reservedByteCount = wanted
                return true
            }
            if hasLooked { return false }
            hasLooked = true
            await lookAround { [byteLimit] used in
                used + wanted > byteLimit ? byteLimit / 10 * 9 - wanted : used
            }
        }
    }

    private func lookEnded() async {
        while let look { await look.value }
    }

    /// Goes through the directory and removes what was not used for the longest time.
    ///
    /// - Parameter target: What may stay, given what there is.
    private func lookAround(
        target: @escaping @Sendable (_ used: Int) -> Int
    ) async {
        await lookEnded()
        let task = Task {
            await sweep(target: target)
            look = nil
        }
        look = task
        await task.value
    }

    func log(_ message: Logger.Message, _ key: CacheKey, _ reason: String) {
        logger?.warning(
            message, metadata: ["file": "\(directory.name(of: key))", "reason": "\(reason)"])
    }
}
