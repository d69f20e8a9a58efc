// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTesting
import TestSupport
import Testing

@testable import RestTransport

@Suite struct FileCacheStorageTests {
    private let directory = TemporaryDirectory()

    private static func checks(
        in directory: TemporaryDirectory
    ) -> [CacheStorageConformance.Check] {
        CacheStorageConformance(byteCount: 1 << 20) {
            try FileCacheStorage(directory: directory.path, byteCount: 1 << 20)
        }.checks
    }

    @Test(arguments: checks(in: TemporaryDirectory()).map(\.name))
    func conforms(check: String) async throws {
        let found = Self.checks(in: directory).first { $0.name == check }
        try await #require(found).run()
    }

    @Test func persistsResponsesAcrossRestarts() async throws {
        let entries = [
            CacheEntry.sample("a"), .sample("a", id: 2, byteCount: 50_000),
            .sample("b", partition: "p", byteCount: 0),
        ]
        for entry in entries {
            try await FileCacheStorage(directory: directory.path).store(entry)
        }
        let again = try FileCacheStorage(directory: directory.path)
        for entry in entries { #expect(await again.holds(entry)) }
    }

    @Test func persistsOrderOfUseAcrossRestarts() async throws {
        let entries = (0..<12).map { CacheEntry.sample("\($0)", byteCount: 60_000) }
        for entry in entries {
            try await FileCacheStorage(directory: directory.path, byteCount: 1 << 20).store(entry)
        }
        for number in [0, 3] {
            let storage = try FileCacheStorage(directory: directory.path, byteCount: 1 << 20)
            #expect(await storage.holds(entries[number]))
        }
        let storage = try FileCacheStorage(directory: directory.path, byteCount: 600_000)
        await storage.store(.sample("new", byteCount: 60_000))
        var kept: [Int] = []
        for number in entries.indices where await storage.holds(entries[number]) {
            kept.append(number)
        }
        // The oldest are evicted first, except those used since.
        #expect(Set([0, 3, 9, 10, 11]).isSubset(of: kept))
        #expect(Set([1, 2, 4, 5, 6]).isDisjoint(with: kept))
    }

    @Test(.threat("T47"))
    func neverExceedsSizeLimit() async throws {
        let limit = 1 << 20
        var storage = try FileCacheStorage(directory: directory.path, byteCount: limit)
        var written = 0
        var largest = 0
        var number = 0
        while written < 10 * limit {
            // An occasional restart, which does not know the size of the files.
            if number % 97 == 96 {
                storage = try FileCacheStorage(directory: directory.path, byteCount: limit)
            }
            let byteCount = [10, 3_000, 9_000, 40_000][number % 4]
            let entry = CacheEntry.sample(
                "\(number % 400)", id: UInt64(number), byteCount: byteCount)
            await storage.store(entry)
            #expect(await storage.holds(entry))
            largest = max(largest, try directory.byteCount)
            written += byteCount
            number += 1
        }
        #expect(largest <= limit)
        #expect(largest > limit / 2)
    }

    @Test func limitsResponsesWithOneKey() async throws {
        let storage = try FileCacheStorage(directory: directory.path)
        for id in 0..<100 as Range<UInt64> {
            await storage.store(.sample("a", id: id, byteCount: id % 2 == 0 ? 20_000 : 10))
        }
        let ids = await storage.entries(for: CacheKey("a")).map(\.id)
        #expect(ids.sorted() == Array(68..<100))
        #expect(try directory.files.count == 1 + 16)
    }

    @Test func removesUnreferencedFiles() async throws {
        let storage = try FileCacheStorage(directory: directory.path)
        let entries = (0..<4).flatMap { number in
            [10, 50_000].map {
                CacheEntry.sample("\(number)", id: UInt64($0), partition: "p", byteCount: $0)
            }
        }
        for entry in entries + entries { await storage.store(entry) }
        #expect(try directory.files.count == 8)
        for entry in entries.prefix(2) { await storage.remove(entry) }
        await storage.removeEntries(for: entries[2].key)
        #expect(try directory.files.count == 4)
        await storage.removeEntries(inPartition: "p")
        #expect(try directory.files.isEmpty)
    }

    /// One rename removes a partition of any size; its files are deleted afterwards.
    @Test func removesPartitionWithoutOpeningFiles() async throws {
        let opened = Counter()
        let storage = try FileCacheStorage(
            directory: directory.path, byteCount: 1 << 24, logger: nil,
            faults: { call in
                if call == .read || call == .status { opened.add() }
                return nil
            })
        for number in 0..<300 {
            await storage.store(.sample("\(number)", partition: "p", byteCount: 10))
        }
        let before = opened.count
        await storage.removeEntries(inPartition: "p")
        #expect(opened.count == before)
        #expect(try directory.files.isEmpty)
    }

    @Test func removesFilesOfKilledProcess() async throws {
        let first = try FileCacheStorage(directory: directory.path)
        let entry = CacheEntry.sample("a", byteCount: 40_000)
        await first.store(entry)
        let partition = try #require(try directory.files.first).prefix(32)
        let leftovers = [
            "\(partition)/t-00000000000000ff",
            "\(partition)/\(String(repeating: "a", count: 32))-00000000000000ff",
        ]
        let underWay = "\(partition)/t-00000000000000fe"
        for name in leftovers + [underWay] { try directory.write([1, 2, 3], to: name) }
        for name in leftovers { try directory.setAge(3_600, of: name) }
        let gone = directory.path + "/gone-00000000000000ff"
        try FileManager.default.createDirectory(
            atPath: gone, withIntermediateDirectories: false)
        try directory.write([1], to: "gone-00000000000000ff/x")

        let second = try FileCacheStorage(directory: directory.path)
        await second.store(.sample("b"))
        for name in leftovers { #expect(!directory.exists(name)) }
        #expect(!FileManager.default.fileExists(atPath: gone))
        #expect(directory.exists(underWay))
        #expect(await second.holds(entry))
    }
}
