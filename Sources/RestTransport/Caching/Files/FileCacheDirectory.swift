// SPDX-License-Identifier: Apache-2.0

import Logging
import RestSyntax
import Synchronization

/// The directory of a ``FileCacheStorage``, and the names in it.
///
/// ```
/// restkit-cache                        the marker of a cache directory, with the hash key
/// 3f…a0/                               a partition
/// 3f…a0/91…7c                          the responses with one cache key, with small bodies
/// 3f…a0/91…7c-00000000000000f1         a larger body
/// 3f…a0/t-00000000000000f2             a temporary file
/// gone-00000000000000f3/               a partition that is being removed
/// ```
///
/// Names are hashes with a secret key of the directory: a path reveals nothing of a URL or a
/// principal, and an attacker cannot choose two URLs with the same hash. Each file contains its
/// cache key, which detects a collision.
final class FileCacheDirectory: Sendable {
    /// A closure for tests that returns the error number of a call that is to fail.
    typealias FaultInjection = @Sendable (SystemCallError.Call) -> CInt?

    static let markerName = "restkit-cache"
    private static let markerText = "Stored responses of RestKit, format 1\n"

    /// The maximum size of a response file in bytes.
    private static let maximumFileByteCount = 64 << 20

    let hash: SipHash
    private let root: DirectoryDescriptor
    private let faults: FaultInjection?
    private let lastUse = Atomic<Int64>(0)

    /// Opens a directory, and takes ownership of it if it is new or empty.
    init(_ path: String, logger: Logger?, faults: FaultInjection? = nil) throws(TransportError) {
        do {
            try Self.makeDirectories(path)
            root = try DirectoryDescriptor.open(path)
            let status = try root.status()
            guard status.owner == effectiveUserID() else {
                throw Self.unavailable("the directory \(path) belongs to another user")
            }
            hash = SipHash(key: try Self.claim(root, at: path, logger: logger))
            if status.permissions != 0o700 { try root.restrictPermissions() }
            self.faults = faults
        } catch let fault as SystemCallError {
            throw Self.unavailable("the directory \(path) cannot be used", underlying: fault)
        } catch let error as TransportError {
            throw error
        } catch {
            throw Self.unavailable("the directory \(path) cannot be used", underlying: error)
        }
    }

    private static func unavailable(
        _ reason: String, underlying: (any Error)? = nil
    ) -> TransportError {
        TransportError(
            .cacheUnavailable, stage: .preparing, reason: reason, underlying: underlying)
    }

    private static func makeDirectories(_ path: String) throws(SystemCallError) {
        let separator = UInt8(ascii: "/")
        let parts = path.utf8.split(separator: separator, omittingEmptySubsequences: true)
        var prefix = path.utf8.first == separator ? "/" : ""
        for part in parts {
            prefix += String(Substring(part))
            do {
                try DirectoryDescriptor.make(prefix)
            } catch  where prefix.utf8.count < path.utf8.count {
                // A parent exists but cannot be created, as on a read-only disk.
            }
            prefix += "/"
        }
    }

    /// Reads the marker, or writes one into an empty directory.
    ///
    /// - Returns: The hash key.
    private static func claim(
        _ root: DirectoryDescriptor, at path: String, logger: Logger?
    ) throws -> UInt128 {
        var tryCount = 0
        while try !root.tryLock() {
            tryCount += 1
            guard tryCount < 5_000 else { throw SystemCallError.busy }
            sleepOneMillisecond()
        }
        defer { root.unlock() }
        if let marker = try root.read(markerName, upTo: 1 << 10) {
            if let key = key(in: marker) { return key }
            logger?.warning(
                "stored responses removed",
                metadata: ["file": "\(markerName)", "reason": "corrupt"])
            try root.remove(markerName)
        } else {
            let names = try root.names()
            while case let batch = names.next(100), !batch.isEmpty {
                if let other = batch.first(where: { !$0.hasPrefix("t-") }) {
                    throw unavailable(
                        "the directory \(path) is not empty and not a cache: it contains \(other)")
                }
            }
        }
        let key = UInt128.random(in: .min ... .max)
        let temporary = "t-\(Hexadecimal.text(of: UInt64.random(in: .min ... .max)))"
        try root.write(marker(of: key), to: temporary)
        try root.rename(temporary, to: markerName)
        return key
    }

    private static func marker(of key: UInt128) -> [UInt8] {
        let text = Hexadecimal.text(of: key)
        return Array(
            "\(markerText)\(text)\n\(Hexadecimal.text(of: SipHash(key: key).hash(text)))\n".utf8)
    }

