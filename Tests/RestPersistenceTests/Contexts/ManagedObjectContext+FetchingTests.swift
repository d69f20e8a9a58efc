// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectContextFetchingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func fill(_ context: ManagedObjectContext) throws {
        let names = ["Oslo", "Bergen", "Stavanger"]
        let cities = try names.enumerated().map { index, name in
            let city = try context.insert(City.self)
            city.name = name
            city.population = index == 2 ? nil : 1000 * (index + 1)
            return city
        }
        for (index, code) in ["OSL", "BGO", "SVG", "TRD"].enumerated() {
            let airport = try context.insert(Airport.self)
            airport.code = code
            airport.name = "Airport \(code)"
            airport.passengers = index * 10
            airport.city = index < 3 ? cities[index] : nil
            airport.terminals = Set(
                try (0..<index).map { number in
                    let terminal = try context.insert(Terminal.self)
                    terminal.number = index * 10 + number
                    return terminal
                })
        }
    }

    @Test func fetchesLongChainsOfOneOperator() async throws {
        let store = try await files.open()
        let count = try await store.perform { context in
            for code in ["A", "B"] {
                let airport = try context.insert(Airport.self)
                airport.code = code
                airport.name = code
            }
            try context.save()
            let terms = (0..<500).map {
                FetchPredicate.attribute("code", .equal, $0 == 499 ? "B" : "no \($0)")
            }
            let any = terms.dropFirst().reduce(terms[0]) { $0 || $1 }
            let none = terms.dropFirst().reduce(terms[0]) { $0 && $1 }
            return [
                try context.fetch(Airport.self, where: { _ in any }).count,
                try context.fetch(Airport.self, where: { _ in none }).count,
                try context.fetch(Airport.self, where: { _ in !any }).count,
            ]
        }
        #expect(count == [1, 0, 1])
    }

    @Test(arguments: [false, true])
    func fetchesObjectsThatMatchPredicate(_ isSaved: Bool) async throws {
        let store = try await files.open()
        try await store.perform { context in
            try fill(context)
            if isSaved { try context.save() }
            func codes(_ predicate: (FetchSubject<Airport>) -> FetchPredicate) throws -> [String] {
                try context.fetch(Airport.self, where: predicate, orderBy: \.code).map(\.code)
            }
            #expect(try codes { _ in .all } == ["BGO", "OSL", "SVG", "TRD"])
            #expect(try codes { $0.code == "OSL" } == ["OSL"])
            #expect(try codes { $0.code != "OSL" } == ["BGO", "SVG", "TRD"])
            #expect(try codes { $0.passengers > 10 } == ["SVG", "TRD"])
            #expect(try codes { $0.terminals.count >= 2 } == ["SVG", "TRD"])
            #expect(try codes { $0.terminals.count == 0 || $0.code == "TRD" } == ["OSL", "TRD"])
            #expect(try codes { $0.city.name == "Bergen" } == ["BGO"])
            #expect(try codes { $0.city == nil } == ["TRD"])
            #expect(try codes { $0.city != nil && $0.city.population == nil } == ["SVG"])
            #expect(try codes { $0.city.population < 1500 } == ["OSL"])
            #expect(try codes { !($0.city.population < 1500) } == ["BGO", "SVG", "TRD"])
            #expect(try codes { $0.code.isIn(["SVG", "XXX", "OSL"]) } == ["OSL", "SVG"])
            #expect(try codes { $0.openedAt == nil } == ["BGO", "OSL", "SVG", "TRD"])
            let oslo = try #require(
                try context.fetch(City.self, where: { $0.name == "Oslo" }).first)
            #expect(try codes { $0.city == oslo } == ["OSL"])
            let last = try context.fetch(
                Airport.self, orderBy: [FetchOrdering(\Airport.passengers, ascending: false)],
                limit: 2, offset: 1)
            #expect(last.map(\.code) == ["SVG", "BGO"])
            let byCity = try context.fetch(
                Airport.self, orderBy: [FetchOrdering(path: "city.name")])
            #expect(byCity.map(\.code) == ["TRD", "BGO", "OSL", "SVG"])
            #expect(
                try context.count(FetchRequest("Terminal", where: .attribute("number", .less, 30)))
                    == 3)
        }
    }

    @Test func considersUnsavedChangesOfRelatedObjects() async throws {
        let store = try await files.open()
        try await store.perform { context in
            try fill(context)
            try context.save()
            let oslo = try #require(
                try context.fetch(City.self, where: { $0.name == "Oslo" }).first)
            oslo.name = "Kristiania"
            #expect(
                try context.fetch(Airport.self, where: { $0.city.name == "Kristiania" }).map(\.code)
                    == ["OSL"])
            let trd = try #require(
                try context.fetch(Airport.self, where: { $0.code == "TRD" }).first)
            trd.terminals = []
            #expect(
                try context.fetch(
                    Airport.self, where: { $0.terminals.count == 0 }, orderBy: \.code
                ).map(\.code) == ["OSL", "TRD"])
            context.delete(oslo)
            #expect(
                try context.fetch(Airport.self, where: { $0.city == nil }, orderBy: \.code)
                    .map(\.code) == ["OSL", "TRD"])
        }
    }

    @Test func fetchesObjectsWithOneOfManyValues() async throws {
        let store = try await files.open()
        try await store.perform { context in
            try fill(context)
            try context.save()
            let many = (0..<100_000).map { "none\"\\\u{1F}\($0)" }
            let codes = try context.fetch(
                Airport.self, where: { $0.code.isIn(many + ["OSL", "TRD"]) }, orderBy: \.code)
            #expect(codes.map(\.code) == ["OSL", "TRD"])
            let numbers = try context.fetch(
                Terminal.self, where: { !$0.number.isIn(20..<100_000) })
            #expect(numbers.map(\.number) == [10])
        }
    }

    @Test func ordersDecimalsNumerically() async throws {
        let store = try await files.open([
            EntityDescription(
                "Price", attributes: [AttributeDescription("amount", .decimal, isOptional: true)])
        ])
        let amounts = ["10", "9.5", "-3", "0.1", "12345678901234567890.12", "9.50001"]
        for isSaved in [false, true] {
            try await store.perform { context in
                for text in amounts {
                    try context.insert(entity: "Price").setValue(Decimal(string: text), "amount")
                }
                if isSaved { try context.save() }
                let request = FetchRequest(
                    "Price", where: .attribute("amount", .greater, Decimal(9.5)),
                    orderBy: [FetchOrdering(path: "amount")])
                let found = try context.fetch(request).map { object -> String in
                    (try object.value("amount") as Decimal?)?.description ?? "-"
                }
                #expect(found == ["9.50001", "10", "12345678901234567890.12"])
            }
        }
    }

    @Test func rejectsUnknownNames() async throws {
        let store = try await files.open()
        try await store.perform { context in
            let requests = [
                FetchRequest("Nothing"),
                FetchRequest("Airport", where: .attribute("nme", .equal, "x")),
                FetchRequest("Airport", where: .attribute("terminals.number", .equal, 1)),
                FetchRequest("Airport", where: .count("city", .equal, 1)),
                FetchRequest("Airport", where: .attribute("name", .equal, 1)),
                FetchRequest("Airport", orderBy: [FetchOrdering(path: "name; DROP TABLE Airport")]),
            ]
            let codes = requests.map { request in
                #expect(throws: PersistenceError.self) { try context.fetch(request) }?.code
            }
            #expect(
                codes == [
                    .unknownEntity, .unknownProperty, .unknownProperty, .unknownProperty,
                    .invalidPredicate, .unknownProperty,
                ])
        }
    }

    /// Fetches with random predicates from a random graph: saved rows in SQL, unsaved ones in memory, and
    /// a mixture of both return the same objects in the same order.
    @Test(arguments: 0..<12)
    func evaluatesEquallyInSQLAndInMemory(_ seed: UInt64) async throws {
        let store = try await files.open()
        try await store.perform { context in
            var random = SeededGenerator(state: seed)
            let texts = ["", "a", "A", "\u{E9}", "e\u{301}", "b\0", "b", "z"]
            let cities = try (0..<8).map { index in
                let city = try context.insert(City.self)
                city.name = texts[index]
                city.population =
                    Bool.random(using: &random) ? Int.random(in: 0..<4, using: &random) : nil
                return city
            }
            let airports = try (0..<30).map { index in
                let airport = try context.insert(Airport.self)
                airport.code = "\(index)"
                airport.name = texts.randomElement(using: &random) ?? ""
                airport.passengers = Int.random(in: 0..<4, using: &random)
                airport.city =
                    Bool.random(using: &random) ? cities.randomElement(using: &random) : nil
                return airport
            }
            for number in 0..<40 {
                let terminal = try context.insert(Terminal.self)
                terminal.number = number
                terminal.airport = airports.randomElement(using: &random)
            }
            let requests = (0..<60).map { _ in
                FetchRequest(
                    "Airport", where: predicate(3, &random, texts),
                    orderBy: [
                        FetchOrdering(path: "city.population", ascending: .random(using: &random)),
                        FetchOrdering(path: "name", ascending: .random(using: &random)),
                    ], limit: Bool.random(using: &random) ? 5 : nil,
                    offset: Int.random(in: 0..<3, using: &random))
            }
            let inMemory = try requests.map { try context.fetchIDs($0) }
            try context.save()
            #expect(try requests.map { try context.fetchIDs($0) } == inMemory)
            // Marks some rows as changed, so that they are evaluated in memory.
            for airport in airports.prefix(10) {
                let name = airport.name
                airport.name = name + "!"
                airport.name = name
            }
            #expect(try requests.map { try context.fetchIDs($0) } == inMemory)
            for city in cities.prefix(3) {
                let name = city.name
                city.name = name + "!"
                city.name = name
            }
            #expect(try requests.map { try context.fetchIDs($0) } == inMemory)
            #expect(inMemory.contains { !$0.isEmpty })
        }
    }

    private func predicate(
        _ depth: Int, _ random: inout SeededGenerator, _ texts: [String]
    ) -> FetchPredicate {
        let comparisons: [FetchOperator] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ]
        let comparison = comparisons.randomElement(using: &random) ?? .equal
        let number = Int.random(in: 0..<4, using: &random)
        let text = texts.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<(depth > 0 ? 11 : 7), using: &random) {
        case 0: return .attribute("name", comparison, text)
        case 1: return .attribute("passengers", comparison, number)
        case 2: return .attribute("city.name", comparison, text)
        case 3: return .attribute("city.population", comparison, number == 3 ? nil : number)
        case 4: return .count("terminals", comparison, number)
        case 5: return .attribute("city.population", in: [nil, number])
        case 6: return .relationship("city", nil)
        case 7: return !predicate(depth - 1, &random, texts)
        case 8, 9:
            return predicate(depth - 1, &random, texts) && predicate(depth - 1, &random, texts)
        default:
            return predicate(depth - 1, &random, texts) || predicate(depth - 1, &random, texts)
        }
    }
}

/// A random number generator with a seed.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
