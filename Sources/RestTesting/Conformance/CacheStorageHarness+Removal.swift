// SPDX-License-Identifier: Apache-2.0

import RestTransport

extension CacheStorageHarness {
    func removesOne() async throws {
        let key = Self.key("one")
        for byteCount in [200, 40_000] {
            for id in 1...3 as ClosedRange<UInt64> {
                await store(key, id: id, byteCount: byteCount)
            }
            let entry = Self.entry(key, id: 2, byteCount: byteCount)
            await storage.remove(entry)
            await storage.remove(entry)
            try await requireIDs([1, 3], under: key, "after removing ID 2 twice")
            try require(await storage.body(of: entry) == nil, "the removed entry has a body")
            try await requireBody(
                Self.body(key, id: 3, byteCount: byteCount),
                of: Self.entry(key, id: 3, byteCount: byteCount), "of a remaining response")
        }
    }

    func removesKey() async throws {
        let (key, other) = (Self.key("removed"), Self.key("other"))
        for id in 1...3 as ClosedRange<UInt64> { await store(key, id: id, byteCount: 30_000) }
        await store(other)
        await storage.removeEntries(for: key)
        await storage.removeEntries(for: Self.key("unknown"))
        try await requireIDs([], under: key, "after removing the key")
        try await requireIDs([1], under: other, "for another key")
        let entry = Self.entry(key, id: 3, byteCount: 30_000)
        try require(await storage.body(of: entry) == nil, "a removed entry has a body")
    }

    func removesPartition() async throws {
        let partitions: [String?] = [nil, "", "a", "b"]
        for removed in partitions {
            for partition in partitions {
                for name in ["x", "y"] { await store(Self.key(name, partition: partition)) }
            }
            await storage.removeEntries(inPartition: removed)
            await storage.removeEntries(inPartition: "unknown")
            for partition in partitions {
                for name in ["x", "y"] {
                    try await requireIDs(
                        partition == removed ? [] : [1],
                        under: Self.key(name, partition: partition),
                        "after removing \(removed ?? "no partition"), "
                            + "in \(partition ?? "no partition")")
                }
            }
        }
    }

    func removesEverything() async throws {
        let keys = ["x", "y"].flatMap { [Self.key($0), Self.key($0, partition: "p")] }
        for key in keys { await store(key, byteCount: 20_000) }
        await storage.removeAll()
        for key in keys { try await requireIDs([], under: key, "after removing everything") }
        await store(keys[0])
        try await requireIDs([1], under: keys[0], "after storing again")
    }
}

// MARK: Capacity

extension CacheStorageHarness {
    private var piece: Int { capacity / 16 }

    func staysWithinCapacity() async throws {
        let keys = (0..<160).map { Self.key("capacity/\($0)", partition: $0 % 3 == 0 ? "p" : nil) }
        for (count, key) in keys.enumerated() {
            await store(key, byteCount: piece)
            try await requireIDs([1], under: key, "immediately after storing")
            if count % 10 == 9 {
                var byteCount = 0
                for key in keys[...count] {
                    byteCount += await storage.entries(for: key).reduce(0) { $0 + $1.bodyByteCount }
                }
                try require(
                    byteCount <= capacity,
                    "\(byteCount) bytes of bodies after \(count + 1) of \(piece) each, at most "
                        + "\(capacity) are expected")
                try require(byteCount >= capacity / 2, "only \(byteCount) bytes are kept")
            }
        }
    }

    func evictsLeastRecentlyUsed() async throws {
        for number in 0..<10 { await store(Self.key("old/\(number)"), byteCount: piece) }
        let (read, listed) = (Self.key("old/0"), Self.key("old/1"))
        for number in 0..<8 {
            _ = await storage.body(of: Self.entry(read, byteCount: piece))
            _ = await storage.entries(for: listed)
            await store(Self.key("new/\(number)"), byteCount: piece)
        }
        try await requireIDs([1], under: read, "for the response that was read repeatedly")
        try await requireIDs([], under: listed, "for the response that was only listed")
        try await requireIDs([1], under: Self.key("new/7"), "for the response that was stored last")
    }

    func rejectsBeyondCapacity() async throws {
        let (small, large) = (Self.key("small"), Self.key("large"))
        await store(small)
        await store(large)
        await store(large, byteCount: capacity + 1)
        try await requireIDs([], under: large, "after storing a response beyond the capacity")
        try await requireIDs([1], under: small, "for the earlier response")
    }
}

// MARK: Concurrency

extension CacheStorageHarness {
    func isConsistentForConcurrentTasks() async throws {
        try await withThrowingTaskGroup { group in
            for task in 0..<8 as Range<UInt64> {
                group.addTask {
                    var random = SplitMix64(seed: task)
                    for _ in 0..<100 { try await self.performRandomOperation(&random) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func performRandomOperation(_ random: inout SplitMix64) async throws {
        let partition = random.next(below: 2) == 0 ? nil : "p"
        let key = Self.key("task/\(random.next(below: 4))", partition: partition)
        let id = UInt64(random.next(below: 3))
        let byteCount = id == 0 ? 20_000 : 800
        switch random.next(below: 12) {
        case 0: await storage.remove(Self.entry(key, id: id, byteCount: byteCount))
        case 1: await storage.removeEntries(for: key)
        case 2 where random.next(below: 4) == 0:
            await storage.removeEntries(inPartition: partition)
        case 3, 4: await storage.update(Self.entry(key, id: id, byteCount: byteCount))
        case 5, 6, 7: await store(key, id: id, byteCount: byteCount)
        default:
            for entry in await storage.entries(for: key) {
                let expected = stored(entry)
                try require(
                    entry == expected, "the entry with ID \(entry.id) was never stored")
                if let body = await storage.body(of: entry) {
                    try require(
                        body == Self.body(key, id: entry.id, byteCount: entry.bodyByteCount),
                        "the body of ID \(entry.id) belongs to another response")
                }
            }
        }
    }

    private func stored(_ entry: CacheEntry) -> CacheEntry {
        Self.entry(entry.key, id: entry.id, byteCount: entry.id == 0 ? 20_000 : 800)
    }
}
