// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// The directory that a ``FileCacheStorage`` owns, and the names in it.
///
/// ```
/// restkit-cache                        what makes the directory ours, with the key of all hashes
/// 3f…a0/                               a partition
/// 3f…a0/91…7c                          the responses under a key, small bodies included
/// 3f…a0/91…7c-00000000000000f1         a larger body
/// 3f…a0/t-00000000000000f2             a file being written
/// gone-00000000000000f3/               a partition being removed
/// ```
///
/// Names are hashes under a secret of the directory: nothing of an address or a principal is in a
/// path, and nobody can choose two addresses that meet. Should two meet, the key inside the file
/// tells.
final class FileCacheDirectory: Sendable {
    /// Says which calls fail, as tests need it.
    typealias Faults = @Sendable (FileFault.Call) -> CInt?

    static let markerName = "restkit-cache"
    private static let markerText = "Stored responses of RestKit, format 1\n"

    /// Most bytes of a file of responses.
    private static let fileLimit = 64 << 20

    let hash: SipHash
    private let root: OpenDirectory
    private let faults: Faults?
    private let lastUse = Atomic<Int64>(0)

    /// Opens a directory and makes it ours if it is new or empty.
    init(_ path: String, logger: Logger?, faults: Faults? = nil) throws(TransportError) {
        do {
            try Self.makeDirectories(path)
            root = try OpenDirectory.open(path)
            let status = try root.status()
            guard status.owner == effectiveUser() else {
                throw Self.refusal("the directory \(path) belongs to another user")
            }
            hash = SipHash(key: try Self.own(root, at: path, logger: logger))
            if status.permissions != 0o700 { try root.restrict() }
            self.faults = faults
        } catch let fault as FileFault {
            throw Self.refusal("the directory \(path) cannot be used", underlying: fault)
        } catch let error as TransportError {
            throw error
        } catch {
            throw Self.refusal("the directory \(path) cannot be used", underlying: error)
        }
    }

    private static func refusal(
        _ reason: String, underlying: (any Error)? = nil
    ) -> TransportError {
        TransportError(
            .cacheUnavailable, stage: .preparing, reason: reason, underlying: underlying)
    }

    private static func makeDirectories(_ path: String) throws(FileFault) {
        let separator = UInt8(ascii: "/")
        let parts = path.utf8.split(separator: separator, omittingEmptySubsequences: true)
        var prefix = path.utf8.first == separator ? "/" : ""
        for part in parts {
            prefix += String(Substring(part))
            do {
                try OpenDirectory.make(prefix)
            } catch  where prefix.utf8.count < path.utf8.count {
                // One above that is there but may not be made, as on a read-only disk.
            }
            prefix += "/"
        }
    }

    /// Reads the marker, or writes one where nothing is.
    ///
    /// - Returns: The key of hashes.
    private static func own(
        _ root: OpenDirectory, at path: String, logger: Logger?
    ) throws -> UInt128 {
        var tryCount = 0
        while try !root.tryLock() {
            tryCount += 1
            guard tryCount < 5_000 else { throw FileFault.busy }
            pauseBriefly()
        }
        defer { root.unlock() }
        if let marker = try root.read(markerName, upTo: 1 << 10) {
            if let key = key(in: marker) { return key }
            logger?.warning(
                "stored responses dropped",
                metadata: ["file": "\(markerName)", "reason": "damaged"])
            try root.remove(markerName)
        } else {
            let names = try root.names()
            while case let some = names.next(100), !some.isEmpty {
                if let foreign = some.first(where: { !$0.hasPrefix("t-") }) {
                    throw refusal(
                        "the directory \(path) is not empty and no cache: it holds \(foreign)")
                }
            }
        }
        let key = UInt128.random(in: .min ... .max)
        let temporary = "t-\(hexadecimal(UInt64.random(in: .min ... .max)))"
        try root.write(marker(of: key), to: temporary)
        try root.rename(temporary, to: markerName)
        return key
    }

    private static func marker(of key: UInt128) -> [UInt8] {
        let text = hexadecimal(key)
        return Array("\(markerText)\(text)\n\(hexadecimal(SipHash(key: key).hash(text)))\n".utf8)
    }

