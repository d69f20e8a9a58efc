// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

/// Each predicate selects the same objects from saved rows and from unsaved changes.
@Suite struct FetchPredicateTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func fill(_ context: ManagedObjectContext) throws {
        let airlines = try ["DY", "SK", "WF"].map { code in
            let airline = try context.insert(Airline.self)
            airline.code = code
            airline.alliance = code == "SK" ? .star : nil
            return airline
        }
        airlines[0].partners = [airlines[1]]
        let names = ["Oslo", "Bergen", "Troms\u{F8}", "\u{C5}lesund"]
        for (index, code) in ["OSL", "BGO", "TOS", "AES"].enumerated() {
            let city = try context.insert(City.self)
            city.name = names[index]
            city.population = index == 3 ? nil : 100 * index
            let airport = try context.insert(Airport.self)
            airport.code = code
            airport.name = "\(names[index]) Airport"
            airport.passengers = index * 10
            airport.city = city
            airport.openedAt = index == 0 ? Date(timeIntervalSince1970: 0) : nil
            for number in 0..<index {
                let terminal = try context.insert(Terminal.self)
                terminal.number = index * 10 + number
                terminal.airport = airport
                terminal.airlines = Set(airlines.prefix(number + 1))
            }
        }
    }

    struct Example: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let predicate: @Sendable (FetchSubject<Airport>) -> FetchPredicate
        let codes: [String]

        init(
            _ description: String, _ codes: [String],
            _ predicate: @escaping @Sendable (FetchSubject<Airport>) -> FetchPredicate
        ) {
            testDescription = description
            self.predicate = predicate
            self.codes = codes
        }
    }

    static let examples = [
        Example("equal", ["OSL"]) { $0.code == "OSL" },
        Example("less", ["BGO", "OSL"]) { $0.passengers < 20 },
        Example("in", ["AES", "OSL"]) { $0.code.isIn(["OSL", "AES", "none"]) },
        Example("and", ["BGO"]) { $0.passengers > 0 && $0.passengers < 20 },
        Example("or", ["AES", "OSL"]) { $0.passengers == 0 || $0.passengers == 30 },
        Example("not", ["AES", "TOS"]) { !($0.passengers < 20) },
        Example("nil", ["AES", "BGO", "TOS"]) { $0.openedAt == nil },
        Example("true", ["AES", "BGO", "OSL", "TOS"]) { _ in .all },
        Example("false", []) { _ in .none },
        Example("arithmetic", ["BGO", "OSL"]) { $0.passengers + 94 < 105 },
        Example("product", ["TOS"]) { $0.passengers * 2 - 1 == 39 },
        Example("quotient", ["AES"]) { $0.passengers / 7 == 4 },
        Example("remainder", ["BGO"]) { $0.passengers % 7 == 3 },
        Example("division by zero", []) { $0.passengers / 0 == 0 },
        Example("path", ["BGO"]) { $0.city.name == "Bergen" },
        Example("null in a path", ["AES"]) { $0.city.population == nil },
        Example("arithmetic in a path", ["TOS"]) { $0.city.population + 1 == 201 },
        Example("two attributes", ["OSL"]) { $0.city.population == $0.passengers.optional },
        Example("no destination", []) { $0.city == nil },
        Example("count", ["OSL"]) { $0.terminals.count == 0 },
        Example("counted destinations", ["AES"]) {
            $0.terminals.count { $0.airlines.count > 1 } == 2
        },
        Example("empty", ["OSL"]) { $0.terminals.isEmpty },
        Example("any with a prefix", ["AES", "TOS"]) {
            $0.terminals.any { $0.airlines.any { $0.code.hasPrefix("S") } }
        },
        Example("all", ["BGO", "OSL"]) { $0.terminals.all { $0.airlines.count == 1 } },
        Example("none", ["BGO", "OSL"]) {
            $0.terminals.none { $0.airlines.any { $0.alliance == .star } }
        },
        Example("outer object", ["AES", "BGO", "TOS"]) { airport in
            airport.terminals.any { $0.number >= airport.passengers }
        },
        Example("path of an outer object", ["BGO", "TOS"]) { airport in
            airport.terminals.any { $0.number.optional < airport.city.population }
        },
        Example("prefix", ["TOS"]) { $0.name.hasPrefix("Tro") },
        Example("empty prefix", ["AES", "BGO", "OSL", "TOS"]) { $0.name.hasPrefix("") },
        Example("prefix of another case", []) { $0.name.hasPrefix("tro") },
        Example("prefix without case", ["TOS"]) { $0.name.hasPrefix("tRO", .caseInsensitive) },
        Example("suffix", ["BGO"]) { $0.name.hasSuffix("en Airport") },
        Example("contained", ["BGO"]) { $0.name.contains("erg") },
        Example("contained without case", ["AES"]) {
            $0.name.contains("\u{E5}LES", .caseInsensitive)
        },
        Example("contained without diacritics", ["AES"]) {
            $0.name.contains("ales", [.caseInsensitive, .diacriticInsensitive])
        },
        Example("equal without case", ["BGO"]) { $0.code.isEqual(to: "bgo", .caseInsensitive) },
        Example("class", ["AES", "BGO", "OSL", "TOS"]) { $0.isKind(of: Airport.self) },
        Example("other class", []) { $0.city.isKind(of: Airport.self) },
    ]

    @Test(arguments: examples)
    func selectsMatchingObjects(_ example: Example) async throws {
        let store = try await files.open()
        try await store.perform { context in
            func codes() throws -> [String] {
                try context.fetch(Airport.self, where: example.predicate, orderBy: \.code)
                    .map(\.code)
            }
            try fill(context)
            #expect(try codes() == example.codes, "unsaved")
            #expect(
                try context.count(Airport.self, where: example.predicate) == example.codes.count)
            try context.save()
            #expect(try codes() == example.codes, "saved")
            #expect(
                try context.count(Airport.self, where: example.predicate) == example.codes.count)
        }
    }

    @Test func selectsObjectsByIdentity() async throws {
        let store = try await files.open()
        try await store.perform { context in
            try fill(context)
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                let bergen = try #require(
                    try context.first(City.self, where: { $0.name == "Bergen" }))
                let terminal = try #require(
                    try context.first(Terminal.self, where: { $0.number == 21 }))
                func codes(
                    _ predicate: (FetchSubject<Airport>) -> FetchPredicate
                ) throws -> [String] {
                    try context.fetch(Airport.self, where: predicate, orderBy: \.code).map(\.code)
                }
                let bgo = try #require(try context.first(Airport.self, where: { $0.code == "BGO" }))
                #expect(try codes { $0.city == bergen } == ["BGO"])
                #expect(try codes { $0.city != bergen.objectID } == ["AES", "OSL", "TOS"])
                #expect(try codes { $0.city.isIn([bergen.objectID]) } == ["BGO"])
                #expect(try codes { $0.terminals.contains(terminal) } == ["TOS"])
                #expect(try codes { $0 == bgo } == ["BGO"])
                #expect(try codes { $0 != bgo } == ["AES", "OSL", "TOS"])
            }
        }
    }

    @Test func selectsValuesOfAllTypesFromLongLists() async throws {
        let store = try await files.open([
            EntityDescription(
                "Sample",
                attributes: [
                    AttributeDescription("number", .double), AttributeDescription("text", .text),
                    AttributeDescription("data", .data),
                ])
        ])
        try await store.perform { context in
            let numbers = [
                0.1 + 0.2, .infinity, Double.leastNonzeroMagnitude, -Double.greatestFiniteMagnitude,
            ]
            for (index, number) in numbers.enumerated() {
                let sample = try context.insert(entity: "Sample")
                try sample.setValue(number, "number")
                try sample.setValue("a\0\(index)", "text")
                try sample.setValue(Data([0, UInt8(index)]), "data")
            }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                let many = (0..<100_000).map { Double($0) + 0.5 }
                let texts = (0..<50_000).map { "b\0\($0)" }
                let data = (0..<50_000).map { Data("\($0)".utf8) }
                for predicate in [
                    FetchPredicate.attribute("number", in: many + numbers),
                    .attribute("text", in: texts + (0..<4).map { "a\0\($0)" }),
                    .attribute("data", in: data + (0..<4).map { Data([0, $0]) }),
                ] {
                    #expect(try context.count(FetchRequest("Sample", where: predicate)) == 4)
                    #expect(try context.count(FetchRequest("Sample", where: !predicate)) == 0)
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func selectsSubentities(_ isSaved: Bool) async throws {
        let store = try await files.open(TownEntities.all)
        try await store.perform { context in
            defer { context.rollback() }
            for (entity, name) in [("Person", "p"), ("Student", "s")] {
                try context.insert(entity: entity).setValue(name, "name")
            }
            if isSaved { try context.save() }
            func names(_ request: FetchRequest) throws -> [String] {
                try context.fetchValues(request, of: ["name"]).map { try $0.value("name") }.sorted()
            }
            var exact = FetchRequest("Person")
            exact.includesSubentities = false
            #expect(try names(FetchRequest("Person")) == ["p", "s"])
            #expect(try names(exact) == ["p"])
            #expect(try names(FetchRequest("Student")) == ["s"])
            #expect(try names(FetchRequest("Person", where: .entity("Student"))) == ["s"])
            #expect(try names(FetchRequest("Person", where: !.entity("Student"))) == ["p"])
            #expect(
                try names(
                    FetchRequest("Person", where: .entity("Person", includesSubentities: false)))
                    == ["p"])
            #expect(
                try Set(context.fetch(FetchRequest("Person")).map(\.objectID.entityName))
                    == ["Person", "Student"])
        }
    }

    @Test func followsSixRelationships() async throws {
        let store = try await files.open(TownEntities.all)
        try await store.perform { context in
            let people = try (0..<7).map { number in
                let person = try context.insert(entity: "Person")
                try person.setValue("\(number)", "name")
                return person
            }
            for (person, next) in zip(people, people.dropFirst()) {
                try person.setRelated("friends", try person.related("friends") + [next])
            }
            let last = FetchPredicate.attribute("name", .equal, "6")
            let predicate = (0..<6).reduce(last) { inner, _ in
                .any("friends", inner || .attribute("age", .equal, 99))
            }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                // Friendship is mutual, so that an even number of steps leads back as well.
                let found = try context.fetch(FetchRequest("Person", where: predicate))
                #expect(Set(found) == [people[0], people[2], people[4], people[6]])
            }
        }
    }

    @Test func rejectsValuesOfOtherTypes() async throws {
        let store = try await files.open(TownEntities.all)
        let predicates: [(FetchPredicate, PersistenceError.Code)] = [
            (.attribute("age", .equal, "3"), .invalidPredicate),
            (.attribute("name", .equal, 3), .invalidPredicate),
            (.attribute("name", in: [1, 2]), .invalidPredicate),
            (.attribute("name", .equal, attribute: "age"), .invalidPredicate),
            (.text("age", .contains, "3"), .invalidPredicate),
            (.any("friends", .attribute("nme", .equal, "x")), .unknownProperty),
            (.any("name", .all), .unknownProperty),
            (.count("house", .equal, 1), .unknownProperty),
            (.attribute("friends.name", .equal, "x"), .unknownProperty),
            (.entity("Animal"), .unknownEntity),
            (
                (0..<7).reduce(.all) { predicate, _ in .any("friends", predicate) },
                .invalidPredicate
            ),
        ]
        let codes = try await store.perform { context in
            predicates.map { predicate, _ in
                #expect(throws: PersistenceError.self) {
                    try context.count(FetchRequest("Person", where: predicate))
                }?.code
            }
        }
        #expect(codes == predicates.map(\.1))
    }
}
