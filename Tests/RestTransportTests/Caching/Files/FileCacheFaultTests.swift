// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RestTransport

/// Failing system calls.
@Suite struct FileCacheFaultTests {
    private let directory = TemporaryDirectory()

    /// A sequence of changes in which one call fails.
    ///
    /// Each key then has an entry that was stored with it, with its own body, or nothing.
    /// Afterwards everything works again.
    @Test(.threat("T46"), arguments: [ENOSPC, EIO])
    func keepsCompleteResponsesWhicheverCallFails(number: CInt) async throws {
        let counter = Counter()
        let failing = Box(0)
        let storage = try FileCacheStorage(
            directory: directory.path, byteCount: 256 << 10, logger: nil,
            faults: { _ in counter.add() == failing.value ? number : nil })
        var failed = 0
        while true {
            await storage.removeAll()
            let count = counter.count
            failed += 1
            failing.value = count + failed
            var model: [CacheKey: [CacheEntry]] = [:]
            func store(_ entry: CacheEntry) async {
                model[entry.key, default: []].append(entry)
                await storage.store(entry)
            }
            await store(.sample("a", byteCount: 100))
            await store(.sample("a", byteCount: 30_000))
            await store(.sample("b", id: 1, byteCount: 40_000))
            await store(.sample("b", id: 2, byteCount: 50))
            await storage.update(.sample("b", id: 1, byteCount: 40_000))
            await store(.sample("a", byteCount: 200))
            await store(.sample("a", byteCount: 20_000))
            await storage.remove(.sample("b", id: 2, byteCount: 50))
            for number in 0..<8 { await store(.sample("n\(number)", byteCount: 40_000)) }
            let isBeyondTheEnd = counter.count < failing.value
            failing.value = 0
            for (key, stored) in model {
                for entry in await storage.entries(for: key) {
                    #expect(stored.contains(entry))
                    let body = await storage.body(of: entry)
                    #expect(body == nil || body == entry.sampleBody)
                }
            }
            // A replaced response is gone, whether or not the new one was stored.
            #expect(await !storage.holds(.sample("a", byteCount: 30_000)))
            let entry = CacheEntry.sample("after", byteCount: 20_000)
            await storage.store(entry)
            #expect(await storage.holds(entry))
            // The next response evicts what could not be removed.
            #expect(try directory.byteCount <= 256 << 10)
            if isBeyondTheEnd { break }
        }
        #expect(failed > 50)
    }

    /// A disk smaller than the limit: the oldest responses are evicted, and new ones are stored.
    @Test(.threat("T46"))
    func evictsResponsesOnFullDisk() async throws {
        let directory = directory
        let storage = try FileCacheStorage(
            directory: directory.path, byteCount: 1 << 30, logger: nil,
            faults: { call in
                guard call == .write else { return nil }
                return (try? directory.byteCount).map { $0 > 400_000 } == true ? ENOSPC : nil
            })
        for number in 0..<60 {
            let entry = CacheEntry.sample("\(number)", byteCount: 20_000)
            await storage.store(entry)
            #expect(await storage.holds(entry))
        }
        #expect(await !storage.holds(.sample("0", byteCount: 20_000)))
        #expect(try directory.byteCount <= 450_000)
    }

    /// A disk without space: no old response is served instead of a new one.
    @Test(.threat("T46"))
    func servesNoOldResponseWhenWritingFails() async throws {
        let isFull = Box(0)
        let storage = try FileCacheStorage(
            directory: directory.path, byteCount: 1 << 20, logger: nil,
            faults: { $0 == .write && isFull.value == 1 ? ENOSPC : nil })
        let old = CacheEntry.sample("a", byteCount: 50)
        let updated = CacheEntry.sample("b", byteCount: 50)
        await storage.store(old)
        await storage.store(updated)
        isFull.value = 1
        await storage.store(.sample("a", byteCount: 60))
        #expect(await storage.entries(for: old.key).isEmpty)
        await storage.update(updated)
        #expect(await storage.entries(for: updated.key).isEmpty)
        #expect(try directory.files.isEmpty)
    }
}

/// A number that tasks can change and read concurrently.
final class Box: Sendable {
    private let storage: Mutex<Int>

    init(_ value: Int) { storage = Mutex(value) }

    var value: Int {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}
