// SPDX-License-Identifier: Apache-2.0

import Logging
import RestSyntax

/// Sweeps of the directory, which yield to other tasks after a number of files.
extension FileCacheWriter {
    /// A file in a partition.
    private struct File {
        let key: UInt128
        let partition: Int32
        let isBody: Bool
        let number: UInt64
        let modified: Int64
        let size: Int
    }

    /// The files of one key.
    private struct Group {
        let lastUse: Int64
        let size: Int
        let files: Range<Int>
    }

    /// The number of files between two yields.
    private static let batchCount = 256

    /// The age in nanoseconds at which an incomplete or unreferenced file counts as left over from
    /// a killed process.
    private static let leftoverAge: Int64 = 600_000_000_000

    /// Determines the size of all files and removes the least recently used groups.
    ///
    /// - Parameter target: A closure that returns the size to keep, given the size of all files.
    func sweep(target: (Int) -> Int) async {
        byteCount = 0
        var found: [File] = []
        var partitions: [String] = []
        do {
            partitions = try partitionNames()
            for name in try leftoverNames() { await removeContents(of: name) }
            for (index, name) in partitions.enumerated() {
                try await list(name, Int32(index), in: &found)
            }
        } catch {
            logger?.warning("stored responses not listed", metadata: ["reason": "\(error)"])
        }
        found.sort {
            ($0.partition, $0.key, $0.isBody ? 1 : 0) < ($1.partition, $1.key, $1.isBody ? 1 : 0)
        }
        var groups = groups(of: found, partitions)
        let used = groups.reduce(0) { $0 + $1.size }
        byteCount = used
        writtenByteCount = 0
        let limit = target(used)
        guard used > limit else { return }
        groups.sort { $0.lastUse < $1.lastUse }
        for (count, group) in groups.enumerated() {
            if byteCount ?? 0 <= limit { break }
            for file in found[group.files] { remove(file, partitions) }
            if count % Self.batchCount == 0 { await Task.yield() }
        }
    }

    /// Returns the names of all partitions.
    func partitionNames() throws(SystemCallError) -> [String] {
        try topNames { $0.utf8.count == 32 && UInt128($0, radix: 16) != nil }
    }

    /// Removes an unused directory and its files.
    func removeContents(of name: String) async {
        do {
            let inside = try directory.open(name)
            while case let names = try inside.names().next(Self.batchCount), !names.isEmpty {
                for file in names { try directory.remove("\(name)/\(file)") }
                await Task.yield()
            }
            try directory.remove(name, isDirectory: true)
        } catch  where error.isMissing {
            // Another process has removed it.
        } catch {
            // Each sweep tries again.
            logger?.warning(
                "stored responses not removed", metadata: ["file": "\(name)", "reason": "\(error)"])
        }
    }

    private func leftoverNames() throws(SystemCallError) -> [String] {
        try topNames { $0.hasPrefix("gone-") }
    }

    private func topNames(where isIncluded: (String) -> Bool) throws(SystemCallError) -> [String] {
        let reader = try directory.names()
        var result: [String] = []
        while case let names = reader.next(Self.batchCount), !names.isEmpty {
            result += names.filter(isIncluded)
        }
        return result
    }

    private func list(_ name: String, _ index: Int32, in found: inout [File]) async throws {
        let inside = try directory.open(name)
        let reader = try inside.names()
        var isEmpty = true
        let oldest = currentNanoseconds() - Self.leftoverAge
        while case let names = reader.next(Self.batchCount), !names.isEmpty {
            isEmpty = false
            for file in names {
                guard let status = try inside.status(of: file) else { continue }
                if file.hasPrefix("t-"), status.modified < oldest {
                    try? directory.remove("\(name)/\(file)")
                }
                guard let (key, number) = Self.parse(file) else { continue }
                found.append(
                    File(
                        key: key, partition: index, isBody: number != nil, number: number ?? 0,
                        modified: status.modified, size: Self.size(status.byteCount)))
            }
            await Task.yield()
        }
        if isEmpty { try? directory.remove(name, isDirectory: true) }
    }

    private static func parse(_ name: String) -> (key: UInt128, number: UInt64?)? {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts[0].utf8.count == 32, let key = UInt128(parts[0], radix: 16) else { return nil }
        if parts.count == 1 { return (key, nil) }
        guard parts.count == 2, parts[1].utf8.count == 16,
            let number = UInt64(parts[1], radix: 16)
        else { return nil }
        return (key, number)
    }

    /// Groups sorted files, and removes old bodies without a response file.
    private func groups(of found: [File], _ partitions: [String]) -> [Group] {
        var groups: [Group] = []
        let oldest = currentNanoseconds() - Self.leftoverAge
        var start = 0
        while start < found.count {
            let first = found[start]
            var end = start
            var size = 0
            while end < found.count, found[end].key == first.key,
                found[end].partition == first.partition
            {
                size += found[end].size
                end += 1
            }
            if first.isBody, found[start..<end].allSatisfy({ $0.modified < oldest }) {
                for file in found[start..<end] { remove(file, partitions) }
            } else {
                groups.append(Group(lastUse: first.modified, size: size, files: start..<end))
            }
            start = end
        }
        return groups
    }

    private func remove(_ file: File, _ partitions: [String]) {
        let key = "\(partitions[Int(file.partition)])/\(Hexadecimal.text(of: file.key))"
        do {
            try directory.remove(file.isBody ? "\(key)-\(Hexadecimal.text(of: file.number))" : key)
            byteCount? -= file.size
        } catch {
            logger?.warning(
                "stored response not removed", metadata: ["file": "\(key)", "reason": "\(error)"])
        }
    }
}
