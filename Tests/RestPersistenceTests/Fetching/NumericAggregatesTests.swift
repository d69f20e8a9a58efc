// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestPersistence
import TestSupport
import Testing

/// Aggregates of attributes with other types than `Int`.
@Suite struct NumericAggregatesTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns a context with two saved samples and an unsaved one.
    private func context() async throws -> ManagedObjectContext {
        let store = try await ManagedObjectStore(at: files.file, entities: Sample.self)
        let context = store.makeContext()
        for number in 1...3 {
            if number == 3 { try await context.save() }
            let sample = try context.insert(Sample.self)
            sample.number = number
            (sample.level, sample.port, sample.ratio) = (100, 60_000, 0.5)
            (sample.weight, sample.price) = (Double(number), Decimal(number) / 10)
            if number < 3 { sample.offset = .max }
        }
        return context
    }

    @Test func sumsOfNarrowIntegersAreWide() async throws {
        let context = try await context()
        #expect(try context.sum(\Sample.level) == 300)
        #expect(try context.sum(\Sample.port) == 180_000)
        #expect(try context.sum(\Sample.offset) == 2 * Int(Int32.max))
        #expect(try context.sum(\Sample.level, where: { _ in .none }) == 0)
        let total: Int64 = try context.sum(\Sample.total)
        #expect(total == 0)
    }

    @Test func aggregatesFloatingPointNumbers() async throws {
        let context = try await context()
        #expect(try context.sum(\Sample.ratio) == 1.5)
        #expect(try context.sum(\Sample.weight) == 6)
        #expect(try context.average(\Sample.ratio) == 0.5)
        #expect(try context.average(\Sample.weight) == 2)
        #expect(try context.average(\Sample.offset) == Double(Int32.max))
        #expect(try context.maximum(\Sample.ratio) == 0.5)
        #expect(try context.minimum(\Sample.weight) == 1)
        #expect(try context.maximum(\Sample.level) == 100)
    }

    @Test func aggregatesDecimals() async throws {
        let context = try await context()
        #expect(try context.sum(\Sample.price) == Decimal(string: "0.6"))
        #expect(try context.minimum(\Sample.price) == Decimal(string: "0.1"))
        try #require(try context.fetch(Sample.self).first).price = 10
        #expect(try context.maximum(\Sample.price) == 10)
    }

    @Test func sumOfMoreThan64BitsIsError() async throws {
        let context = try await context()
        for sample in try context.fetch(Sample.self) { sample.total = .max }
        let error = #expect(throws: PersistenceError.self) { try context.sum(\Sample.total) }
        #expect(error?.code == .databaseFailure)
        #expect((error?.entity, error?.property) == ("Sample", "total"))
        #expect(error?.details.last?.contains("wider type") == true)
    }

    /// Another program has written values that the types of the attributes cannot represent.
    @Test func unreadableValueIsError() async throws {
        let context = try await context()
        try await context.save()
        try files.execute("UPDATE Sample SET level = 300, price = 'much' WHERE number = 1")
        let maximum = #expect(throws: PersistenceError.self) {
            try context.maximum(\Sample.level)
        }
        let sum = #expect(throws: PersistenceError.self) { try context.sum(\Sample.price) }
        for (error, name) in [(maximum, "level"), (sum, "price")] {
            #expect(error?.code == .unreadableValue)
            #expect((error?.entity, error?.property) == ("Sample", name))
        }
        #expect(try context.sum(\Sample.level) == 500)
    }
}
#endif
