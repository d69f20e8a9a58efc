// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import RestKit
import Synchronization

/// Registers imports whose cost must not depend on the size of the table, and deletions beside writes.
func compareTableSizes() {
    for count in [1_000, 100_000, 1_000_000] {
        let size = count < 1_000_000 ? "\(count / 1_000)k" : "\(count / 1_000_000)M"
        // Half of the contacts are known.
        FilledStore(count).register("1k into \(size)") { number in
            ContactList(known: 500, every: count / 500)
                + ContactList(new: 500, after: count + number * 500)
        } expecting: { report in
            guard report.inserted == 500, report.unchanged == 500 else {
                throw UnexpectedRows(500, report.inserted)
            }
        }
    }
    FilledStore(1_000_000).register("10k new into 1M") { number in
        ContactList(new: 10_000, after: 1_000_000 + number * 10_000)
    } expecting: { report in
        guard report.inserted == 10_000 else { throw UnexpectedRows(10_000, report.inserted) }
    }
    // The rows of the last lie on pages of their own.
    for (name, count, interval) in [
        ("10k", 10_000, 1), ("1M, in a row", 1_000_000, 1), ("1M", 1_000_000, 100),
    ] {
        FilledStore(count).register("10k unchanged among \(name)") { _ in
            ContactList(known: 10_000, every: interval)
        } expecting: { report in
            guard report.unchanged == 10_000 else { throw UnexpectedRows(10_000, report.unchanged) }
        }
    }
    FilledStore(1_000_000).register("10k tombstones among 1M") { number in
        ContactList(
            known: 10_000, after: number * 10_000, name: "Gone")
    } expecting: { report in
        guard report.deleted == 10_000 else { throw UnexpectedRows(10_000, report.deleted) }
    }
}

/// Registers imports of 100,000 remarks, with and without the connection to the contact of each.
func measureConnections() {
    for (name, rules) in [
        ("100k rows", EntityRules()),
        (
            "100k rows with connections",
            EntityRules(connections: [Connection("contact", by: ["contactID": "id"])])
        ),
    ] {
        Benchmark("\(name): RestPersistence", configuration: Benchmark.storage) { benchmark in
            let directory = try PassDirectory()
            let store = try await directory.openStore()
            try await fill(store, 10_000)
            let mapping = EntityMapping(Remark.self, rules: ["Remark": rules])
            let plan = try EntityMappingPlan(mapping, in: store.model)
            let text = (1...100_000).map {
                #"{"id":\#($0),"text":"remark \#($0)","contact_id":\#($0 % 10_000 + 1)}"#
            }
            let bytes = Array("[\(text.joined(separator: ","))]".utf8)
            var changes = SaveReport()
            try await benchmark.measureProcess {
                let document = try Document(parsing: bytes)
                changes = try await store.importObjects(from: document.root, by: plan).changes
            }
            guard changes.inserted == 100_000 else {
                throw UnexpectedRows(100_000, changes.inserted)
            }
        }
    }
}

/// Registers an import of a file of 146 MB; skipped without the corpus's script.
func measureImportMemory() {
    let growth = Benchmark.Configuration(
        metrics: [.peakGrowth, .passTime, .wallClock], warmupIterations: 0, maxIterations: 1)
    Benchmark("import of 146 MB: RestPersistence", configuration: growth) { benchmark, file in
        guard let file else { return }
        defer { try? FileManager.default.removeItem(at: file) }
        let directory = try PassDirectory()
        let store = try await directory.openStore()
        let before = PeakMemory.ofProcess
        try await benchmark.measureProcess {
            let importer = ManagedObjectImporter(store)
            try await importer.importObjects(
                from: file, by: EntityMapping(Article.self), at: "data")
            try await importer.finish()
        }
        benchmark.measurement(.peakGrowth, PeakMemory.ofProcess - before)
    } setup: {
        InputDocument.file(of: 100_000)
    }
}

/// A store with a number of contacts, which all passes of a benchmark share.
final class FilledStore: Sendable {
    private let count: Int
    private let prepared = Mutex<(directory: PassDirectory, store: ManagedObjectStore)?>(nil)
    private let passCount = Mutex(0)

    init(_ count: Int) { self.count = count }

    var store: ManagedObjectStore? { prepared.withLock(\.?.store) }

    /// Returns the number of the next pass, from 0.
    func nextPass() -> Int {
        passCount.withLock { count in
            defer { count += 1 }
            return count
        }
    }

    func open() async throws {
        let directory = try PassDirectory()
        let store = try await directory.openStore()
        for start in stride(from: 0, to: count, by: 50_000) {
            try await fill(store, min(50_000, count - start), after: start)
        }
        prepared.withLock { $0 = (directory, store) }
    }

    func close() throws {
        try prepared.withLock { taken in
            try taken?.store.close()
            taken = nil
        }
    }

    /// Registers an import of a list that depends on the number of the pass.
    func register(
        _ name: String, list: @escaping @Sendable (_ pass: Int) -> ContactList,
        expecting check: @escaping @Sendable (SaveReport) throws -> Void
    ) {
        Benchmark("\(name): RestPersistence", configuration: Benchmark.storage) { benchmark in
            guard let store = self.store else { throw UnexpectedRows(self.count, 0) }
            let plan = try EntityMappingPlan(ContactList.mapping, in: store.model)
            let bytes = list(self.nextPass()).bytes
            var changes = SaveReport()
            try await benchmark.measureProcess {
                let document = try Document(parsing: bytes)
                changes = try await store.importObjects(from: document.root, by: plan).changes
            }
            try check(changes)
        } setup: {
            try await self.open()
        } teardown: {
            try self.close()
        }
    }
}

/// Contacts as a document.
struct ContactList: Sendable {
    /// A mapping that deletes contacts with the name "Gone".
    static let mapping = EntityMapping(
        Contact.self,
        rules: ["Contact": EntityRules(deletionPredicate: .attribute("name", .equal, "Gone"))])

    private var contacts: [String] = []

    /// Creates contacts that are equal to rows, at intervals.
    init(known count: Int, every interval: Int) {
        contacts = (1...count).map { ContactRecord(number: $0 * interval).json() }
    }

    /// Creates contacts with IDs that follow a number.
    init(new count: Int, after number: Int) {
        contacts = (1...count).map { ContactRecord(number: number + $0).json() }
    }

    /// Creates contacts with the IDs of rows and another name.
    init(known count: Int, after number: Int, name: String) {
        contacts = (1...count).map { ContactRecord(number: number + $0).json(name: name) }
    }

    static func + (left: ContactList, right: ContactList) -> ContactList {
        var sum = left
        sum.contacts += right.contacts
        return sum
    }

    var bytes: [UInt8] { Array("[\(contacts.joined(separator: ","))]".utf8) }
}

extension ContactRecord {
    fileprivate func json(name: String? = nil) -> String {
        #"{"id":\#(id),"name":"\#(name ?? self.name)","email":\#(email.map { "\"\($0)\"" } ?? "null"),"#
            + #""avatarUrl":"\#(avatarUrl)","verified":\#(verified)}"#
    }
}
