// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

@Suite struct MigrationTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    // MARK: Versions of a model, as those of RestKit's tests

    private static let tag = EntityDescription(
        "Tag", attributes: [AttributeDescription("name", .text, isOptional: true)])

    /// Returns a version of the model with an article's title, body and further attributes.
    private static func version(
        _ number: Int, isSearchable: Bool = false
    ) -> [EntityDescription] {
        var attributes = [
            AttributeDescription(
                "title", .text, isOptional: true, isSearchable: isSearchable),
            AttributeDescription("body", .text, isOptional: true),
        ]
        if number > 1 {
            attributes.append(AttributeDescription("authorName", .text, isOptional: true))
        }
        if number == 3 {
            attributes.append(AttributeDescription("createdAt", .date, isOptional: true))
        }
        return [EntityDescription("Article", attributes: attributes), tag]
    }

    private func open(
        _ entities: [EntityDescription], _ migration: StoreMigration = .automatic,
        seed: URL? = nil
    ) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: files.file, model: ManagedObjectModel(entities),
            configuration: StoreConfiguration(seed: seed, migration: migration))
    }

    /// Creates a file, and writes rows by SQL.
    private func write(_ entities: [EntityDescription], _ sql: String = "") async throws {
        try await open(entities).close()
        if !sql.isEmpty { try files.execute(sql) }
    }

    private static let article =
        "INSERT INTO Article (restkit_key, title, body) VALUES (7, 'Fjords', 'Deep.')"

    private func refusal(
        _ entities: [EntityDescription], _ migration: StoreMigration = .automatic
    ) async throws -> PersistenceError? {
        let before = try Data(contentsOf: files.file)
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await open(entities, migration)
        }
        #expect(try Data(contentsOf: files.file) == before)
        return error
    }

    @Test(.parity("P014")) func refusesMissingFile() async throws {
        let model = try ManagedObjectModel(Self.version(1))
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await ManagedObjectStore.migrationPlan(forFileAt: files.file, to: model)
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.details == ["the file does not exist"])
        #expect(try files.names == [])
    }

    @Test(.parity("P015")) func refusesWhereNotConfigured() async throws {
        try await write(Self.version(1), Self.article)
        let error = try await refusal(Self.version(2), .refused)
        #expect(error?.code == .modelMismatch)
        #expect(error?.details == ["attribute Article.authorName is not in the file"])
    }

    @Test(.parity("K006")) func migratesByDefaultUnlessConfigured() async throws {
        try await write(Self.version(1), Self.article)
        let error = try await refusal(Self.version(2), .refused)
        #expect(error?.code == .modelMismatch)
        let store = try await ManagedObjectStore(
            at: files.file, model: ManagedObjectModel(Self.version(2)))
        try store.close()
        #expect(
            try files.rows("SELECT title, authorName FROM Article") == [["Fjords", "-"]])
        // Steps apply only if they are configured; without them, data is not lost.
        let back = await #expect(throws: PersistenceError.self) {
            _ = try await ManagedObjectStore(
                at: files.file, model: ManagedObjectModel([Self.tag]))
        }
        #expect(back?.code == .migrationRefused)
        try await open([Self.tag], .automatic([.discard("Article")])).close()
        #expect(
            try files.rows("SELECT name FROM sqlite_schema WHERE name = 'Article'") == [])
    }

    /// The page of a table that was copied would be another one.
    @Test func addsOptionalColumnsWithoutCopying() async throws {
        try await write(Self.version(1), Self.article)
        let page = "SELECT rootpage FROM sqlite_schema WHERE name = 'Article'"
        let before = try files.rows(page)
        let extended = [
            EntityDescription(
                "Article",
                attributes: Self.version(3)[0].attributes,
                relationships: [.toOne("tag", "Tag")]), Self.tag,
        ]
        let plan = try await ManagedObjectStore.migrationPlan(
            forFileAt: files.file, to: ManagedObjectModel(extended))
        #expect(
            plan.statements == [
                "ALTER TABLE \"Article\" ADD COLUMN \"authorName\" TEXT",
                "ALTER TABLE \"Article\" ADD COLUMN \"createdAt\" TEXT",
                "ALTER TABLE \"Article\" ADD COLUMN \"tag\" INTEGER REFERENCES \"Tag\" "
                    + "(restkit_key) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED",
                "CREATE INDEX \"restkit_index_Article_tag\" ON \"Article\" (\"tag\")",
            ])
        let store = try await open(extended)
        try await store.perform { context in
            let article = try #require(try context.fetch(FetchRequest("Article")).first)
            let tag = try context.insert(entity: "Tag")
            try article.setRelated("tag", [tag])
            try context.save()
            context.delete(tag)
            try context.save()
        }
        #expect(try await store.checkIntegrity() == [])
        try store.close()
        #expect(try files.rows(page) == before)
        #expect(
            try files.rows("SELECT restkit_key, title, tag FROM Article") == [["7", "Fjords", "-"]])
        // The file is one of the model: nothing remains to be done.
        let next = try await open(extended, .refused)
        #expect(try await next.migrationPlan(to: next.model).isEmpty)
    }

    @Test(.parity("P016")) func refusesUnknownTables() async throws {
        let extra = EntityDescription("Extra", attributes: [AttributeDescription("a", .integer)])
        try await write(
            Self.version(1) + [extra], "INSERT INTO Extra (restkit_key, a) VALUES (1, 1)")
        let error = try await refusal(Self.version(2))
        #expect(error?.code == .migrationRefused)
        #expect(error?.details == ["entity Extra is removed and has objects (1)"])
        try files.execute("ALTER TABLE Extra RENAME TO Other")
        let other = try await refusal(Self.version(2))
        #expect(other?.code == .unexpectedSchema)
        #expect(other?.details == ["table Extra is not in the file"])
    }

    @Test(.parity("P017")) func leavesFileOfSameModel() async throws {
        try await write(Self.version(1), Self.article)
        // A table that was written anew would have another first page.
        let tables = "SELECT name, rootpage, sql FROM sqlite_schema ORDER BY name"
        let before = try files.rows(tables)
        let store = try await open(Self.version(1))
        let plan = try await store.migrationPlan(to: store.model)
        #expect(plan.isEmpty)
        #expect(plan.description == "no changes")
        try store.close()
        #expect(try files.rows(tables) == before)
        #expect(
            try files.rows("SELECT restkit_key, title FROM Article") == [["7", "Fjords"]])
    }

    @Test(.parity("P018", "P019"), arguments: [2, 3, 4])
    func addsOptionalAttributes(_ number: Int) async throws {
        try await write(Self.version(1), Self.article)
        let store = try await open(Self.version(number))
        let names = try await store.perform { context in
            let article = try #require(context.fetch(FetchRequest("Article")).first)
            #expect(article.objectID.key == 7)
            try article.setValue("Ibsen" as String?, "authorName")
            try context.save()
            return [
                try article.value("title", as: String?.self),
                try article.value("body", as: String?.self),
            ]
        }
        #expect(names == ["Fjords", "Deep."])
        try store.close()
        #expect(
            try files.rows("SELECT title, authorName FROM Article") == [["Fjords", "Ibsen"]])
    }

    @Test(.parity("P020")) func removesSearchIndex() async throws {
        try await write(Self.version(2, isSearchable: true), Self.article)
        let store = try await open(Self.version(4))
        try store.close()
        #expect(try files.rows("SELECT title FROM Article") == [["Fjords"]])
        #expect(
            try files.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'restkit_search%'")
                == [])
    }

    @Test(.parity("P007")) func resetMigratesSeedAgain() async throws {
        try await write(Self.version(1), Self.article)
        let seed = files.directory.appending(path: "seed.sqlite")
        try FileManager.default.moveItem(at: files.file, to: seed)
        let store = try await open(Self.version(2), seed: seed)
        for _ in 0..<2 {
            let titles = try await store.perform { context in
                let articles = try context.fetch(FetchRequest("Article"))
                try articles.first?.setValue("changed" as String?, "authorName")
                let title = try articles.first?.value("title", as: String?.self)
                try context.save()
                return title
            }
            #expect(titles == "Fjords")
            try await store.reset()
        }
        try store.close()
        #expect(try files.rows("SELECT title, authorName FROM Article") == [["Fjords", "-"]])
    }

    // MARK: Plans

    @Test func printsPlanBeforeItRuns() async throws {
        try await write(Self.version(1), Self.article)
        let before = try Data(contentsOf: files.file)
        let plan = try await ManagedObjectStore.migrationPlan(
            forFileAt: files.file,
            to: ManagedObjectModel([
                EntityDescription(
                    "Story",
                    attributes: [
                        AttributeDescription(
                            "headline", .text, isOptional: true, isIndexed: true,
                            renamedFrom: ["title"]),
                        AttributeDescription("words", .integer, default: .integer(3)),
                    ], renamedFrom: ["Article"])
            ]))
        #expect(
            plan.changes == [
                "rename entity Article to Story",
                "rename attribute Story.title to headline",
                "change attribute Story.headline from optional text to optional text, indexed",
                "add attribute Story.words, integer", "remove attribute Article.body",
                "remove entity Tag",
            ])
        #expect(plan.problems == ["attribute Article.body is removed and has values (1)"])
        #expect(
            plan.statements.contains(
                "INSERT INTO \"restkit_new_Story\" (restkit_key, \"headline\", \"words\") "
                    + "SELECT o.restkit_key, o.\"title\", 3 FROM \"Article\" o"))
        #expect(plan.description.contains("problem: attribute Article.body"))
        #expect(plan.description.contains("DROP TABLE \"Article\";"))
        #expect(try Data(contentsOf: files.file) == before)
    }

    // MARK: Refusals

    private static let boat = EntityDescription(
        "Boat",
        attributes: [
            AttributeDescription("name", .text, isOptional: true),
            AttributeDescription("length", .integer),
            AttributeDescription("colour", .text, isOptional: true),
            AttributeDescription("weight", .double, isOptional: true),
        ])
    private static let boats = """
        INSERT INTO Boat (restkit_key, name, length, colour, weight)
        VALUES (1, 'Fram', 39, 'black', 402.5), (2, NULL, -1, NULL, NULL), (3, 'Fram', 2, 'red', 3)
        """
    private static let newBoat = EntityDescription(
        "Boat",
        attributes: [
            AttributeDescription("name", .text, isIdentity: true),
            AttributeDescription("length", .unsignedInteger),
            AttributeDescription("weight", .integer, isOptional: true),
            AttributeDescription("port", .text),
        ])

    @Test func namesAllProblemsAtOnce() async throws {
        try await write([Self.boat], Self.boats)
        let error = try await refusal([Self.newBoat])
        #expect(error?.code == .migrationRefused)
        #expect(
            error?.details == [
                "attribute Boat.name is required and has no default for objects without a value (1)",
                "attribute Boat.length changes from integer to unsignedInteger, which loses values "
                    + "(1)",
                "attribute Boat.length is required and has no default for objects without a value "
                    + "(1)",
                "attribute Boat.weight changes from double to integer, which loses values (1)",
                "attribute Boat.port is required and has no default for objects without a value (3)",
                "identity Boat.name has values that several objects share (1)",
                "attribute Boat.colour is removed and has values (2)",
            ])
    }

    @Test(.parity("K016")) func stepsCompleteMigration() async throws {
        try await write([Self.boat], Self.boats)
        let store = try await open(
            [Self.newBoat],
            .automatic([
                .value(
                    "name", of: "Boat", from: ["name"], sql: "coalesce(name, '') || restkit_key"),
                .value("length", of: "Boat", from: ["length"]) { row in
                    guard case .integer(let length) = row["length"] else { return .null }
                    return .text("\(abs(length))")
                },
                .value("port", of: "Boat", from: ["colour", "name"]) { row in
                    if case .text(let colour) = row["colour"] {
                        .text("of \(colour)")
                    } else {
                        row["other"].isNull ? .text("unknown") : .null
                    }
                },
                .value("port", of: "Boat", from: ["unknown"], sql: "unknown"),
                .discard("Boat.weight"),
                .sql("UPDATE Boat SET port = upper(port) WHERE name = 'Fram1'"),
            ]))
        try store.close()
        #expect(
            try files.rows("SELECT name, length, weight, port FROM Boat ORDER BY restkit_key") == [
                ["Fram1", "39", "-", "OF BLACK"], ["2", "1", "-", "unknown"],
                ["Fram3", "2", "3", "of red"],
            ])
    }

    /// SQLite passes a text to a function, and takes it back, only up to its first NUL.
    @Test(.threat("T04")) func stepsKeepTextAfterNUL() async throws {
        try await write(
            [Self.boat],
            "INSERT INTO Boat (name, length) VALUES (CAST(x'610062' AS TEXT), 1), ('', 2)")
        var boat = Self.boat
        boat.attributes[2] = AttributeDescription("port", .text)
        let store = try await open(
            [boat],
            .automatic([
                .discard("Boat.colour"),
                .value("port", of: "Boat", from: ["name", "length"]) { row in
                    guard case .text(let name) = row["name"], case .integer = row["length"]
                    else { return .null }
                    return .text("of \(name)\0")
                },
            ]))
        try store.close()
        #expect(
            try files.rows(
                "SELECT hex(name), hex(port), typeof(port) FROM Boat ORDER BY restkit_key")
                == [["610062", "6F6620610062" + "00", "text"], ["", "6F662000", "text"]])
    }

    private struct StepError: Error {}

    @Test(.parity("K016")) func failingStepLeavesFile() async throws {
        try await write([Self.boat], Self.boats)
        let thrown = try await refusal(
            [Self.newBoat],
            .automatic([
                .value("port", of: "Boat", from: []) { _ in throw StepError() }
            ]))
        #expect(thrown?.code == .migrationFailed)
        #expect(thrown?.details == ["the step for Boat.port failed"])
        #expect(thrown?.underlying is StepError)
        let mistyped = try await refusal(
            [Self.newBoat], .automatic([.value("port", of: "Boat", from: []) { _ in .integer(1) }]))
        #expect(
            mistyped?.details == ["the step for Boat.port has a value that is not of type text"])
        let invalid = try await refusal(
            [Self.boat, Self.tag], .automatic([.sql("DELETE FROM nowhere")]))
        #expect(invalid?.code == .migrationFailed)
        let altering = try await refusal(
            [Self.boat, Self.tag], .automatic([.sql("ALTER TABLE Tag ADD COLUMN size INTEGER")]))
        #expect(altering?.code == .unexpectedSchema)
    }

    /// A step kills the process while the second table is copied.
    @Test(.parity("K016")) func killedMigrationLeavesOldFile() async throws {
        try await write(
            [Self.boat, Self.tag],
            Self.boats + "; INSERT INTO Tag (restkit_key, name) VALUES (9, 'a')")
        let path = files.file.path(percentEncoded: false)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            _ = try await ManagedObjectStore(
                at: URL(filePath: path),
                model: ManagedObjectModel([
                    EntityDescription(
                        "Boat", attributes: [AttributeDescription("length", .double)]),
                    MigrationTests.tag,
                ]),
                configuration: StoreConfiguration(
                    migration: .automatic([
                        .discard("Boat.name"), .discard("Boat.colour"), .discard("Boat.weight"),
                        .value("name", of: "Tag", from: ["name"]) { _ in
                            raise(SIGKILL)
                            return .null
                        },
                    ])))
        }
        let store = try await files.open([Self.boat, Self.tag])
        #expect(try await store.checkIntegrity() == [])
        try store.close()
        #expect(
            try files.rows("SELECT name, length FROM Boat ORDER BY restkit_key")
                == [["Fram", "39"], ["-", "-1"], ["Fram", "2"]])
        #expect(try files.rows("SELECT name FROM Tag") == [["a"]])
        let copies = try files.rows(
            "SELECT name FROM sqlite_schema WHERE instr(name, 'restkit_new_') > 0")
        #expect(copies == [])
    }

    // MARK: Indexes, relationships, sub-entities

    private func indexes() throws -> [String] {
        try files.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1"
        ).map { $0[0] }
    }

    @Test func changesIndexesWithoutCopying() async throws {
        func entity(_ isIndexed: Bool) -> [EntityDescription] {
            [
                EntityDescription(
                    "Boat",
                    attributes: [
                        AttributeDescription("name", .text, isIdentity: isIndexed),
                        AttributeDescription("length", .integer, isIndexed: isIndexed),
                    ])
            ]
        }
        try await write(entity(false), "CREATE INDEX own ON Boat (length)")
        let store = try await open(entity(true))
        let plan = try await store.migrationPlan(to: ManagedObjectModel(entity(false)))
        #expect(
            plan.statements == [
                "DROP INDEX \"restkit_identity_Boat\"", "DROP INDEX \"restkit_index_Boat_length\"",
            ])
        try store.close()
        #expect(try indexes() == ["own", "restkit_identity_Boat", "restkit_index_Boat_length"])
        try await open(entity(false)).close()
        #expect(try indexes() == ["own"])
    }

    @Test func keepsIndexesOfUsers() async throws {
        try await write(Self.version(1), "CREATE INDEX own ON Article (title)")
        try await open(Self.version(2)).close()
        #expect(try indexes() == ["own"])
    }

    private static func crew(
        _ relationships: [RelationshipDescription], _ inverse: [RelationshipDescription]
    ) -> [EntityDescription] {
        [
            EntityDescription(
                "Boat", attributes: [AttributeDescription("name", .text)],
                relationships: relationships),
            EntityDescription(
                "Sailor", attributes: [AttributeDescription("name", .text)],
                relationships: inverse),
        ]
    }

    /// The shapes between which the relationship of a boat and its crew can change without loss.
    static let shapes: [(from: [RelationshipDescription], [RelationshipDescription])] = [
        ([.toMany("crew", "Sailor")], []),
        ([.toMany("crew", "Sailor", isOrdered: true)], []),
        ([], [.toOne("boat", "Boat")]),
        ([.toMany("crew", "Sailor", inverse: "boat")], [.toOne("boat", "Boat")]),
        ([.toMany("crew", "Sailor", inverse: "boat", isOrdered: true)], [.toOne("boat", "Boat")]),
        ([.toMany("crew", "Sailor", inverse: "boats")], [.toMany("boats", "Boat")]),
    ]

    @Test(arguments: shapes.indices, shapes.indices)
    func keepsRelatedObjectsInOtherShape(_ from: Int, _ to: Int) async throws {
        let (old, new) = (Self.shapes[from], Self.shapes[to])
        let store = try await open(Self.crew(old.from, old.1))
        try await store.perform { context in
            let boats = try ["a", "b"].map { name in
                let boat = try context.insert(entity: "Boat")
                try boat.setValue(name, "name")
                return boat
            }
            for number in 0..<5 {
                let sailor = try context.insert(entity: "Sailor")
                try sailor.setValue("\(number)", "name")
                if number == 4 { continue }
                let boat = boats[number % 2]
                if old.from.isEmpty {
                    try sailor.setRelated("boat", [boat])
                } else {
                    // In the opposite order of their keys.
                    try boat.setRelated("crew", [sailor] + boat.related("crew"))
                }
            }
            try context.save()
        }
        try store.close()
        // The relationship must have an end in common to be continued.
        let isContinued =
            old.from.isEmpty == new.from.isEmpty
            || !old.1.isEmpty && !new.1.isEmpty
                && (old.1[0].name == new.1[0].name)
        guard isContinued else {
            let error = try await refusal(Self.crew(new.from, new.1))
            #expect(error?.code == .migrationRefused)
            #expect(error?.details.count == 1)
            #expect(error?.details.first?.hasSuffix("is removed and has destinations (4)") == true)
            return
        }
        let migrated = try await open(Self.crew(new.from, new.1))
        let isOrdered = old.from.first?.isOrdered == true && new.from.first?.isOrdered == true
        let crews = try await migrated.perform { context in
            try context.fetch(FetchRequest("Boat", orderBy: [.ascending("name")])).map { boat in
                if new.from.isEmpty {
                    return try context.fetch(FetchRequest("Sailor")).filter {
                        try $0.related("boat").first == boat
                    }.map { try $0.value("name", as: String.self) }.sorted()
                }
                let names = try boat.related("crew").map { try $0.value("name", as: String.self) }
                return isOrdered ? names : names.sorted()
            }
        }
        #expect(crews == (isOrdered ? [["2", "0"], ["3", "1"]] : [["0", "2"], ["1", "3"]]))
        #expect(try await migrated.checkIntegrity() == [])
    }

    @Test func refusesToOneOfSeveral() async throws {
        try await write(
            Self.crew([.toMany("crew", "Sailor")], []),
            """
            INSERT INTO Boat (restkit_key, name) VALUES (1, 'a'), (2, 'b');
            INSERT INTO Sailor (restkit_key, name) VALUES (3, 'c'), (4, 'd');
            INSERT INTO Boat_crew (source, target) VALUES (1, 3), (1, 4), (2, 4)
            """)
        let captain = Self.crew(
            [.toOne("crew", "Sailor", inverse: "boat")], [.toOne("boat", "Boat")])
        let error = try await refusal(captain)
        #expect(
            error?.details == [
                "relationship Boat.crew becomes to-one and objects have several destinations (1)",
                "the inverse of relationship Boat.crew becomes to-one and destinations have several "
                    + "objects (1)",
            ])
        try await open(captain, .automatic([.discard("Boat.crew")])).close()
        #expect(
            try files.rows("SELECT name, crew FROM Boat ORDER BY 1") == [["a", "3"], ["b", "-"]])
    }

    @Test func movesRowsBetweenHierarchies() async throws {
        let name = AttributeDescription("name", .text)
        let grade = AttributeDescription("grade", .integer, isOptional: true)
        try await write(
            [
                EntityDescription("Person", attributes: [name]),
                EntityDescription(
                    "Student", attributes: [name, grade],
                    relationships: [.toOne("mentor", "Person"), .toMany("friends", "Student")]),
            ],
            """
            INSERT INTO Person (restkit_key, name) VALUES (1, 'a');
            INSERT INTO Student (restkit_key, name, grade, mentor) VALUES (2, 'b', 5, 1),
              (3, 'c', NULL, NULL);
            INSERT INTO Student_friends (source, target) VALUES (2, 3)
            """)
        let store = try await open([
            EntityDescription("Person", attributes: [name]),
            EntityDescription(
                "Student", inheriting: "Person", attributes: [grade],
                relationships: [.toOne("mentor", "Person"), .toMany("friends", "Person")]),
            EntityDescription("Teacher", inheriting: "Person", attributes: []),
        ])
        try store.close()
        #expect(
            try files.rows(
                "SELECT restkit_entity, name, grade, mentor FROM Person ORDER BY restkit_key")
                == [
                    ["Person", "a", "-", "-"], ["Student", "b", "5", "1"],
                    ["Student", "c", "-", "-"],
                ])
        #expect(try files.rows("SELECT * FROM Student_friends") == [["2", "3"]])
        // A sub-entity that is removed loses its objects, and references to them.
        let error = try await refusal([EntityDescription("Person", attributes: [name])])
        #expect(error?.details == ["entity Student is removed and has objects (2)"])
        let last = try await open(
            [EntityDescription("Person", attributes: [name])], .automatic([.discard("Student")]))
        try last.close()
        #expect(try files.rows("SELECT * FROM Person") == [["1", "a"]])
    }
}
