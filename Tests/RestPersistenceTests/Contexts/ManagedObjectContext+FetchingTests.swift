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
            defer { context.rollback() }
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
                Airport.self, orderBy: [.ascending { $0.city.name }])
            #expect(byCity.map(\.code) == ["TRD", "BGO", "OSL", "SVG"])
            #expect(
                try context.count(FetchRequest("Terminal", where: .attribute("number", .less, 30)))
                    == 3)
        }
    }

    @Test func considersUnsavedChangesOfRelatedObjects() async throws {
        let store = try await files.open()
        try await store.perform { context in
            defer { context.rollback() }
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
                defer { context.rollback() }
                for text in amounts {
                    try context.insert(entity: "Price").setValue(Decimal(string: text), "amount")
                }
                if isSaved { try context.save() }
                let request = FetchRequest(
                    "Price", where: .attribute("amount", .greater, Decimal(9.5)),
                    orderBy: [.ascending("amount")])
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
                FetchRequest("Airport", orderBy: [.ascending("name; DROP TABLE Airport")]),
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
}
