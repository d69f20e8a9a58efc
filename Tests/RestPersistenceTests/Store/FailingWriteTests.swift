// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestDocument
import TestSupport
import Testing

@testable import RestPersistence

/// Transactions in which each write fails in turn, and logs that end within each frame.
@Suite struct FailingWriteTests {
    /// The size of a frame of the log: a header and a page.
    private static let frameSize = 24 + 4_096
    private static let logHeaderSize = 32

    private static func open(_ path: String) async throws -> ManagedObjectStore {
        let store = try await ManagedObjectStore(
            at: URL(filePath: path), model: ManagedObjectModel(TemporaryStore.airportEntities))
        // The log keeps all frames, so that its size is the number of writes.
        try store.setPragma("wal_autocheckpoint", 0)
        return store
    }

    /// Returns the content of a file, without keys.
    private static func content(_ path: String) throws -> [[String]] {
        try DatabaseQueue(path: path).read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT 'a', code, name, passengers FROM Airport
                    UNION ALL SELECT 't', t.number, a.code, NULL
                    FROM Terminal t LEFT JOIN Airport a ON a.restkit_key = t.airport
                    UNION ALL SELECT 'l', a.code, t.number, NULL FROM Airline_terminals l
                    JOIN Airline a ON a.restkit_key = l.source
                    JOIN Terminal t ON t.restkit_key = l.target
                    ORDER BY 1, 2, 3
                    """
            ).map { $0.databaseValues.map { "\($0.storage.value ?? "-")" } }
        }
    }

    private static func logSize(_ path: String) throws -> Int {
        try Data(contentsOf: URL(filePath: path + "-wal")).count
    }

    // MARK: Transactions

    private static let text = String(repeating: "x", count: 200)

    private static func prepare(_ store: ManagedObjectStore) async throws {
        try await store.perform { context in
            for number in 0..<60 {
                let airport = try context.insert(Airport.self)
                (airport.code, airport.name) = ("A\(number)", text)
                let terminal = try context.insert(Terminal.self)
                (terminal.number, terminal.airport) = (number, airport)
            }
            try context.insert(Airline.self).code = "SK"
            try context.save()
        }
    }

    /// Inserts, updates, deletes and links objects.
    private static func change(_ context: ManagedObjectContext, _ round: Int) throws {
        let airline = try context.fetch(Airline.self)[0]
        for (index, terminal) in try context.fetch(Terminal.self, orderBy: \.number).enumerated() {
            if index % 5 == round % 5 { airline.terminals.insert(terminal) }
            if index % 7 == round % 7 { terminal.airport?.passengers += 1 }
            if index % 20 == round % 20 { context.delete(terminal) }
        }
        for number in 0..<30 {
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name) = ("B\(round).\(number)", text)
        }
    }

    private static func document(_ round: Int) throws -> Document {
        let airports = (0..<60).map { number in
            #"{"code": "A\#(number)", "name": "\#(round) \#(text)", "#
                + #""terminals": [{"number": \#(round * 1_000 + number)}]}"#
        }
        return try Document(parsing: "[" + airports.joined(separator: ",") + "]")
    }

    private static func importDocument(
        _ round: Int, into store: ManagedObjectStore
    ) async throws {
        let plan = try EntityMappingPlan(EntityMapping(Airport.self), in: store.model)
        _ = try await store.importObjects(from: try document(round).root, by: plan)
    }

    // MARK: Failing writes

    private static func limitFiles(_ size: UInt) {
        var limit = rlimit(rlim_cur: size, rlim_max: .max)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    /// Repeats a transaction, in which ever later writes fail, until it succeeds.
    private static func repeatUntilItSucceeds(
        _ path: String, _ operation: () async throws -> Void, afterFailure: () throws -> Void
    ) async throws {
        let before = try content(path)
        let size = try UInt(logSize(path))
        var failures = 0
        while true {
            // Half a frame, so that the header or the page of a frame is the last.
            limitFiles(size + UInt(failures * frameSize / 2))
            do {
                try await operation()
                limitFiles(.max)
                break
            } catch let error as RestPersistence.PersistenceError {
                limitFiles(.max)
                #expect(error.code == .ioFailure)
                #expect(try content(path) == before)
                try afterFailure()
                failures += 1
            }
        }
        #expect(try content(path) != before)
        // The transaction has written more than a few pages, each of which has failed.
        #expect(failures > 10)
        #expect(try failures >= (logSize(path) - Int(size)) / frameSize)
        print("\(failures) failing writes")
    }

    /// A transaction of many writes.
    enum Work: String, CaseIterable, Codable, Sendable {
        case save
        case importing
    }

    @Test(.tags(.slow), arguments: Work.allCases)
    func eachFailingWriteFailsWholeTransaction(work: Work) async throws {
        let files = try TemporaryStore()
        await #expect(processExitsWith: .success) {
            [path = files.file.path(percentEncoded: false) as String, work = work as Work] in
            signal(SIGXFSZ, SIG_IGN)
            let store = try await FailingWriteTests.open(path)
            try await FailingWriteTests.prepare(store)
            let context = store.makeContext()
            if work == .save { try FailingWriteTests.change(context, 1) }
            let changed = try context.fetch(Airport.self).count
            try await FailingWriteTests.repeatUntilItSucceeds(path) {
                switch work {
                case .save: try await context.save()
                case .importing: try await FailingWriteTests.importDocument(1, into: store)
                }
            } afterFailure: {
                let count = try context.fetch(Airport.self).count
                #expect(context.hasChanges == (work == .save) && count == changed)
            }
            #expect(!context.hasChanges)
            #expect(try context.fetch(Airport.self).count == changed)
            #expect(try await store.checkIntegrity() == [])
            try store.close()
        }
        try await expectSameContent(files) { store in
            guard work == .save else { return try await Self.importDocument(1, into: store) }
            try await store.perform { context in
                try Self.change(context, 1)
                try context.save()
            }
        }
    }

    /// Expects the content of a store in which no write has failed.
    private func expectSameContent(
        _ files: TemporaryStore, _ operation: (ManagedObjectStore) async throws -> Void
    ) async throws {
        let others = try TemporaryStore()
        let path = others.file.path(percentEncoded: false)
        let store = try await Self.open(path)
        try await Self.prepare(store)
        try await operation(store)
        let content = try Self.content(files.file.path(percentEncoded: false))
        #expect(try Self.content(path) == content)
    }

    // MARK: Logs

    /// A transaction and the sizes of the log before and after it.
    private struct Transaction {
        let content: [[String]]
        let log: ClosedRange<Int>
    }

    /// Saves and imports by turns.
    private func runTransactions(
        _ store: ManagedObjectStore, _ path: String
    ) async throws -> [Transaction] {
        var transactions: [Transaction] = []
        for round in 0..<4 {
            let before = try Self.logSize(path)
            if round % 2 == 0 {
                try await store.perform { context in
                    try Self.change(context, round)
                    try context.save()
                }
            } else {
                try await Self.importDocument(round, into: store)
            }
            transactions.append(
                Transaction(
                    content: try Self.content(path), log: before...(try Self.logSize(path))))
        }
        return transactions
    }

    /// Returns a Boolean value that indicates whether the frame before an offset ends a transaction.
    private static func isCommit(_ log: Data, _ end: Int) -> Bool {
        let start = end - frameSize
        return start >= logHeaderSize && log[(start + 4)..<(start + 8)].contains { $0 != 0 }
    }

    @Test(.threat("T68"), .tags(.slow))
    func logWithoutItsEndHasWholeTransactions() async throws {
        let files = try TemporaryStore()
        let path = files.file.path(percentEncoded: false)
        let store = try await Self.open(path)
        try await Self.prepare(store)
        let first = Transaction(
            content: try Self.content(path), log: 0...(try Self.logSize(path)))
        let transactions = try await [first] + runTransactions(store, path)
        let database = try Data(contentsOf: files.file)
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        let copy = try TemporaryStore()
        let copied = copy.file.path(percentEncoded: false)
        var (cuts, last) = (0, first.content)
        var offset = first.log.upperBound
        while offset <= log.count {
            try await ManagedObjectStore.removeFiles(at: copy.file)
            try database.write(to: copy.file)
            try log.prefix(offset).write(to: URL(filePath: copied + "-wal"))
            let content = try Self.content(copied)
            let isBoundary = (offset - Self.logHeaderSize) % Self.frameSize == 0
            if content != last {
                #expect(isBoundary && Self.isCommit(log, offset))
                last = content
            }
            let known = transactions.last { $0.log.upperBound <= offset }
            let started = transactions.last { $0.log.lowerBound < offset }
            #expect(content == known?.content || content == started?.content, "offset \(offset)")
            if cuts % 10 == 0 {
                let opened = try await Self.open(copied)
                #expect(try await opened.checkIntegrity() == [])
                try opened.close()
            }
            cuts += 1
            offset += isBoundary ? 2_000 : Self.frameSize - 2_000
        }
        #expect(last == transactions.last?.content)
        print("\(cuts) cuts of a log with \(transactions.count) transactions")
    }
}
