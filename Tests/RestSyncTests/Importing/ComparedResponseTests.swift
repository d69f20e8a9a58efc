// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

@Entity private final class Shelf: ManagedObject {
    @Identity var code: String
    var note: String?
    @Inverse(\Volume.shelf) var volumes: [Volume]
    @Inverse(\Loan.shelf) @Reference var loans: Set<Loan>
    @Inverse("shelves") var themes: Set<Theme>
}

@Entity private class Volume: ManagedObject {
    @Identity var series: Int
    @Identity var number: Int
    var title: String?
    var shelf: Shelf?
}

@Entity private final class Atlas: Volume {
    var scale: Int?
}

@Entity private final class Loan: ManagedObject {
    @Identity var id: UUID
    var since: Date?
    @Reference var shelf: Shelf?
}

@Entity private final class Theme: ManagedObject {
    @Identity var day: Date
    var name: String?
    @Inverse("themes") var shelves: Set<Shelf>
}

/// Random responses whose rows SQLite finds and compares, beside imports that read them, by every way in.
@MainActor @Suite(.tags(.socket)) struct ComparedResponseTests {
    private enum Way: CaseIterable {
        case store, context, pages, importer, document
    }

    /// A document of a list, and the path at which the server has it.
    private struct Step {
        let path: String
        let text: String
    }

    private static let caseCount: UInt64 = 8

    @Test(arguments: Way.allCases) private func rowsAreSameWithoutComparing(_ way: Way) async throws
    {
        for seed in 0..<Self.caseCount {
            let found = try await Self.content(after: way, seed, compares: true)
            let expected = try await Self.content(after: way, seed, compares: false)
            #expect(found == expected, "seed \(seed)")
            #expect(found.last?.isEmpty == false)
        }
    }

    /// Imports the random documents of a seed, some of them twice, and returns the content of the store after each.
    private static func content(
        after way: Way, _ seed: UInt64, compares: Bool
    ) async throws -> [[String]] {
        var configuration = StoreConfiguration()
        configuration.comparesImportsInSQLite = compares
        let temporary = try await TemporaryStore(
            [Shelf.self, Volume.self, Atlas.self, Loan.self, Theme.self],
            configuration: configuration)
        var source = RandomShelves(generator: SplitMix64(seed: seed))
        var steps: [Step] = []
        for _ in 0..<8 {
            if let known = steps.randomElement(using: &source.generator), source.chance(3) {
                steps.append(known)
            } else {
                let (path, text) = source.document()
                steps.append(Step(path: path, text: text))
            }
        }
        let documents = steps
        return try await LoopbackServer.run { request in
            let number = Int(request.query.replacing("step=", with: "")) ?? 0
            return .json(documents[number].text)
        } body: { server in
            let api = try manager(at: server.baseURL)
            try api.add(
                ResponseDescriptor(Shelf.self, at: "shelves"),
                ResponseDescriptor(Volume.self, at: "volumes"),
                ResponseDescriptor(Atlas.self, at: "atlases"),
                ResponseDescriptor(Loan.self, at: "loans"))
            var content: [[String]] = []
            for (number, step) in documents.enumerated() {
                let target = "\(step.path)?step=\(number)"
                switch step.path {
                case "shelves":
                    try await load(Shelf.self, target, step.text, way, api, temporary)
                case "volumes":
                    try await load(Volume.self, target, step.text, way, api, temporary)
                case "atlases":
                    try await load(Atlas.self, target, step.text, way, api, temporary)
                default: try await load(Loan.self, target, step.text, way, api, temporary)
                }
                content.append(try await self.content(of: temporary))
            }
            return content
        }
    }

    private static func load<Object: ManagedEntity>(
        _ type: Object.Type, _ target: String, _ text: String, _ way: Way, _ api: ObjectManager,
        _ temporary: TemporaryStore
    ) async throws {
        let store = temporary.store
        switch way {
        case .store: try await api.getObjects(type, at: target, into: store)
        case .context: _ = try await api.getObjects(type, at: target, in: store.mainContext)
        case .pages:
            _ = try await api.pages(of: type, at: target, by: .linkHeader, into: store).fetchAll()
        case .importer:
            let file = temporary.directory.appending(path: "document.json")
            try Data(text.utf8).write(to: file)
            let importer = ManagedObjectImporter(store)
            try await importer.importObjects(from: file, by: EntityMapping(type))
            try await importer.finish()
        case .document:
            let plan = try EntityMappingPlan(EntityMapping(type), in: store.model)
            try await store.importObjects(from: Document(parsing: text).root, by: plan)
        }
    }

    /// Returns the objects of a store as text, and the references that wait.
    private static func content(of temporary: TemporaryStore) async throws -> [String] {
        var lines = try await temporary.store.read { context in
            try context.fetch(Shelf.self).map { shelf in
                let volumes = shelf.volumes.map { "\($0.series).\($0.number)" }
                let loans = shelf.loans.map(\.id.uuidString).sorted()
                let themes = shelf.themes.map { "\($0.day)" }.sorted()
                return "\(shelf.code) \(shelf.note ?? "-") \(volumes) \(loans) \(themes)"
            }
        }
        lines += try temporary.rows(
            "SELECT series, number, title, scale, restkit_entity FROM Volume")
        lines += try temporary.rows("SELECT id, since, shelf IS NULL FROM Loan")
        lines += try temporary.rows("SELECT day, name FROM Theme")
        let waiting = "SELECT 1 FROM sqlite_schema WHERE name = 'restkit_pending'"
        if try !temporary.rows(waiting).isEmpty {
            lines += try temporary.rows("SELECT relationship, identity FROM restkit_pending")
        }
        return lines.sorted()
    }
}