    private static func key(in marker: [UInt8]) -> UInt128? {
        let digits = marker.dropFirst(markerText.utf8.count).prefix(32)
        let key = UInt128(String(decoding: digits, as: UTF8.self), radix: 16)
        return key.flatMap { marker == Self.marker(of: $0) ? $0 : nil }
    }
}

// MARK: Names

extension FileCacheDirectory {
    /// The directory of a partition.
    func name(ofPartition partition: String?) -> String {
        // No partition is none of any name.
        hexadecimal(hash.hash(partition.map { "p\($0)" } ?? ""))
    }

    /// The file of a key.
    func name(of key: CacheKey) -> String {
        "\(name(ofPartition: key.partition))/\(hexadecimal(hash.hash(key.url)))"
    }

    /// The file of a body beside the file of its key.
    func name(ofBody number: UInt64, of key: CacheKey) -> String {
        "\(name(of: key))-\(hexadecimal(number))"
    }
}

// MARK: Files

extension FileCacheDirectory {
    /// The responses under a key; `nil` when there are none.
    ///
    /// - Throws: ``StoredResponses/Damage`` when what is there cannot be trusted, ``FileFault`` when
    ///   it cannot be read.
    func responses(for key: CacheKey) throws -> StoredResponses? {
        try fail(.read)
        guard let file = try root.read(name(of: key), upTo: Self.fileLimit) else { return nil }
        let stored = try StoredResponses(file, hash: hash)
        // Two keys with one name: the other's responses are not ours.
        return stored.key == key ? stored : nil
    }

    /// A body, `nil` when it is not what was stored.
    func body(of response: StoredResponses.Response) throws(FileFault) -> [UInt8]? {
        switch response.body {
        case .inside(let bytes):
            return Array(bytes)
        case .apart(let number, let expected):
            try fail(.read)
            let count = response.entry.bodyByteCount
            let bytes = try root.read(name(ofBody: number, of: response.entry.key), upTo: count)
            guard let bytes, bytes.count == count, hash.hash(bytes[...]) == expected else {
                return nil
            }
            return bytes
        }
    }

    /// Writes a file that nobody knows of yet; what came of a failed attempt is removed.
    func write(_ bytes: [UInt8], to name: String, in partition: String) throws(FileFault) {
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

    /// Gives a file another name, in place of what has it.
    func rename(_ name: String, to other: String) throws(FileFault) {
        try fail(.rename)
        try root.rename(name, to: other)
    }

    /// Removes a file; one that is not there is no fault.
    func remove(_ name: String, isDirectory: Bool = false) throws(FileFault) {
        try fail(.remove)
        try root.remove(name, isDirectory: isDirectory)
    }

    /// What is known of a file, `nil` when there is none.
    func status(of name: String) throws(FileFault) -> FileStatus? {
        try fail(.status)
        return try root.status(of: name)
    }

    /// Opens the directory of a partition.
    func open(_ name: String) throws(FileFault) -> OpenDirectory {
        try fail(.open)
        return try root.open(name)
    }

    /// The names at the top.
    func names() throws(FileFault) -> NameReader {
        try fail(.readDirectory)
        return try root.names()
    }

    /// Notes that what is under a key is used now.
    ///
    /// Times of one process always grow, so that their order is that of the uses.
    func markUse(of name: String) {
        let now = nanosecondsOfDay()
        var last = lastUse.load(ordering: .relaxed)
        while true {
            let next = max(now, last + 1)
            let (isExchanged, found) = lastUse.weakCompareExchange(
                expected: last, desired: next, ordering: .relaxed)
            if isExchanged { return root.mark(name, usedAt: next) }
            last = found
        }
    }

    /// Takes the directory among all processes; does not wait.
    func tryLock() -> Bool {
        guard faults?(.lock) == nil else { return false }
        return (try? root.tryLock()) ?? false
    }

    /// Gives the directory free again.
    func unlock() {
        root.unlock()
    }

    private func fail(_ call: FileFault.Call) throws(FileFault) {
        if let number = faults?(call) { throw FileFault(call: call, number: number) }
    }
}

/// The digits of a number, all of them.
func hexadecimal(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var rest = number
    var text = [UInt8](repeating: 0, count: number.bitWidth / 4)
    for place in text.indices.reversed() {
        text[place] = digits[Int(truncatingIfNeeded: rest) & 0xF]
        rest >>= 4
    }
    return String(decoding: text, as: UTF8.self)
}
