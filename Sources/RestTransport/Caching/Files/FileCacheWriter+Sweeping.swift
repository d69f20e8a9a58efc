// SPDX-License-Identifier: Apache-2.0

import Logging

/// Going through the directory, with a pause for others after some files.
extension FileCacheWriter {
    /// A file that was found in a partition.
    private struct Found {
        let key: UInt128
        let partition: Int32
        let isBody: Bool
        let number: UInt64
        let modified: Int64
        let size: Int
    }

    /// All files of one key.
    private struct Group {
        let lastUse: Int64
        let size: Int
        let files: Range<Int>
    }

    /// Files looked at before others have a turn.
    private static let stepCount = 256

    /// A file that nobody finished or named, and that is as old, is left over from a killed process.
    private static let leftoverAge: Int64 = 600_000_000_000

    /// Looks what there is and removes groups, the one least recently used first.
    ///
    /// - Parameter target: What may stay, given what there is.
    func sweep(target: (Int) -> Int) async {
        byteCount = 0
        var found: [Found] = []
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
            if count % Self.stepCount == 0 { await Task.yield() }
        }
    }

    /// The names of all partitions.
    func partitionNames() throws(FileFault) -> [String] {
        try topNames { $0.utf8.count == 32 && UInt128($0, radix: 16) != nil }
    }

    /// Removes a directory that is out of use, and what is in it.
    func removeContents(of name: String) async {
        do {
            let inside = try directory.open(name)
            while case let names = try inside.names().next(Self.stepCount), !names.isEmpty {
                for file in names { try directory.remove("\(name)/\(file)") }
                await Task.yield()
            }
            try directory.remove(name, isDirectory: true)
        } catch  where error.isMissing {
            // Another one has removed it.
        } catch {
            // It is tried again whenever the bound is reached.
            logger?.warning(
                "stored responses not removed", metadata: ["file": "\(name)", "reason": "\(error)"])
        }
    }

    private func leftoverNames() throws(FileFault) -> [String] {
        try topNames { $0.hasPrefix("gone-") }
    }

    private func topNames(where isMeant: (String) -> Bool) throws(FileFault) -> [String] {
        let reader = try directory.names()
        var result: [String] = []
        while case let names = reader.next(Self.stepCount), !names.isEmpty {
            result += names.filter(isMeant)
        }
        return result
    }

    private func list(_ name: String, _ index: Int32, in found: inout [Found]) async throws {
        let inside = try directory.open(name)
        let reader = try inside.names()
        var isEmpty = true
        let oldest = nanosecondsOfDay() - Self.leftoverAge
        while case let names = reader.next(Self.stepCount), !names.isEmpty {
            isEmpty = false
            for file in names {
                guard let status = try inside.status(of: file) else { continue }
                if file.hasPrefix("t-"), status.modified < oldest {
                    try? directory.remove("\(name)/\(file)")
                }
                guard let (key, number) = Self.parse(file) else { continue }
                found.append(
                    Found(
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

    /// Groups sorted files; bodies that nothing names are removed when they are old.
    private func groups(of found: [Found], _ partitions: [String]) -> [Group] {
        var groups: [Group] = []
        let oldest = nanosecondsOfDay() - Self.leftoverAge
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

    private func remove(_ file: Found, _ partitions: [String]) {
        let key = "\(partitions[Int(file.partition)])/\(hexadecimal(file.key))"
        do {
            try directory.remove(file.isBody ? "\(key)-\(hexadecimal(file.number))" : key)
            byteCount? -= file.size
        } catch {
            logger?.warning(
                "stored response not removed", metadata: ["file": "\(key)", "reason": "\(error)"])
        }
    }
}