/// Random documents of shelves, volumes and loans.
private struct RandomShelves {
    var generator: SplitMix64

    private static let loans = (1...4).map { "\"2E0F5C70-1A1B-4C1D-8E1F-00000000000\($0)\"" }

    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    private mutating func any(_ values: [String]) -> String {
        values.randomElement(using: &generator) ?? "null"
    }

    private mutating func list(_ element: (inout RandomShelves) -> String) -> String {
        let count = Int.random(in: 0..<4, using: &generator)
        return "[\((0..<count).map { _ in element(&self) }.joined(separator: ", "))]"
    }

    /// Returns the path and the text of a document.
    mutating func document() -> (path: String, text: String) {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: ("volumes", list { $0.volume(hasShelf: true) })
        case 1: ("atlases", list { $0.volume(hasShelf: true, isAtlas: true) })
        case 2: ("loans", list { $0.loan() })
        default: ("shelves", list { $0.shelf() })
        }
    }

    private mutating func shelf() -> String {
        var members = ["\"code\": \(any(["\"a\"", "\"b\"", "\"c\""]))"]
        if chance(2) { members.append("\"note\": \(any(["\"n\"", "\"é\"", "null"]))") }
        if chance(2) { members.append("\"volumes\": \(list { $0.volume(hasShelf: false) })") }
        if chance(2) { members.append("\"loans\": \(list { $0.any(Self.loans) })") }
        if chance(2) { members.append("\"themes\": \(list { $0.theme() })") }
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func volume(hasShelf: Bool, isAtlas: Bool = false) -> String {
        var members = [
            "\"series\": \(isAtlas ? "3" : any(["1", "2"]))", "\"number\": \(any(["1", "2", "3"]))",
        ]
        if chance(2) { members.append("\"title\": \(any(["\"t\"", "\"u\"", "null"]))") }
        if isAtlas, chance(2) { members.append("\"scale\": \(any(["1", "2", "null"]))") }
        if hasShelf, chance(2) { members.append("\"shelf\": \(chance(3) ? "null" : shelf())") }
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func loan() -> String {
        var members = ["\"id\": \(any(Self.loans))"]
        if chance(2) { members.append("\"since\": \(any(["\"2024-05-01T12:00:00Z\"", "null"]))") }
        if chance(2) { members.append("\"shelf\": \(any(["\"a\"", "\"d\"", "null"]))") }
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func theme() -> String {
        let day = any([
            "\"2024-05-01T12:00:00Z\"", "\"2024-05-01T14:00:00+02:00\"", "\"2024-05-02T00:00:00Z\"",
        ])
        return "{\"day\": \(day), \"name\": \(any(["\"x\"", "\"y\"", "null"]))}"
    }
}
