// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestDocument
import RestMapping
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence

/// Imports whose rows SQLite finds and compares, beside imports that read them.
///
/// Set `RESTKIT_COMPARED_CASES` for more cases.
@Suite struct ComparedImportTests {
    private static let cases = TestEnvironment.number("RESTKIT_COMPARED_CASES") ?? 15

    private static let entities = [
        EntityDescription(
            "Item",
            attributes: [
                AttributeDescription("id", .integer, isOptional: true, isIdentity: true),
                AttributeDescription("name", .text, isOptional: true),
                AttributeDescription("score", .double, isOptional: true),
                AttributeDescription("flag", .boolean, isOptional: true),
                AttributeDescription("when", .date, isOptional: true),
                AttributeDescription("day", .day, isOptional: true),
                AttributeDescription("code", .uuid, isOptional: true),
                AttributeDescription("amount", .decimal, isOptional: true),
                AttributeDescription("size", .unsignedInteger, isOptional: true),
                AttributeDescription("link", .url, isOptional: true),
                AttributeDescription("extra", .json, isOptional: true),
                AttributeDescription("guideID", .integer, isOptional: true),
            ],
            relationships: [
                .toOne("owner", "Item", reference: ReferenceDescription(by: "id")),
                .toOne("twin", "Item", inverse: "twin"),
                .toOne("badge", "Badge", inverse: "bearer"),
                .toOne("guide", "Item", inverse: "guided"),
                .toMany("guided", "Item", inverse: "guide", isOrdered: true),
                .toMany("parts", "Part", inverse: "item", isOrdered: true),
                .toMany("labels", "Label", inverse: "items"),
                .toMany(
                    "ranking", "Label", isOrdered: true,
                    reference: ReferenceDescription(by: "name")),
                .toMany("notes", "Note", deleteRule: .cascade),
                .toOne("parent", "Item", reference: ReferenceDescription(by: "id")),
                .toMany(
                    "children", "Item", inverse: "parent", reference: ReferenceDescription(by: "id")
                ),
                .toMany(
                    "queue", "Stamp", inverse: "holder", isOrdered: true,
                    reference: ReferenceDescription(by: "code", missing: .skipped)),
                .toMany("visits", "Visit", inverse: "guest"),
                .toMany("tags", "Tag", inverse: "item"),
            ]),
        EntityDescription(
            "Special", inheriting: "Item",
            attributes: [AttributeDescription("power", .integer, isOptional: true)]),
        EntityDescription(
            "Part",
            attributes: [
                AttributeDescription("row", .integer, isIdentity: true),
                AttributeDescription("column", .text, isIdentity: true),
                AttributeDescription("value", .double, isOptional: true),
            ],
            relationships: [.toOne("item", "Item", inverse: "parts")]),
        EntityDescription(
            "Label",
            attributes: [
                AttributeDescription("name", .text, isIdentity: true),
                AttributeDescription("color", .text, isOptional: true),
            ],
            relationships: [.toMany("items", "Item", inverse: "labels")]),
        EntityDescription(
            "Badge",
            attributes: [
                AttributeDescription("number", .integer, isOptional: true, isIdentity: true),
                AttributeDescription("color", .text, isOptional: true),
            ],
            relationships: [.toOne("bearer", "Item", inverse: "badge")]),
        EntityDescription(
            "Note", attributes: [AttributeDescription("text", .text, isOptional: true)]),
        EntityDescription(
            "Stamp",
            attributes: [
                AttributeDescription("code", .uuid, isIdentity: true),
                AttributeDescription("value", .integer, isOptional: true),
            ],
            relationships: [.toOne("holder", "Item", inverse: "queue")]),
        EntityDescription(
            "Visit",
            attributes: [
                AttributeDescription("at", .date, isIdentity: true),
                AttributeDescription("note", .text, isOptional: true),
            ],
            relationships: [.toOne("guest", "Item", inverse: "visits")]),
        EntityDescription(
            "Tag",
            attributes: [
                AttributeDescription("text", .text, isOptional: true),
                AttributeDescription("group", .integer, isOptional: true),
            ],
            relationships: [.toOne("item", "Item", inverse: "tags")]),
    ]

