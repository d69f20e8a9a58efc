// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

import class GRDB.DatabaseQueue
import class GRDB.Row

@testable import RestPersistence
@testable import RestRows

/// The order of decimals and unsigned integers, which are stored as text.
@Suite struct NumericTextTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    static let numbers: [Decimal] =
        [0, 1, 9, 9.5, 9.50001, 10, 99, 100, 0.1, 0.01, 0.011, 1e30, 123_456.789]
        .flatMap { [$0, -$0] }
        + ["12345678901234567890.12", "99999999999999999999999999999999999999", "1e127", "1e-128"]
        .compactMap { Decimal(string: $0) }.flatMap { [$0, -$0] }

    private static func randomNumbers(_ count: Int) -> [Decimal] {
        var random = SeededGenerator(state: 7)
        return (0..<count).map { _ in
            let digits = Int64.random(in: .min ... .max, using: &random)
            return Decimal(
                sign: digits < 0 ? .minus : .plus,
                exponent: Int.random(in: -40...40, using: &random),
                significand: Decimal(digits.magnitude))
        }
    }

    @Test func keysHaveOrderOfNumbers() {
        let numbers = Self.numbers + Self.randomNumbers(300)
        let keys = numbers.map { NumericText.orderKey(of: DecimalText.text(of: $0)) }
        var mismatches: [String] = []
        for (left, first) in zip(numbers, keys) {
            for (right, second) in zip(numbers, keys) {
                let order = first.compareBytes(with: second)
                if (order < 0) == (left < right), (order == 0) == (left == right) { continue }
                mismatches.append("\(left) and \(right)")
            }
        }
        #expect(mismatches == [])
    }

    @Test func expressionIsKey() throws {
        let texts = (Self.numbers + Self.randomNumbers(300)).map { DecimalText.text(of: $0) }
        try DatabaseQueue().read { database in
            for text in texts {
                let key = try String.fetchOne(
                    database,
                    sql: "SELECT \(NumericText.orderExpression("v")) FROM (SELECT ? AS v)",
                    arguments: [text])
                #expect(key == NumericText.orderKey(of: text))
            }
            let null = try Row.fetchOne(
                database, sql: "SELECT \(NumericText.orderExpression("v")) FROM (SELECT NULL AS v)")
            #expect(null.map { Array($0.databaseValues)[0].isNull } == true)
        }
    }

    private static func entities(isIndexed: Bool) -> [EntityDescription] {
        [
            EntityDescription(
                "Price",
                attributes: [
                    AttributeDescription(
                        "amount", .decimal, isOptional: true, isIndexed: isIndexed),
                    AttributeDescription("serial", .unsignedInteger, isOptional: true),
                ], relationships: [.toOne("next", "Price")])
        ]
    }

    private func orderIndexes() throws -> [String] {
        try files.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'restkit_order*'").map {
            $0[0]
        }
    }

    @Test(arguments: [false, true], [false, true])
    func comparesAndOrdersNumerically(isSaved: Bool, isIndexed: Bool) async throws {
        let store = try await files.open(Self.entities(isIndexed: isIndexed))
        let numbers = Self.numbers
        let sorted = numbers.sorted()
        try await store.perform { context in
            var previous: ManagedObject?
            for (index, number) in numbers.enumerated() {
                let price = try context.insert(entity: "Price")
                try price.setValue(number, "amount")
                try price.setValue(UInt64(index) << 55, "serial")
                if let previous { try price.setRelated("next", [previous]) }
                previous = price
            }
            _ = try context.insert(entity: "Price")
            if isSaved { try context.save() }
            func amounts(_ request: FetchRequest) throws -> [Decimal?] {
                try context.fetch(request).map { try $0.value("amount") }
            }
            let ascending = try amounts(FetchRequest("Price", orderBy: [.ascending("amount")]))
            #expect(ascending == [nil] + sorted)
            let descending = try amounts(FetchRequest("Price", orderBy: [.descending("amount")]))
            #expect(descending == ([nil] + sorted).reversed())
            for number in [numbers[3], -7, numbers[20], 0] {
                let less = try amounts(
                    FetchRequest("Price", where: .attribute("amount", .less, number)))
                #expect(less.compactMap(\.self).sorted() == sorted.filter { $0 < number })
                let others = FetchRequest(
                    "Price", where: !FetchPredicate.attribute("amount", .less, number))
                #expect(try context.count(others) == numbers.count + 1 - less.count)
                let next = FetchRequest(
                    "Price", where: .attribute("next.amount", .greaterOrEqual, number))
                #expect(
                    try context.count(next) == numbers.dropLast().count { $0 >= number })
            }
            let lesser = FetchRequest(
                "Price", where: .attribute("amount", .less, attribute: "next.amount"))
            #expect(
                try context.count(lesser)
                    == zip(numbers.dropFirst(), numbers).count { $0.0 < $0.1 })
            let serials = FetchRequest(
                "Price", where: .attribute("serial", .greater, UInt64(1) << 57))
            #expect(try context.count(serials) == numbers.indices.count { $0 > 4 })
            context.rollback()
        }
    }

    @Test func usesIndexForOrderAndComparison() async throws {
        let store = try await files.open(Self.entities(isIndexed: true))
        try await store.perform { context in
            let plans = try [
                FetchRequest(
                    "Price",
                    where: .attribute("amount", .greaterOrEqual, Decimal(1))
                        && .attribute("amount", .less, Decimal(3))),
                FetchRequest("Price", where: .attribute("amount", .less, Decimal(3))),
                FetchRequest(
                    "Price", where: .attribute("amount", .less, Decimal(3)),
                    orderBy: [.ascending("amount")]),
                FetchRequest("Price", orderBy: [.ascending("amount")], limit: 5),
                FetchRequest("Price", orderBy: [.descending("amount")], limit: 5),
            ].map { try context.explainQueryPlan($0) }
            for plan in plans { #expect(plan.contains("restkit_order_Price_amount")) }
            for plan in plans[..<3] { #expect(plan.hasPrefix("SEARCH")) }
            for plan in plans[2...3] { #expect(!plan.contains("B-TREE")) }
            let equal = FetchRequest("Price", where: .attribute("amount", .equal, Decimal(3)))
            #expect(try context.explainQueryPlan(equal).contains("restkit_index_Price_amount"))
        }
    }

    /// Other programs need no function of the store to write the table.
    @Test func indexFollowsModelAndOtherPrograms() async throws {
        try await files.open(Self.entities(isIndexed: false)).close()
        #expect(try orderIndexes() == [])
        try await files.open(Self.entities(isIndexed: true)).close()
        #expect(try orderIndexes() == ["restkit_order_Price_amount"])
        try files.execute(
            "INSERT INTO Price (restkit_key, amount) VALUES (900, '10'), (901, '9.5'), (902, '-1')")
        let store = try await files.open(Self.entities(isIndexed: true))
        let request = FetchRequest("Price", orderBy: [.ascending("amount")])
        let keys = try await store.perform { try $0.fetchIDs(request).map(\.key) }
        #expect(keys == [902, 901, 900])
        #expect(try await store.checkIntegrity() == [])
        try store.close()
        try files.execute("DROP INDEX restkit_order_Price_amount")
        let reader = try await ManagedObjectStore(
            at: files.file, model: ManagedObjectModel(Self.entities(isIndexed: true)),
            configuration: StoreConfiguration(isReadOnly: true))
        #expect(try await reader.perform { try $0.fetchIDs(request).map(\.key) } == keys)
        try reader.close()
        try await files.open(Self.entities(isIndexed: true)).close()
        #expect(try orderIndexes() == ["restkit_order_Price_amount"])
        try await files.open(Self.entities(isIndexed: false)).close()
        #expect(try orderIndexes() == [])
    }

    #if Macros
    @Test(arguments: [false, true])
    func findsLeastAndGreatest(isSaved: Bool) async throws {
        let store = try await ManagedObjectStore(at: files.file, entities: Bill.self)
        let numbers = Self.numbers
        try await store.perform { context in
            #expect(try context.minimum(\Bill.amount) == nil)
            for (index, number) in numbers.enumerated() {
                try Bill.insert(into: context, amount: number, serial: UInt64(index))
            }
            try Bill.insert(into: context)
            if isSaved { try context.save() }
            #expect(try context.minimum(\Bill.amount) == numbers.min())
            #expect(try context.maximum(\Bill.amount) == numbers.max())
            let least = try #require(Decimal(string: "1e-128"))
            #expect(try context.maximum(\Bill.amount, where: { $0.amount < 0 }) == -least)
            #expect(try context.maximum(\Bill.serial) == UInt64(numbers.count - 1))
            context.rollback()
        }
    }
    #endif
}

#if Macros
@Entity private final class Bill: ManagedObject {
    @Indexed var amount: Decimal?
    var serial: UInt64?
}
#endif
