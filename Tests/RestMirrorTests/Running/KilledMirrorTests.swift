// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestMirror
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Runs whose processes are killed.
@Suite(.serialized, .tags(.socket)) struct KilledMirrorTests {
    /// Runs a mirror until the process is killed, some time after a number of pages.
    private static func run(
        _ base: String, _ path: String, killedAfter pageCount: Int, microseconds: UInt32
    ) async throws {
        let mirror = try await APIMirror(
            .items(at: base, by: .linkHeader), at: URL(filePath: path), over: CurlTransport())
        let counter = PageCounter(pageCount)
        while true {
            _ = try await mirror.run { event in
                guard case .page = event, counter.isLast() else { return }
                Thread.detachNewThread {
                    usleep(microseconds)
                    raise(SIGKILL)
                }
            }
        }
    }

    /// A process is killed some milliseconds after up to eight pages, and the next one continues: 10 times, or
    /// `RESTKIT_KILLS` times.
    ///
    /// The rows are in the end those of the server, and at no time one is missing that the
    /// server has and the file had.
    @Test(.tags(.slow)) func endsLikeUninterruptedRun() async throws {
        let kills = TestEnvironment.number("RESTKIT_KILLS") ?? 10
        let file = try MirrorFile()
        var generator = SplitMix64(seed: 5)
        try await AdversarialAPI.run(.init(paging: .linkHeader, seed: 5)) { api in
            api.insert(count: 120)
            var known: Set<Int> = []
            for _ in 0..<kills {
                let base = api.baseURL
                let path = file.url.path(percentEncoded: false)
                let pages = 1 + generator.next(below: 8)
                let delay = UInt32(generator.next(below: 8_000))
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        base = base as String, path = path as String, pages = pages as Int,
                        delay = delay as UInt32
                    ] in
                    try await Self.run(base, path, killedAfter: pages, microseconds: delay)
                }
                let ids = Set((try? file.integers("SELECT id FROM Item")) ?? [])
                let onServer = Set(api.records.map(\.id))
                #expect(known.subtracting(ids).isDisjoint(with: onServer))
                known = ids
                api.remove(count: 3)
                api.insert(count: 4)
                api.touch(count: 5)
            }
            let summary = try await file.run(.items(at: api.baseURL, by: .linkHeader))
            #expect(summary.isComplete)
            // A resumed walk has read its first pages in the state that they had then.
            try await file.run(.items(at: api.baseURL, by: .linkHeader))
            #expect(
                try file.rows("SELECT id, name, updated FROM Item ORDER BY id")
                    == api.records.sorted { $0.id < $1.id }.map {
                        "\($0.id)|\($0.name)|\($0.updated)"
                    })
            #expect(try file.rows("PRAGMA integrity_check") == ["ok"])
        }
    }
}

/// A count of pages, which tasks share.
private final class PageCounter: Sendable {
    private let rest: Mutex<Int>

    init(_ count: Int) { rest = Mutex(count) }

    /// Returns a Boolean value that indicates whether this is the last page.
    func isLast() -> Bool {
        rest.withLock { rest in
            rest -= 1
            return rest == 0
        }
    }
}