    private static let rules: [String: EntityRules] = [
        "Item": EntityRules(connections: [Connection("guide", by: ["guideID": "id"])]),
        "Part": EntityRules(deletionPredicate: .attribute("value", .equal, 2.5)),
        "Tag": EntityRules(
            identification: ["text"], identificationPredicate: .attribute("group", .equal, 1)),
    ]

    /// Returns the default mapping of an entity.
    private static func mapping(of entity: String, in store: ManagedObjectStore) throws -> Mapping {
        ObjectMapping(defaultFor: try #require(store.model.properties(of: entity))).mapping
    }

    /// Returns a mapping of items that unites some lists with the stored ones, and replaces the objects of others.
    private static func unitingMapping(in store: ManagedObjectStore) throws -> Mapping {
        var mapping = try store.mapping("Item")
        mapping.add("id", from: "id")
        for name in ["parts", "children", "queue"] {
            mapping.add(
                RelationshipMapping(
                    SourcePath([.key("more_\(name)")]), to: name, assignment: .union))
        }
        for name in ["visits", "labels"] {
            mapping.add(
                RelationshipMapping(
                    SourcePath([.key("only_\(name)")]), to: name, assignment: .replace))
        }
        return mapping.mapping
    }

    /// The report of an import, and the content of the file after it.
    private struct Outcome: Equatable, Sendable {
        var error: String?
        var entities: [String: ImportCounts] = [:]
        var keys: [Int64] = []
        var report = MappingReport()
        var contained: Set<Int64> = []
        var isHeldBack = false
        var saved = SaveReport()
        var tables: [[[String]]] = []
    }

    /// With a fence, others save between a request and the import of its response.
    @Test(arguments: [false, true])
    func storesAndReportsAreSameWithoutComparing(isFenced: Bool) async throws {
        var heldBackCount = 0
        for seed in 0..<Self.cases {
            let outcomes = try await [true, false].asyncMap {
                try await Self.run(seed, compares: $0, isFenced: isFenced)
            }
            heldBackCount += outcomes[0].count(where: \.isHeldBack)
            for (index, (found, expected)) in zip(outcomes[0], outcomes[1]).enumerated() {
                #expect(found == expected, "seed \(seed), import \(index)")
                if found != expected { return }
            }
            #expect(outcomes[0].count == outcomes[1].count)
        }
        #expect(isFenced == (heldBackCount > 0))
    }

    /// Imports the random documents of a seed into a store of their own.
    private static func run(
        _ seed: Int, compares: Bool, isFenced: Bool
    ) async throws -> [Outcome] {
        let files = try TemporaryStore()
        var configuration = StoreConfiguration()
        configuration.comparesImportsInSQLite = compares
        let store = try await ManagedObjectStore(
            at: files.file, model: ManagedObjectModel(entities), configuration: configuration)
        var generator = SeededGenerator(state: UInt64(seed))
        let names = ["Item", "Special", "Label", "Part", "Stamp", "Visit", "Badge"]
        let mappings =
            try names.map { try mapping(of: $0, in: store) } + [unitingMapping(in: store)]
        let plans = try mappings.map {
            try EntityMappingPlan(EntityMapping($0, rules: rules), in: store.model)
        }
        var outcomes: [Outcome] = []
        var former: [(text: String, plan: Int)] = []
        for _ in 0..<8 {
            var (text, plan) = ("", 0)
            if let known = former.randomElement(using: &generator),
                Int.random(in: 0..<3, using: &generator) == 0
            {
                (text, plan) = known
            } else {
                plan = [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 7].randomElement(using: &generator) ?? 0
                var payload = Payload(generator: generator)
                text = payload.list(of: plan < names.count ? names[plan] : "Item")
                generator = payload.generator
                former.append((text, plan))
            }
            let edits = Int.random(in: 0..<4, using: &generator) == 0
            let isChild = Int.random(in: 0..<4, using: &generator) == 0
            let request = store.moment.beginningRequest(store.database.feed)
            if isFenced {
                let state = generator.next()
                try await store.perform { context in
                    do {
                        try Self.edit(in: context, SeededGenerator(state: state))
                        try context.save()
                    } catch {
                        context.rollback()
                    }
                }
            }
            let fence = request.fence(ofWrite: false)
            #expect(isFenced || fence == nil)
            let state = generator.next()
            let mapping = plans[plan]
            let document = try Document(parsing: text)
            let imported = try await store.perform { context -> Outcome in
                var outcome = Outcome()
                if edits { try Self.edit(in: context, SeededGenerator(state: state)) }
                do {
                    var options = ImportOptions()
                    options.collectsContainedKeys = true
                    options.fence = fence
                    let importing = isChild ? context.child() : context
                    let result = try importing.importObjects(
                        try MappedRepresentation(document.root, by: mapping), options)
                    if isChild { try importing.save() }
                    outcome.entities = result.counts
                    outcome.keys = result.objectIDs.map(\.key)
                    outcome.report = result.report
                    outcome.contained = result.containedKeys
                    outcome.isHeldBack = result.isHeldBack
                    outcome.saved = try context.save()
                } catch {
                    outcome.error = "\(error)"
                    context.rollback()
                }
                return outcome
            }
            request.endRequest()
            outcomes.append(imported)
            let tables = try files.rows(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            outcomes[outcomes.count - 1].tables = try tables.map { name in
                // The numbers of the file and its identity are its own.
                if name[0] == "restkit_store" || name[0] == "restkit_commit" { return [] }
                return try files.rows("SELECT * FROM \"\(name[0])\" ORDER BY 1, 2")
            }
        }
        return outcomes
    }

    /// Changes objects at random, which the import finds unsaved.
    private static func edit(
        in context: ManagedObjectContext, _ generator: SeededGenerator
    ) throws {
        var generator = generator
        var items = try context.fetch(FetchRequest("Item"))
        items.sort { $0.objectID.key < $1.objectID.key }
        let labels = try context.fetch(FetchRequest("Label")).sorted {
            $0.objectID.key < $1.objectID.key
        }
        for _ in 0..<3 {
            guard let item = items.randomElement(using: &generator) else { return }
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: try item.setValue("n1", "name")
            case 1: try item.setValue(Double?.none, "score")
            case 2: try item.setRelated("labels", Array(labels.prefix(2)))
            case 3: try item.setRelated("ranking", Array(labels.suffix(2).reversed()))
            default:
                context.delete(item)
                items.removeAll { $0 === item }
            }
        }
    }

    /// SQLite limits the arguments of a function; more columns are compared in another way.
    @Test(arguments: [64, 65, 124, 125, 126, 200])
    func comparesAllColumns(count: Int) async throws {
        let files = try TemporaryStore()
        let store = try await files.open([
            EntityDescription(
                "Wide",
                attributes: [AttributeDescription("id", .integer, isIdentity: true)]
                    + (1..<count).map { AttributeDescription("a\($0)", .integer) })
        ])
        let table = try #require(store.model.properties(of: "Wide"))
        let plan = try EntityMappingPlan(
            EntityMapping(ObjectMapping(defaultFor: table)), in: store.model)
        func load(_ last: Int) async throws -> ImportCounts {
            let values = (1..<count).map { ", \"a\($0)\": \($0 == count - 1 ? last : $0)" }
            let document = try Document(parsing: #"[{"id": 1\#(values.joined())}]"#)
            return try await store.importObjects(from: document.root, by: plan).total
        }
        #expect(try await load(7).inserted == 1)
        #expect(try await load(7).unchanged == 1)
        #expect(try await load(8).updated == 1)
        #expect(
            try files.rows("SELECT a\(count - 2), a\(count - 1) FROM Wide") == [
                ["\(count - 2)", "8"]
            ])
    }

    // MARK: Statements

    /// Imports a document again, and returns the first result, the second, and the statements of the second.
    private static func importAgain(
        _ text: String, by plan: EntityMappingPlan, into store: ManagedObjectStore
    ) async throws -> (first: ImportResult, again: ImportResult, statements: [String]) {
        let document = try Document(parsing: text)
        let first = try await store.importObjects(from: document.root, by: plan)
        let (again, statements) = try await store.write { context in
            let statements = Mutex<[String]>([])
            let connection = try #require(context.transaction?.connection)
            connection.trace { event in
                let text = "\(event)"
                statements.withLock { $0.append(text) }
            }
            defer { connection.trace() }
            let result = try context.importObjects(from: document.root, by: plan)
            let layers = context.layered.layers.top
            #expect(layers.tables.allSatisfy { $0.count == 0 })
            #expect(layers.links.allSatisfy(\.isEmpty) && layers.pending.isEmpty)
            return (result, statements.withLock(\.self))
        }
        #expect(first.total.inserted > 0)
        #expect(again.total.unchanged == first.total.inserted)
        #expect(again.total.updated + again.total.inserted == 0)
        return (first, again, statements)
    }

    /// Statements that name a table without comparing its rows in SQLite, and without asking whether rows exist.
    private static func reading(_ statements: [String]) -> [String] {
        statements.filter { sql in
            !sql.contains("restkit_batch") && !sql.contains("SELECT 1 ") && !sql.contains("PRAGMA")
                && entities.contains { sql.contains("\"\($0.name)\"") }
        }
    }

    /// Documents whose second import changes nothing.
    ///
    /// References to members lie in columns of objects that the documents lack.
    private static let unchanged = [
        """
        [{"id": 1, "name": "a", "score": 5, "labels": [{"name": "x"}, {"name": "y"}],
          "ranking": ["y", "x"], "parts": [{"row": 1, "column": "a", "value": 1},
          {"row": 1, "column": "b"}], "visits": [{"at": "2024-05-01T12:00:00Z", "note": "v"}]},
         {"id": 2, "owner": 1},
         {"id": 3, "name": "a\\nb", "flag": true, "when": "2024-05-01T14:00:00+02:00",
          "day": "2024-05-01", "code": "2E0F5C70-1A1B-4C1D-8E1F-0123456789AB", "amount": 1.50,
          "size": 18446744073709551615, "link": "http://a.example", "extra": {"b": [1]}}]
        """,
        """
        [{"id": 4, "children": [11, 10], "queue": ["2E0F5C70-1A1B-4C1D-8E1F-000000000002",
          "2E0F5C70-1A1B-4C1D-8E1F-000000000001"]}]
        """,
        """
        [{"id": 4, "more_children": [11, 10], "more_queue": ["2E0F5C70-1A1B-4C1D-8E1F-000000000002",
          "2E0F5C70-1A1B-4C1D-8E1F-000000000001"], "more_parts": [{"row": 2, "column": "b"}]}]
        """,
        """
        [{"id": 4, "only_labels": [{"name": "x"}], "only_visits": [{"at": "2024-05-01T12:00:00Z"}]}]
        """,
    ]

    /// The import of a document that changes nothing.
    @Test(arguments: unchanged) func unchangedDocumentReadsNoRow(_ text: String) async throws {
        let files = try TemporaryStore()
        let store = try await files.open(Self.entities)
        let plan = try EntityMappingPlan(
            EntityMapping(
                text.contains("_")
                    ? try Self.unitingMapping(in: store) : try Self.mapping(of: "Item", in: store)),
            in: store.model)
        try await store.perform { context in
            for id in [10, 11] { _ = try context.insert("Item", ["id": id]) }
            for number in 1...2 {
                let code = try #require(
                    UUID(uuidString: "2E0F5C70-1A1B-4C1D-8E1F-00000000000\(number)"))
                _ = try context.insert("Stamp", ["code": code])
            }
            try context.save()
        }
        let statements = try await Self.importAgain(text, by: plan, into: store).statements
        #expect(statements.contains { $0.contains("restkit_match") })
        #expect(statements.contains { $0.contains("restkit_member") })
        #expect(Self.reading(statements) == [])
    }

