// SPDX-License-Identifier: Apache-2.0

import InMemoryLogging
import Logging
import TestSupport
import Testing

@testable import RestTransport

/// Files that were changed after they were written.
@Suite struct FileCacheCorruptionTests {
    private let directory = TemporaryDirectory()
    private let storage: FileCacheStorage
    private let log: InMemoryLogHandler

    init() throws {
        let (logger, log) = Logger.recording()
        self.log = log
        storage = try FileCacheStorage(directory: directory.path, logger: logger)
    }

    /// Returns corrupt versions of a file: flipped bits, truncated, extended, and other content.
    private func corruptions(of file: [UInt8]) -> [[UInt8]] {
        let offsets =
            file.count < 1_000
            ? Array(file.indices) : Array(stride(from: 0, to: file.count, by: 997))
        let flipped = offsets.map { offset in
            var copy = file
            copy[offset] ^= 1 << UInt8(offset % 8)
            return copy
        }
        let truncated = offsets.map { Array(file[..<$0]) }
        let others = [file + [0], file + file, Array(repeating: 0, count: file.count), [0xFF]]
        return flipped + truncated + others
    }

    @Test(.threat("T46"), arguments: [150, 20_000])
    func removesCorruptFiles(byteCount: Int) async throws {
        let entry = CacheEntry.sample("a", byteCount: byteCount)
        let other = CacheEntry.sample("other", byteCount: byteCount)
        await storage.store(other)
        let others = try Set(directory.files)
        var count = 0
        await storage.store(entry)
        for index in try directory.files.filter({ !others.contains($0) }).indices {
            await storage.removeEntries(for: entry.key)
            await storage.store(entry)
            let names = try directory.files.filter { !others.contains($0) }
            let good = try directory.read(names[index])
            for corrupt in corruptions(of: good) {
                await storage.store(entry)
                let name = try #require(
                    try directory.files.filter { !others.contains($0) }.dropFirst(index).first)
                try directory.write(corrupt, to: name)
                log.clear()
                let found = await storage.entries(for: entry.key)
                let body = await storage.body(of: entry)
                #expect(found.isEmpty || found == [entry])
                #expect(body == nil)
                #expect(await storage.entries(for: entry.key).isEmpty)
                #expect(log.entries.map(\.level) == [.warning])
                #expect(try directory.files.filter { !others.contains($0) }.count <= 1)
                count += 1
                await storage.removeEntries(for: entry.key)
                for leftover in try directory.files where !others.contains(leftover) {
                    try directory.remove(leftover)
                }
            }
        }
        #expect(count > 300)
        #expect(await storage.holds(other))
    }

    @Test(.threat("T46"))
    func rejectsFilesOfOtherDirectories() async throws {
        let elsewhere = TemporaryDirectory()
        let entry = CacheEntry.sample("a")
        await storage.store(entry)
        try await FileCacheStorage(directory: elsewhere.path).store(entry)
        let foreign = try elsewhere.read(try #require(try elsewhere.files.first))
        try directory.write(foreign, to: try #require(try directory.files.first))
        #expect(await storage.entries(for: entry.key).isEmpty)
        #expect(try directory.files.isEmpty)

        // The file of another key, as after a collision of hashes, is not used and stays.
        await storage.store(entry)
        let name = try #require(try directory.files.first)
        let other = CacheEntry.sample("other")
        await storage.store(other)
        let otherName = try #require(try directory.files.first { $0 != name })
        try directory.write(try directory.read(name), to: otherName)
        #expect(await storage.entries(for: other.key).isEmpty)
        #expect(await storage.body(of: other) == nil)
        #expect(try directory.read(otherName) == directory.read(name))
        await storage.store(other)
        #expect(await storage.holds(other))
    }

    /// The bodies of two responses are exchanged, so that lengths and files are valid.
    @Test(.threat("T46"))
    func rejectsBodyOfOtherResponse() async throws {
        let (one, two) = (
            CacheEntry.sample("a", byteCount: 30_000),
            CacheEntry.sample("a", id: 2, byteCount: 30_000)
        )
        await storage.store(one)
        await storage.store(two)
        let bodies = try directory.files.filter { $0.utf8.count > 65 }
        try #require(bodies.count == 2)
        let contents = try bodies.map { try directory.read($0) }
        for (name, content) in zip(bodies, contents.reversed()) {
            try directory.write(content, to: name)
        }
        #expect(await storage.body(of: one) == nil)
        #expect(await storage.body(of: two) == nil)
        #expect(await storage.entries(for: one.key).isEmpty)
    }

    @Test(.threat("T46"))
    func replacesCorruptMarker() async throws {
        let entry = CacheEntry.sample("a")
        await storage.store(entry)
        let marker = try directory.read(FileCacheDirectory.markerName)
        for corrupt in corruptions(of: marker) {
            try directory.write(corrupt, to: FileCacheDirectory.markerName)
            let (logger, log) = Logger.recording()
            let again = try FileCacheStorage(directory: directory.path, logger: logger)
            #expect(await again.entries(for: entry.key).isEmpty)
            #expect(log.entries.count == 1)
            await again.store(entry)
            #expect(await again.holds(entry))
        }
    }

    @Test(.threat("T46"))
    func logsNothingOfRequests() async throws {
        let entry = CacheEntry.sample("secret?token=canary", partition: "canary")
        await storage.store(entry)
        let name = try #require(try directory.files.first)
        try directory.write([1], to: name)
        #expect(await storage.entries(for: entry.key).isEmpty)
        let line = try #require(log.entries.first)
        #expect(line.metadata["file"] == "\(name)")
        #expect(!"\(line)".contains("canary"))
        #expect(!"\(line)".contains("example.com"))
    }

    @Test(.threat("T46"))
    func followsNoSymbolicLinks() async throws {
        let entry = CacheEntry.sample("a")
        await storage.store(entry)
        let name = try #require(try directory.files.first)
        let copy = directory.path + "-copy"
        try directory.move(name, to: copy)
        defer { try? directory.removeOutside(copy) }
        try directory.link(name, to: copy)
        #expect(await storage.entries(for: entry.key).isEmpty)
        #expect(await storage.body(of: entry) == nil)
        #expect(!directory.exists(name))
    }
}
