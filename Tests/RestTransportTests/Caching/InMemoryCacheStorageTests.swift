// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import TestSupport
import Testing

@Suite struct InMemoryCacheStorageTests {
    private func entry(
        _ number: Int, id: UInt64 = 1, partition: String? = nil, byteCount: Int = 1000
    ) -> CacheEntry {
        CacheEntry(
            key: CacheKey(url: "http://api.example/\(number)", partition: partition), id: id,
            selectingFields: [:], head: CacheSamples.head(), requestDate: CacheSamples.now,
            responseDate: CacheSamples.now, bodyByteCount: byteCount)
    }

    private func body(_ number: Int) -> [UInt8] {
        Array(repeating: UInt8(truncatingIfNeeded: number), count: 1000)
    }

    @Test func evictsLeastRecentlyUsed() async {
        let storage = InMemoryCacheStorage(byteCount: 10 * 1600)
        for number in 0..<10 { await storage.store(entry(number), body: body(number)) }
        #expect(await storage.body(of: entry(0)) == body(0))
        _ = await storage.entries(for: entry(1).key)
        await storage.store(entry(10), body: body(10))
        #expect(await storage.body(of: entry(0)) == body(0))
        #expect(await storage.body(of: entry(1)) == nil)
        #expect(await storage.entries(for: entry(1).key).isEmpty)
        #expect(storage.usedByteCount <= storage.byteCount)
    }

    @Test func neverExceedsItsLimit() async {
        let storage = InMemoryCacheStorage(byteCount: 50_000)
        for number in 0..<5000 {
            let byteCount = Int.random(in: 0..<3000)
            let bytes = Array(repeating: UInt8(1), count: byteCount)
            let sample = entry(number % 90, id: UInt64(number % 3), byteCount: byteCount)
            await storage.store(sample, body: bytes)
            if number % 7 == 0 { await storage.remove(entry(number % 50, id: 1)) }
            if number % 11 == 0 { await storage.removeEntries(for: entry(number % 50).key) }
            #expect(storage.usedByteCount <= 50_000)
        }
        await storage.store(entry(1), body: Array(repeating: 1, count: 50_001))
        #expect(await storage.entries(for: entry(1).key).allSatisfy { $0.id != 1 })
        #expect(storage.count > 0)
        for number in 0..<90 { await storage.removeEntries(for: entry(number).key) }
        #expect(storage.count == 0 && storage.usedByteCount == 0)
    }

    @Test func storesSeveralResponsesWithOneKey() async {
        let storage = InMemoryCacheStorage()
        await storage.store(entry(1, id: 1), body: body(1))
        await storage.store(entry(1, id: 2), body: body(2))
        await storage.store(entry(1, id: 1), body: body(3))
        #expect(await storage.entries(for: entry(1).key).count == 2)
        #expect(await storage.body(of: entry(1, id: 1)) == body(3))
        await storage.remove(entry(1, id: 1))
        #expect(await storage.body(of: entry(1, id: 1)) == nil)
        #expect(await storage.body(of: entry(1, id: 2)) == body(2))
    }

    @Test func updatesOnlyExistingEntries() async {
        let storage = InMemoryCacheStorage()
        var changed = entry(1)
        changed.isMapped = true
        await storage.update(changed)
        #expect(await storage.entries(for: changed.key).isEmpty)
        await storage.store(entry(1), body: body(1))
        await storage.update(changed)
        #expect(await storage.entries(for: changed.key) == [changed])
        #expect(await storage.body(of: changed) == body(1))
    }

    @Test func removesByPartitionAndEverything() async {
        let storage = InMemoryCacheStorage()
        for partition in [nil, "a", "b"] {
            await storage.store(entry(1, partition: partition), body: body(1))
        }
        await storage.removeEntries(inPartition: "a")
        #expect(await storage.entries(for: entry(1, partition: "a").key).isEmpty)
        #expect(storage.count == 2)
        await storage.removeEntries(inPartition: nil)
        #expect(storage.count == 1)
        await storage.removeAll()
        #expect(storage.count == 0 && storage.usedByteCount == 0)
    }
}