    /// Parts without identity and partners, of which the import needs the keys of the other side.
    @Test(arguments: [
        #"[{"id": 1, "notes": [{"text": "a"}, {"text": "b"}]}, {"id": 2, "notes": [{}]}]"#,
        #"[{"id": 1, "badge": {"number": 7, "color": "red"}}, {"id": 2, "badge": null}]"#,
        #"[{"id": 1, "name": "a", "twin": {"id": 2, "name": "b"}}]"#,
    ])
    func unchangedPartsAndPartnersReadOnlyKeys(_ text: String) async throws {
        let files = try TemporaryStore()
        let store = try await files.open(Self.entities)
        let plan = try EntityMappingPlan(
            EntityMapping(try Self.mapping(of: "Item", in: store)), in: store.model)
        let statements = try await Self.importAgain(text, by: plan, into: store).statements
        let reading = Self.reading(statements)
        let attributes = Set(Self.entities.flatMap { $0.attributes.map(\.name) })
        #expect(reading.filter { sql in attributes.contains { sql.contains("\"\($0)\"") } } == [])
    }
}

/// Random documents of items and of what they contain.
private struct Payload {
    var generator: SeededGenerator

    private mutating func chance(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &generator) == 0
    }

    private mutating func any(_ values: [String]) -> String {
        values.randomElement(using: &generator) ?? "null"
    }

    mutating func list(of entity: String) -> String {
        let objects = (0..<Int.random(in: 1..<6, using: &generator)).map { _ in
            switch entity {
            case "Label": label(depth: 0)
            case "Part": part(depth: 0)
            case "Stamp": stamp()
            case "Visit": visit(depth: 0)
            case "Badge": badge(depth: 0)
            default: item(nil, isSpecial: entity == "Special")
            }
        }
        return "[\(objects.joined(separator: ", "))]"
    }

    mutating func item(_ id: Int?, isSpecial: Bool = false, depth: Int = 0) -> String {
        let known = id ?? Int.random(in: 0..<6, using: &generator) + (isSpecial ? 3 : 0)
        var members = [
            id == nil && chance(10)
                ? #""id": null"# : chance(5) ? #""id": "\#(known)""# : #""id": \#(known)"#
        ]
        let values: [(String, [String])] = [
            ("name", ["\"n1\"", "\"é\"", #""a\nb""#, "\"\"", "null", #""\u00e9""#]),
            ("score", ["5", "5.0", "0.1", "-0.0", "1e300", "null", "9007199254740993"]),
            ("flag", ["true", "false", "null"]),
            ("when", ["\"2024-05-01T12:00:00Z\"", "\"2024-05-01T14:00:00+02:00\"", "null"]),
            ("day", ["\"2024-05-01\"", "\"2024-05-02\""]),
            (
                "code",
                [
                    "\"2E0F5C70-1A1B-4C1D-8E1F-0123456789AB\"",
                    "\"2e0f5c70-1a1b-4c1d-8e1f-0123456789ab\"",
                ]
            ),
            ("amount", ["1.50", "\"1.5\"", "1.5", "null"]),
            ("size", ["18446744073709551615", "1", "\"1\""]),
            ("link", ["\"http://a.example/b?c\"", "null"]),
            ("extra", [#"{"b": 1, "a": [1, null]}"#, #"{"a":[1,null],"b":1}"#, "[]"]),
        ]
        for (name, choices) in values where chance(2) {
            members.append("\"\(name)\": \(any(choices))")
        }
        if chance(2) { members.append("\"guideID\": \(any(["0", "2", "3", "null"]))") }
        if isSpecial, chance(2) { members.append("\"power\": \(any(["1", "2", "null"]))") }
        if chance(3) { members.append("\"owner\": \(any(["0", "1", "4", "9", "null"]))") }
        if depth == 0, chance(4) {
            members.append("\"twin\": \(chance(3) ? "null" : item(nil, depth: 1))")
        }
        if depth == 0, chance(4) {
            members.append("\"badge\": \(chance(3) ? "null" : badge(depth: 1))")
        }
        if chance(3) {
            let names = ["x", "y", "z", "w"].shuffled(using: &generator)
                .prefix(Int.random(in: 0..<4, using: &generator)).map { "\"\($0)\"" }
            members.append("\"ranking\": [\(names.joined(separator: ", "))]")
        }
        if chance(5) { members.append("\"parent\": \(any(["0", "1", "4", "9", "null"]))") }
        for name in ["children", "more_children"] where chance(5) {
            members.append("\"\(name)\": \(references(["0", "1", "2", "4", "9"]))")
        }
        for name in ["queue", "more_queue"] where chance(4) {
            members.append("\"\(name)\": \(references(Self.codes))")
        }
        if depth == 0 {
            let lists = [
                "parts", "labels", "notes", "visits", "tags", "more_parts", "only_labels",
                "only_visits",
            ]
            for name in lists where chance(name.contains("_") ? 8 : 2) {
                let objects = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                    switch name {
                    case "parts", "more_parts": part(depth: 1)
                    case "labels", "only_labels": label(depth: 1)
                    case "visits", "only_visits": visit(depth: 1)
                    case "tags":
                        "{\"text\": \(any(["\"t\"", "\"u\""])), "
                            + "\"group\": \(any(["1", "1", "2", "null"]))}"
                    default: "{\"text\": \(any(["\"t\"", "\"u\"", "null"]))}"
                    }
                }
                members.append(
                    "\"\(name)\": \(chance(8) ? "null" : "[\(objects.joined(separator: ", "))]")")
            }
        }
        return "{\(members.joined(separator: ", "))}"
    }

    private static let codes = (1...4).map { "\"2E0F5C70-1A1B-4C1D-8E1F-00000000000\($0)\"" }

    /// Returns some of the identities as a list.
    private mutating func references(_ identities: [String]) -> String {
        let some = identities.shuffled(using: &generator)
            .prefix(Int.random(in: 0..<4, using: &generator))
        return "[\(some.joined(separator: ", "))]"
    }

    private mutating func stamp() -> String {
        let holder = chance(3) ? ", \"holder\": \(chance(3) ? "null" : item(nil, depth: 1))" : ""
        return "{\"code\": \(any(Self.codes)), \"value\": \(any(["1", "2", "null"]))\(holder)}"
    }

    private mutating func visit(depth: Int) -> String {
        let times = ["\"2024-05-01T12:00:00Z\"", "\"2024-05-01T14:00:00+02:00\"", "\"2024-05-02\""]
        var members = ["\"at\": \(any(times))"]
        if chance(2) { members.append("\"note\": \(any(["\"n\"", "\"m\"", "null"]))") }
        if depth == 0, chance(3) {
            members.append("\"guest\": \(chance(3) ? "null" : item(nil, depth: 1))")
        }
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func badge(depth: Int) -> String {
        var members = ["\"number\": \(any(["1", "2", "3", "\"3\"", "null"]))"]
        if chance(2) { members.append("\"color\": \(any(["\"red\"", "\"blue\"", "null"]))") }
        if depth == 0, chance(2) {
            members.append("\"bearer\": \(chance(3) ? "null" : item(nil, depth: 1))")
        }
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func part(depth: Int) -> String {
        var members = [
            "\"row\": \(any(["1", "2", "\"2\""]))",
            "\"column\": \(any(["\"a\"", "\"b\"", "\"c\""]))",
        ]
        if chance(2) { members.append("\"value\": \(any(["1", "1.0", "2.5", "null"]))") }
        if depth == 0, chance(3) {
            members.append("\"item\": \(chance(3) ? "null" : item(nil, depth: 1))")
        }
        return "{\(members.joined(separator: ", "))}"
    }

    private mutating func label(depth: Int) -> String {
        var members = ["\"name\": \(any(["\"x\"", "\"y\"", "\"z\"", #""\u0078""#]))"]
        if chance(2) { members.append("\"color\": \(any(["\"red\"", "\"blue\"", "null"]))") }
        if depth == 0, chance(3) {
            let objects = (0..<Int.random(in: 0..<3, using: &generator)).map { _ in
                item(nil, depth: 1)
            }
            members.append("\"items\": [\(objects.joined(separator: ", "))]")
        }
        return "{\(members.joined(separator: ", "))}"
    }
}

extension Array {
    fileprivate func asyncMap<Result>(
        _ body: (Element) async throws -> Result
    ) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
