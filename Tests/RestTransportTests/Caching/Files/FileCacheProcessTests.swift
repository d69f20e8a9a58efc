// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import InMemoryLogging
import Logging
import TestSupport
import Testing

@testable import RestTransport

/// Killed and concurrent processes.
@Suite(.serialized) struct FileCacheProcessTests {
    /// Returns a response; each key has one at a time, and its id determines its field, length and
    /// bytes.
    static func entry(_ number: Int) -> CacheEntry {
        .sample(
            "\(number % 5)", id: UInt64(number % 3),
            byteCount: number % 2 == 0 ? 100 + number % 900 : 17_000 + number % 9_000)
    }

    /// Checks all stored responses.
    ///
    /// - Returns: The number of responses.
    static func check(_ storage: FileCacheStorage) async -> Int {
        var count = 0
        for key in 0..<5 {
            for entry in await storage.entries(for: CacheKey("\(key)")) {
                let tag = entry.head.headerFields[.eTag]
                #expect(tag == "\"\(entry.bodyByteCount)-\(entry.id)\"")
                if let body = await storage.body(of: entry) {
                    #expect(body == entry.sampleBody)
                    count += 1
                }
            }
        }
        return count
    }

    /// A process stores responses until it is killed at a random time, repeatedly in one directory:
    /// 25 times, or `RESTKIT_KILLS` times, which `scripts/crash-test` sets.
    @Test(.threat("T46"), .tags(.slow))
    func survivesBeingKilledWhileStoring() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path
        let kills = TestEnvironment.number("RESTKIT_KILLS") ?? 25
        var (survivors, corrupt) = (0, 0)
        for kill in 0..<kills {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, kill = kill as Int] in
                let storage = try FileCacheStorage(directory: path, byteCount: 400_000)
                Thread.detachNewThread {
                    usleep(UInt32(1_000 + (kill * 7_919) % 30_000))
                    raise(SIGKILL)
                }
                var number = kill * 1_000
                while true {
                    await storage.store(FileCacheProcessTests.entry(number))
                    number += 1
                }
            }
            let (logger, log) = Logger.recording()
            let storage = try FileCacheStorage(
                directory: path, byteCount: 400_000, logger: logger)
            survivors += await Self.check(storage)
            // No file is partly written.
            corrupt += log.entries.count
            #expect(log.entries.isEmpty)
            #expect(try directory.byteCount <= 500_000)
        }
        #expect(survivors > kills)
        print("\(kills) kills: \(survivors) responses read back complete, \(corrupt) corrupt")
    }

    /// Two processes store, update and remove responses with the same keys, and check those of the
    /// other.
    @Test(.threat("T46"))
    func neverMixesResponsesOfTwoProcesses() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path
        async let other: Void = Self.mix(path, seed: 2)
        await #expect(processExitsWith: .success) { [path = path as String] in
            try await FileCacheProcessTests.mix(path, seed: 1)
        }
        try await other
        #expect(try directory.byteCount <= 600_000)
    }

    static func mix(_ path: String, seed: Int) async throws {
        let (logger, log) = Logger.recording()
        let storage = try FileCacheStorage(directory: path, byteCount: 500_000, logger: logger)
        var seen = 0
        for step in 0..<400 {
            let number = step * 31 + seed
            switch step % 7 {
            case 0: await storage.removeEntries(for: CacheKey("\(number % 5)"))
            case 1: await storage.update(entry(number))
            case 2: await storage.remove(entry(number))
            case 3: seen += await check(storage)
            default: await storage.store(entry(number))
            }
        }
        #expect(seen > 50)
        // The other process may replace a body between the lookup and the read, and nothing else.
        #expect(log.entries.allSatisfy { "\($0.metadata)".contains("corrupt or missing") })
    }
}
