// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import GRDB
import RestKit

/// Registers inserts, changes and fetches of rows through contexts.
func compareContexts() {
    for count in [10_000, 100_000] {
        let size = "\(count / 1000)k"
        compareInserts(of: count, named: "insert \(size)")
        compareFetches(of: count, named: "fetch \(size)")
    }
    Benchmark("save 1k of 100k: RestPersistence", configuration: Benchmark.storage) { benchmark in
        let directory = try PassDirectory()
        let store = try await directory.openStore()
        let context = store.makeContext()
        try insert(100_000, into: context)
        try await context.save()
        let contacts = try context.fetch(Contact.self, orderBy: \.id)
        let start = ProcessorTime.ofProcess
        for index in stride(from: 0, to: contacts.count, by: 100) {
            contacts[index].name += "!"
        }
        let saved = try await context.save()
        benchmark.measurement(.passTime, ProcessorTime.ofProcess - start)
        guard saved.updated == 1_000 else { throw UnexpectedRows(1_000, saved.updated) }
    }
    comparePendingFetches()
    compareLookups()
}

private func compareInserts(of count: Int, named name: String) {
    Benchmark("\(name): RestPersistence", configuration: Benchmark.storage) { benchmark in
        let directory = try PassDirectory()
        let store = try await directory.openStore()
        let context = store.makeContext()
        let start = ProcessorTime.ofProcess
        try insert(count, into: context)
        let saved = try await context.save()
        benchmark.measurement(.passTime, ProcessorTime.ofProcess - start)
        guard saved.inserted == count else { throw UnexpectedRows(count, saved.inserted) }
    }
    Benchmark("\(name): GRDB records", configuration: Benchmark.storage) { benchmark in
        let directory = try PassDirectory()
        let pool = try directory.openRecords()
        let start = ProcessorTime.ofProcess
        try await pool.write { database in
            for number in 1...count { try ContactRecord(number: number).upsert(database) }
        }
        benchmark.measurement(.passTime, ProcessorTime.ofProcess - start)
    }
    Benchmark("\(name): GRDB statements", configuration: Benchmark.storage) { benchmark in
        let directory = try PassDirectory()
        let pool = try directory.openRecords()
        let start = ProcessorTime.ofProcess
        try await pool.write { database in
            let statement = try database.makeStatement(
                sql: "INSERT INTO contact VALUES (?, ?, ?, ?, ?)")
            for number in 1...count {
                let contact = ContactRecord(number: number)
                statement.setUncheckedArguments([
                    contact.id, contact.name, contact.email, contact.avatarUrl, contact.verified,
                ])
                try statement.execute()
            }
        }
        benchmark.measurement(.passTime, ProcessorTime.ofProcess - start)
    }
}

private func compareFetches(of count: Int, named name: String) {
    Benchmark("\(name): RestPersistence", configuration: Benchmark.storage) { benchmark in
        let directory = try PassDirectory()
        let store = try await directory.openStore()
        try await fill(store, count)
        let context = store.makeContext()
        let start = ProcessorTime.ofProcess
        let contacts = try context.fetch(Contact.self)
        var total = 0
        for contact in contacts { total &+= contact.id &+ contact.name.utf8.count }
        benchmark.measurement(.passTime, ProcessorTime.ofProcess - start)
        Benchmark.blackHole(total)
        guard contacts.count == count else { throw UnexpectedRows(count, contacts.count) }
    }
    Benchmark("\(name): Contact.Values", configuration: Benchmark.storage) { benchmark in
        let directory = try PassDirectory()
        let store = try await directory.openStore()
        try await fill(store, count)
        let start = ProcessorTime.ofProcess
        var values = store.values(Contact.Values.self).makeAsyncIterator()
        let contacts = try await values.next()?.values ?? []
        var total = 0
        for contact in contacts { total &+= contact.id &+ contact.name.utf8.count }
        benchmark.measurement(.passTime, ProcessorTime.ofProcess - start)
        Benchmark.blackHole(total)
        guard contacts.count == count else { throw UnexpectedRows(count, contacts.count) }
    }
    Benchmark("\(name): GRDB records", configuration: Benchmark.storage) { benchmark in
        let directory = try PassDirectory()
        let pool = try directory.openRecords()
        try await pool.write { database in
            for number in 1...count { try ContactRecord(number: number).insert(database) }
        }
        let start = ProcessorTime.ofProcess
        let contacts = try await pool.read { try ContactRecord.fetchAll($0) }
        var total = 0
        for contact in contacts { total &+= contact.id &+ contact.name.utf8.count }
        benchmark.measurement(.passTime, ProcessorTime.ofProcess - start)
        Benchmark.blackHole(total)
        guard contacts.count == count else { throw UnexpectedRows(count, contacts.count) }
    }
}

/// Registers fetches of a context with 1,000 unsaved changes among 100,000 rows, and of one without.
private func comparePendingFetches() {
    for (name, changeCount) in [("without changes", 0), ("with 1k changes", 1_000)] {
        Benchmark("fetch of 10k of 100k: \(name)", configuration: Benchmark.storage) { benchmark in
            let directory = try PassDirectory()
            let store = try await directory.openStore()
            try await fill(store, 100_000)
            let context = store.makeContext()
            let contacts = try context.fetch(Contact.self, where: { $0.id <= 10_000 })
            for contact in contacts.prefix(changeCount) { contact.name += "!" }
            let start = ProcessorTime.ofProcess
            let found = try context.fetch(Contact.self, where: { $0.id <= 10_000 })
            benchmark.measurement(.passTime, ProcessorTime.ofProcess - start)
            guard found.count == 10_000 else { throw UnexpectedRows(10_000, found.count) }
        }
    }
}

/// Registers lookups of objects that a context knows, and the first change of a child of a context
/// with 100,000 unsaved objects.
private func compareLookups() {
    Benchmark("known object: RestPersistence", configuration: Benchmark.storage) { benchmark in
        let directory = try PassDirectory()
        let store = try await directory.openStore()
        try await fill(store, 1_000)
        let context = store.makeContext()
        let contacts = try context.fetch(Contact.self)
        let ids = contacts.map(\.objectID)
        let start = ProcessorTime.ofProcess
        for _ in 0..<100 {
            for id in ids { Benchmark.blackHole(try context.object(with: id)) }
        }
        benchmark.measurement(.passTime, (ProcessorTime.ofProcess - start) / (100 * ids.count))
    }
    Benchmark("child of 100k changes: RestPersistence", configuration: Benchmark.storage) {
        benchmark in
        let directory = try PassDirectory()
        let store = try await directory.openStore()
        let context = store.makeContext()
        try insert(100_000, into: context)
        let start = ProcessorTime.ofProcess
        let child = context.child()
        let contact = try child.insert(Contact.self)
        contact.name = "Ann"
        benchmark.measurement(.passTime, ProcessorTime.ofProcess - start)
    }
}

/// Saves contacts with IDs that follow a number.
func fill(_ store: ManagedObjectStore, _ count: Int, after number: Int = 0) async throws {
    try await store.perform { context in
        try insert(count, after: number, into: context)
        try context.save()
    }
}

func insert(_ count: Int, after first: Int = 0, into context: ManagedObjectContext) throws {
    for number in (first + 1)...(first + count) {
        let contact = ContactRecord(number: number)
        try Contact.insert(
            into: context, id: contact.id, name: contact.name, email: contact.email,
            avatarUrl: contact.avatarUrl, verified: contact.verified)
    }
}