    private static func key(in marker: [UInt8]) -> UInt128? {
        let digits = marker.dropFirst(markerText.utf8.count).prefix(32)
        let key = UInt128(String(decoding: digits, as: UTF8.self), radix: 16)
        return key.flatMap { marker == Self.marker(of: $0) ? $0 : nil }
    }
}

// MARK: Names

extension FileCacheDirectory {
    /// Returns the name of the directory of a partition.
    func name(ofPartition partition: String?) -> String {
        // The prefix makes a partition with an empty name differ from no partition.
        Hexadecimal.text(of: hash.hash(partition.map { "p\($0)" } ?? ""))
    }

    /// Returns the name of the response file of a key.
    func name(of key: CacheKey) -> String {
        "\(name(ofPartition: key.partition))/\(Hexadecimal.text(of: hash.hash(key.url)))"
    }

    /// Returns the name of the file of a body.
    func name(ofBody number: UInt64, of key: CacheKey) -> String {
        "\(name(of: key))-\(Hexadecimal.text(of: number))"
    }
}

// MARK: Files

extension FileCacheDirectory {
    /// Returns the response file of a key, or `nil` if there is none.
    ///
    /// - Throws: ``ResponseFile/Corruption`` if the file is corrupt, ``SystemCallError`` if it
    ///   cannot be read.
    func file(for key: CacheKey) throws -> ResponseFile? {
        try fail(.read)
        guard let bytes = try root.read(name(of: key), upTo: Self.maximumFileByteCount) else {
            return nil
        }
        let file = try ResponseFile(bytes, hash: hash)
        // Two keys with the same name have one file.
        return file.key == key ? file : nil
    }

    /// Returns a body, or `nil` if it is not as it was stored.
    func body(of response: ResponseFile.Response) throws(SystemCallError) -> [UInt8]? {
        switch response.body {
        case .inline(let bytes):
            return Array(bytes)
        case .separate(let number, let expected):
            try fail(.read)
            let count = response.entry.bodyByteCount
            let bytes = try root.read(name(ofBody: number, of: response.entry.key), upTo: count)
            guard let bytes, bytes.count == count, hash.hash(bytes[...]) == expected else {
                return nil
            }
            return bytes
        }
    }

    /// Writes a new file, and removes it if that fails.
    func write(_ bytes: [UInt8], to name: String, in partition: String) throws(SystemCallError) {
        do {
            try fail(.open)
            let fault = faults?(.write)
            do {
                try root.write(bytes, to: name, fault: fault)
            } catch  where error.isMissing {
                try fail(.makeDirectory)
                try root.make(partition)
                try root.write(bytes, to: name, fault: fault)
            }
        } catch {
            try? root.remove(name)
            throw error
        }
    }

    /// Renames a file, replacing a file with the new name.
    func rename(_ name: String, to other: String) throws(SystemCallError) {
        try fail(.rename)
        try root.rename(name, to: other)
    }

    /// Removes a file if it exists.
    func remove(_ name: String, isDirectory: Bool = false) throws(SystemCallError) {
        try fail(.remove)
        try root.remove(name, isDirectory: isDirectory)
    }

    /// Returns the status of a file, or `nil` if it does not exist.
    func status(of name: String) throws(SystemCallError) -> FileStatus? {
        try fail(.status)
        return try root.status(of: name)
    }

    /// Opens the directory of a partition.
    func open(_ name: String) throws(SystemCallError) -> DirectoryDescriptor {
        try fail(.open)
        return try root.open(name)
    }

    /// Returns a reader of the names in the directory.
    func names() throws(SystemCallError) -> DirectoryEntryReader {
        try fail(.readDirectory)
        return try root.names()
    }

    /// Sets the time at which a response file was last used to the present.
    ///
    /// The times of one process strictly increase, so that their order is the order of use.
    func markUse(of name: String) {
        let now = currentNanoseconds()
        var last = lastUse.load(ordering: .relaxed)
        while true {
            let next = max(now, last + 1)
            let (isExchanged, found) = lastUse.weakCompareExchange(
                expected: last, desired: next, ordering: .relaxed)
            if isExchanged { return root.mark(name, usedAt: next) }
            last = found
        }
    }

    /// Locks the directory among all processes, without waiting.
    ///
    /// - Returns: A Boolean value that indicates whether the directory is now locked.
    func tryLock() -> Bool {
        guard faults?(.lock) == nil else { return false }
        return (try? root.tryLock()) ?? false
    }

    /// Unlocks the directory.
    func unlock() {
        root.unlock()
    }

    private func fail(_ call: SystemCallError.Call) throws(SystemCallError) {
        if let number = faults?(call) { throw SystemCallError(call: call, number: number) }
    }
}
