// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// Killed and concurrent processes.
@Suite(.serialized) struct StoreProcessTests {
    private static let batchSize = 20

    private static func open(_ path: String) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: URL(filePath: path), model: ManagedObjectModel(TemporaryStore.airportEntities))
    }

    /// Saves numbered batches until the process is killed, and writes the number of each to a file
    /// after its commit.
    ///
    /// A batch inserts rows, replaces the rows of the batch before, changes a counter in another table,
    /// and links the two.
    private static func saveBatches(
        _ path: String, log: String, from first: Int, afterCommits: (Int) -> Void
    ) async throws {
        let store = try await open(path)
        afterCommits(0)
        let output = try FileHandle(forWritingTo: URL(filePath: log))
        try output.seekToEnd()
        var number = first
        while true {
            try await store.perform { [number] context in
                let counter =
                    try context.fetch(Terminal.self).first ?? context.insert(Terminal.self)
                counter.number = number
                for airline in try context.fetch(Airline.self) { context.delete(airline) }
                for index in 0..<batchSize {
                    let airline = try context.insert(Airline.self)
                    airline.code = "\(number)-\(index)"
                    airline.terminals = [counter]
                }
                try context.save()
            }
            try output.write(contentsOf: Data("\(number)\n".utf8))
            number += 1
            afterCommits(number - first)
        }
    }

    private static func kill(after microseconds: UInt32) {
        Thread.detachNewThread {
            usleep(microseconds)
            raise(SIGKILL)
        }
    }

    /// A process is killed while it opens the file, or some milliseconds after up to three commits,
    /// repeatedly on one file: 25 times, or `RESTKIT_KILLS` times, which `scripts/crash-test` sets.
    @Test(.tags(.slow))
    func keepsEveryCommitOfKilledProcess() async throws {
        let files = try TemporaryStore()
        let path = files.file.path(percentEncoded: false)
        let log = files.directory.appending(path: "log").path(percentEncoded: false)
        try Data().write(to: URL(filePath: log))
        let kills = TestEnvironment.number("RESTKIT_KILLS") ?? 25
        var (batches, unacknowledged, expected) = (0, 0, 0)
        for kill in 0..<kills {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, log = log as String, kill = kill as Int,
                    first = batches + 1 as Int
                ] in
                let delay = UInt32((kill * 7_919) % 15_000)
                if kill % 5 == 0 { StoreProcessTests.kill(after: delay) }
                try await StoreProcessTests.saveBatches(path, log: log, from: first) { count in
                    if kill % 5 > 0, count == kill % 4 { StoreProcessTests.kill(after: delay) }
                }
            }
            if kill % 5 > 0 { expected += kill % 4 }
            let acknowledged =
                try String(decoding: Data(contentsOf: URL(filePath: log)), as: UTF8.self)
                .split(separator: "\n").last.flatMap { Int($0) } ?? 0
            let store = try await Self.open(path)
            #expect(try await store.checkIntegrity() == [])
            try store.close()
            let rows = try files.rows(
                """
                SELECT t.number, count(*), count(DISTINCT substr(a.code, 1, instr(a.code, '-'))),
                  min(CAST(a.code AS INTEGER))
                FROM Airline a LEFT JOIN Airline_terminals l ON l.source = a.restkit_key
                LEFT JOIN Terminal t ON t.restkit_key = l.target GROUP BY 1
                """)
            #expect(rows.count <= 1)
            let found = rows.first.flatMap { Int($0[0]) } ?? 0
            if let row = rows.first {
                #expect(row == ["\(found)", "\(Self.batchSize)", "1", "\(found)"])
            }
            // The process can be killed between a commit and its acknowledgement, also the one before.
            let known = max(acknowledged, batches)
            #expect((known...known + 1).contains(found))
            if found > acknowledged { unacknowledged += 1 }
            batches = found
        }
        #expect(batches >= expected)
        print(
            "\(kills) kills: \(batches) commits, \(unacknowledged) of them unacknowledged, all whole"
        )
    }

    /// Several processes create one file at the same time and save into it.
    @Test func processesShareOneFile() async throws {
        let files = try TemporaryStore()
        let path = files.file.path(percentEncoded: false)
        async let first: Void = Self.share(path, "a")
        async let second: Void = Self.shareInOtherProcess(path, "b")
        async let third: Void = Self.shareInOtherProcess(path, "c")
        _ = try await (first, second, third)
        #expect(
            try files.rows("SELECT substr(code, 1, 1), count(*) FROM Airline GROUP BY 1")
                == [["a", "100"], ["b", "100"], ["c", "100"]])
        #expect(try files.rows("SELECT count(*) FROM City") == [["300"]])
        let store = try await Self.open(path)
        #expect(try await store.checkIntegrity() == [])
    }

    private static func shareInOtherProcess(_ path: String, _ name: String) async {
        await #expect(processExitsWith: .success) {
            [path = path as String, name = name as String] in
            try await StoreProcessTests.share(path, name)
        }
    }

    private static func share(_ path: String, _ name: String) async throws {
        let store = try await open(path)
        for number in 0..<100 {
            try await store.perform { context in
                try context.insert(Airline.self).code = "\(name)\(number)"
                try context.insert(City.self).name = "\(name)\(number)"
                try context.save()
            }
        }
        try store.close()
    }

    @Test func resetByOtherProcessEndsWork() async throws {
        let files = try TemporaryStore()
        let path = files.file.path(percentEncoded: false)
        let store = try await Self.open(path)
        try await store.insertAirline("SK")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let other = try await StoreProcessTests.open(path)
            try await other.reset()
            try await other.insertAirline("DY")
        }
        for work in [
            { _ = try await store.airlineCodes() }, { _ = try await store.insertAirline("LH") },
        ] {
            let error = await #expect(throws: PersistenceError.self) { try await work() }
            #expect(error?.code == .fileChanged)
        }
        try store.close()
        let reopened = try await Self.open(path)
        #expect(try await reopened.airlineCodes() == ["DY"])
        #expect(try await reopened.checkIntegrity() == [])
    }
}
