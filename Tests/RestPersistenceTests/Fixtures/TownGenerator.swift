// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence

/// Random graphs, changes and requests of ``TownEntities``.
struct TownGenerator: Sendable {
    var random: SeededGenerator
    private var houseCount = 0

    init(_ random: SeededGenerator) { self.random = random }

    // MARK: Graphs

    mutating func build(in context: ManagedObjectContext) throws {
        for _ in 0..<6 { _ = try insertHouse(in: context) }
        for _ in 0..<24 { _ = try insertPerson(in: context) }
        for _ in 0..<4 { _ = try insertTag(in: context) }
        try change(in: context, count: 60)
    }

    private mutating func insertHouse(in context: ManagedObjectContext) throws -> ManagedObject {
        let house = try context.insert(entity: "House")
        // Unique, whichever generator inserts it.
        try house.setValue(Int(house.objectID.key), "number")
        try house.setValue(text(), "city")
        try house.setValue(number(), "size")
        return house
    }

    private mutating func insertPerson(in context: ManagedObjectContext) throws -> ManagedObject {
        let isStudent = Bool.random(using: &random)
        let person = try context.insert(entity: isStudent ? "Student" : "Person")
        try person.setValue(text(), "name")
        return person
    }

    private mutating func insertTag(in context: ManagedObjectContext) throws -> ManagedObject {
        let tag = try context.insert(entity: "Tag")
        try tag.setValue(text(), "label")
        return tag
    }

    /// Applies random changes: insertions, updates, deletions and changes of relationships.
    mutating func change(in context: ManagedObjectContext, count: Int) throws {
        for _ in 0..<count {
            let people = try context.fetch(FetchRequest("Person"))
            let houses = try context.fetch(FetchRequest("House"))
            let tags = try context.fetch(FetchRequest("Tag"))
            guard let person = people.randomElement(using: &random),
                let house = houses.randomElement(using: &random)
            else {
                _ = try insertPerson(in: context)
                _ = try insertHouse(in: context)
                continue
            }
            let others = (0..<3).compactMap { _ in people.randomElement(using: &random) }
            switch Int.random(in: 0..<16, using: &random) {
            case 0: _ = try insertPerson(in: context)
            case 1: _ = try insertHouse(in: context)
            case 2: context.delete(person)
            case 3 where houses.count > 3: context.delete(house)
            case 4: if let tag = tags.randomElement(using: &random) { context.delete(tag) }
            case 5: _ = try insertTag(in: context)
            case 6: try person.setValue(text(), "name")
            case 7: try person.setValue(number(), "age")
            case 8: try person.setValue(number().map(Double.init), "score")
            case 9: try person.setRelated("house", Bool.random(using: &random) ? [house] : [])
            case 10: try house.setRelated("owner", Bool.random(using: &random) ? [person] : [])
            case 11: try person.setRelated("friends", Self.unique(others))
            case 12: try person.setRelated("tags", Self.unique(tags.shuffled(using: &random)))
            case 13: try house.setValue(text(), "city")
            case 14: try house.setRelated("residents", Self.unique(others))
            default:
                try person.setValue(decimal(), "income")
                try person.setValue([text(), text()], "labels")
                if person.objectID.entityName == "Student" {
                    try person.setRelated("mentor", Array(others.prefix(1)))
                    try person.setValue(number(), "grade")
                }
            }
        }
    }

    private static func unique(_ objects: [ManagedObject]) -> [ManagedObject] {
        Array(Set(objects)).sorted { $0.objectID.key < $1.objectID.key }.prefix(3).map(\.self)
    }

    private mutating func text() -> String {
        TownEntities.texts.randomElement(using: &random) ?? ""
    }

    private mutating func number() -> Int? {
        let number = Int.random(in: 0..<6, using: &random)
        return number == 5 ? nil : number
    }

    private mutating func decimal() -> Decimal? { number().map { Decimal($0 * 7) / 2 - 5 } }

    // MARK: Requests

    mutating func request(in context: ManagedObjectContext) throws -> FetchRequest {
        let ids = try context.fetchIDs(FetchRequest("House"))
        let paths = [
            "name", "age", "score", "income", "house.city", "house.owner.name", "property.size",
        ]
        var request = FetchRequest(
            Bool.random(using: &random) ? "Person" : "Student", where: predicate(3, ids),
            orderBy: (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                let path = paths.randomElement(using: &random) ?? "name"
                return Bool.random(using: &random) ? .ascending(path) : .descending(path)
            },
            limit: Bool.random(using: &random) ? 7 : nil,
            offset: Int.random(in: 0..<3, using: &random))
        request.includesSubentities = Int.random(in: 0..<4, using: &random) > 0
        return request
    }

    private mutating func comparison() -> FetchOperator {
        let all: [FetchOperator] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ]
        return all.randomElement(using: &random) ?? .equal
    }

    private mutating func textComparison() -> FetchPredicate {
        let kinds: [TextComparison] = [.equal, .hasPrefix, .hasSuffix, .contains]
        let options = TextOptions(rawValue: Int.random(in: 0..<4, using: &random))
        let path = ["name", "house.city", "property.owner.name"].randomElement(using: &random)
        return .text(
            path ?? "name", kinds.randomElement(using: &random) ?? .equal, text(), options)
    }

    /// Returns a predicate of a person.
    private mutating func predicate(_ depth: Int, _ houses: [ManagedObjectID]) -> FetchPredicate {
        switch Int.random(in: 0..<(depth > 0 ? 24 : 12), using: &random) {
        case 0:
            return Bool.random(using: &random)
                ? .attribute("name", comparison(), text())
                : .attribute("income", comparison(), decimal())
        case 1:
            return Bool.random(using: &random)
                ? .attribute("age", comparison(), number()) : .contains(text(), in: "labels")
        case 2: return .attribute("house.city", comparison(), text())
        case 3: return .attribute("house.owner.age", comparison(), number())
        case 4: return .attribute("property.size", comparison(), number())
        case 5: return .attribute("age", comparison(), attribute: "house.size")
        case 6: return .attribute("house.size", in: [nil, number(), number()])
        case 7: return textComparison()
        case 8: return .count("friends", comparison(), Int.random(in: 0..<3, using: &random))
        case 9:
            return .count(
                "house.residents", comparison(), Int.random(in: 0..<4, using: &random))
        case 10:
            let id = houses.randomElement(using: &random)
            return .relationship("house", Bool.random(using: &random) ? id : nil)
        case 11:
            return .entity("Student", includesSubentities: Bool.random(using: &random))
        case 12: return .any("friends", predicate(depth - 1, houses))
        case 13: return .all("friends", predicate(depth - 1, houses))
        case 14: return .none("house.residents", predicate(depth - 1, houses))
        case 15: return .any("tags", .attribute("label", comparison(), text()))
        case 16: return .all("tags", .attribute("label", comparison(), text()))
        case 17: return .relationship("house.owner", nil)
        case 18, 19: return !predicate(depth - 1, houses)
        case 20, 21: return predicate(depth - 1, houses) && predicate(depth - 1, houses)
        default: return predicate(depth - 1, houses) || predicate(depth - 1, houses)
        }
    }
}
