// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

@Suite struct ObservedValuesTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func codes(
        _ store: ManagedObjectStore
    ) -> ObservedValues<AirlineValues>.Iterator {
        store.values(AirlineValues.self, orderBy: \.code).makeAsyncIterator()
    }

    @Test func yieldsValuesAndDifferences() async throws {
        let store = try await files.open()
        try await store.insertAirlines(["LH", "SK"])
        var snapshots = codes(store)
        let first = try #require(await snapshots.next())
        #expect(first.values.map(\.code) == ["LH", "SK"])
        #expect(first.difference.inserted == [0, 1])

        try await store.perform { context in
            for airline in try context.fetch(Airline.self) {
                if airline.code == "LH" {
                    context.delete(airline)
                } else {
                    airline.alliance = .star
                }
            }
            try context.insert(Airline.self).code = "AY"
            try context.save()
        }
        let second = try #require(await snapshots.next())
        #expect(second.values.map(\.code) == ["AY", "SK"])
        #expect(second.values.map(\.alliance) == [nil, .star])
        #expect(second.difference.removed == [0])
        #expect(second.difference.inserted == [0])
        #expect(second.difference.updated == [1])
        #expect(second.difference.moved == [])
    }

    /// Each transaction is awaited before the next, so that a needless snapshot would be seen.
    @Test func isQuietAboutOtherAndEqualValues() async throws {
        let store = try await files.open()
        try await store.insertAirlines(["LH", "SK"])
        var snapshots = store.values(
            AirlineValues.self, where: { $0.alliance == .star }, orderBy: \.code
        ).makeAsyncIterator()
        #expect(try await snapshots.next()?.values.map(\.code) == [])
        // Another table, rows that do not match, equal values, and no change at all.
        try await store.perform { context in
            try context.insert(City.self).name = "Oslo"
            try context.save()
        }
        try await store.insertAirline("AY")
        try await store.perform { context in
            for airline in try context.fetch(Airline.self) {
                airline.alliance = .oneworld
                airline.alliance = nil
            }
            try context.save()
        }
        _ = try await store.perform { try $0.save() }
        try await store.perform { context in
            try context.fetch(Airline.self, where: { $0.code == "SK" })[0].alliance = .star
            try context.save()
        }
        let next = try await snapshots.next()
        #expect(next?.values.map(\.code) == ["SK"])
        #expect(next?.difference.inserted == [0])
    }

    @Test func transactionCausesOneSnapshot() async throws {
        let store = try await files.open()
        let (counts, continuation) = AsyncStream.makeStream(of: [Int].self)
        let observer = Task {
            for try await snapshot in store.values(AirlineValues.self) {
                continuation.yield([snapshot.values.count, snapshot.difference.inserted.count])
            }
            continuation.finish()
        }
        var iterator = counts.makeAsyncIterator()
        #expect(await iterator.next() == [0, 0])
        var total = 0
        for size in [500, 1, 20] {
            try await store.insertAirlines((0..<size).map { "\(size)-\($0)" })
            total += size
            #expect(await iterator.next() == [total, size])
        }
        try store.close()
        #expect(await iterator.next() == nil)
        try await observer.value
    }

    @Test func continuesAfterResetAndEndsWithStore() async throws {
        let store = try await files.open()
        try await store.insertAirline("SK")
        var snapshots = codes(store)
        #expect(try await snapshots.next()?.values.map(\.code) == ["SK"])
        try await store.reset()
        let next = try await snapshots.next()
        #expect(next?.values.map(\.code) == [])
        #expect(next?.difference.removed == [0])
        try await store.insertAirline("LH")
        #expect(try await snapshots.next()?.values.map(\.code) == ["LH"])
        try store.close()
        #expect(try await snapshots.next() == nil)
    }

    @Test func endsWhenTaskIsCancelled() async throws {
        let store = try await files.open()
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = Task {
            var count = 0
            for try await _ in store.values(AirlineValues.self) {
                count += 1
                continuation.finish()
            }
            return count
        }
        for await _ in started {}
        observer.cancel()
        #expect(try await observer.value == 1)
    }

    @Test func reportsInvalidRequest() async throws {
        let store = try await files.open([
            EntityDescription("Note", attributes: [AttributeDescription("text", .text)])
        ])
        var snapshots = store.values(AirlineValues.self).makeAsyncIterator()
        await #expect(throws: PersistenceError.self) { _ = try await snapshots.next() }
    }

    @Test func includesDestinationsOfOneToOneRelationships() async throws {
        let store = try await files.open()
        let (city, mayor) = try await store.perform { context in
            let city = try context.insert(City.self)
            city.name = "Oslo"
            let mayor = try context.insert(Mayor.self)
            mayor.name = "Anne"
            try context.save()
            return (city.objectID, mayor.objectID)
        }
        var snapshots = store.values(MayorValues.self).makeAsyncIterator()
        #expect(try await snapshots.next()?.values.map(\.city) == [nil])
        try await store.perform { context in
            try context.object(City.self, with: city).mayor = context.object(
                Mayor.self, with: mayor)
            try context.save()
        }
        let next = try await snapshots.next()
        #expect(next?.values.map(\.city) == [city])
        #expect(next?.difference.updated == [0])
    }

    // MARK: Other processes

    @Test func seesCommitsOfOtherProcess() async throws {
        let store = try await files.open(
            StoreConfiguration(pollingInterval: .milliseconds(10)))
        var snapshots = codes(store)
        #expect(try await snapshots.next()?.values.map(\.code) == [])
        var commits = store.commits.makeAsyncIterator()
        let path = files.file.path(percentEncoded: false)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try await ManagedObjectStore(
                at: URL(filePath: path), model: ManagedObjectModel(TemporaryStore.airportEntities))
            try await store.insertAirlines(["LH", "SK"])
            try store.close()
        }
        #expect(try await snapshots.next()?.values.map(\.code) == ["LH", "SK"])
        let commit = await commits.next()
        #expect(commit?.origin == .foreign)
        #expect(commit?.hasUnnamedChanges == true)
        // Own commits are not foreign ones.
        try await store.insertAirline("AY")
        #expect(try await snapshots.next()?.values.map(\.code) == ["AY", "LH", "SK"])
    }
}

struct AirlineValues: ManagedValues {
    typealias Object = Airline

    let managedRow: ManagedRow
    init(managedRow: ManagedRow) { self.managedRow = managedRow }

    var code: String { managedRow.value(0) }
    var alliance: Airline.Alliance? { managedRow.value(1) }
}

struct MayorValues: ManagedValues {
    typealias Object = Mayor

    let managedRow: ManagedRow
    init(managedRow: ManagedRow) { self.managedRow = managedRow }

    var name: String { managedRow.value(0) }
    var city: ManagedObjectID? { managedRow.value(1) }
}
