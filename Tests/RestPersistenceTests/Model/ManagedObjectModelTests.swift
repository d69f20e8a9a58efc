// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectModelTests {
    private func warnings(
        _ city: [RelationshipDescription], _ airport: [RelationshipDescription]
    ) throws -> [String] {
        try ManagedObjectModel([
            EntityDescription("City", attributes: [], relationships: city),
            EntityDescription("Airport", attributes: [], relationships: airport),
        ]).warnings
    }

    @Test func warnsOfRelationshipsThatLookLikeInverses() throws {
        let found = try warnings([.toMany("airports", "Airport")], [.toOne("city", "City")])
        #expect(
            found == [
                "City.airports and Airport.city do not change with each other, as neither names its inverse; "
                    + "if they are two sides of one relationship, declare "
                    + "'@Inverse(\\Airport.city)' at City.airports"
            ])
    }

    @Test func warnsOfNoOtherRelationships() throws {
        let declared = try warnings(
            [.toMany("airports", "Airport", inverse: "city")], [.toOne("city", "City")])
        #expect(declared.isEmpty)
        let several = try warnings(
            [.toMany("airports", "Airport")], [.toOne("city", "City"), .toOne("suburb", "City")])
        #expect(several.isEmpty)
        let oneWay = try warnings([.toMany("airports", "Airport"), .toOne("capital", "City")], [])
        #expect(oneWay.isEmpty)
    }

    @Test func saysWhichEntitiesModelHas() async throws {
        let store = try await ManagedObjectStore(
            temporaryFor: Animal.self, Dog.self, Owner.self, Toy.self)
        let error = await #expect(throws: PersistenceError.self) {
            try await store.perform { try $0.count(Airport.self) }
        }
        #expect(
            error?.description
                == "unknownEntity in Airport: the model has Animal, Dog, Owner, Toy; list the "
                + "class among the entities with which the store is opened")
    }

    @Test func reportsAllErrors() {
        let entities = [
            EntityDescription(
                "City",
                attributes: [
                    AttributeDescription("name", .text),
                    AttributeDescription("NAME", .text),
                    AttributeDescription("sqlite_x", .text),
                    AttributeDescription("size", .integer, default: .text("large")),
                ],
                relationships: [
                    .toOne("country", "Country"),
                    .toMany("airports", "Airport", inverse: "town"),
                ]),
            EntityDescription("city", attributes: []),
            EntityDescription("restkit_store", attributes: []),
            EntityDescription("Airport", attributes: [], relationships: [.toOne("city", "City")]),
            EntityDescription("", attributes: [AttributeDescription("a\0b", .text)]),
        ]
        let error = #expect(throws: PersistenceError.self) { try ManagedObjectModel(entities) }
        #expect(error?.code == .invalidModel)
        #expect(
            error?.details.sorted() == [
                "default of City.size is not of type integer",
                "entities City and city differ in case only",
                "inverse of City.airports is not a relationship of Airport",
                "name of entity '' is empty",
                "name of entity 'restkit_store' begins with the reserved restkit_",
                "name of property . 'a?b' contains a control character",
                "name of property City. 'sqlite_x' begins with the reserved sqlite_",
                "properties City.name and NAME differ in case only",
                "relationship City.country leads to Country, which is not in the model",
            ])
    }

    @Test func rejectsCollidingTableNames() {
        let error = #expect(throws: PersistenceError.self) {
            try ManagedObjectModel([
                EntityDescription(
                    "A", attributes: [], relationships: [.toMany("b", "A")]),
                EntityDescription("a_B", attributes: []),
            ])
        }
        #expect(error?.details == ["table or index A_b is needed twice"])
    }

    @Test(
        .threat("T64"),
        arguments: [
            "a; DROP TABLE x;--", "a'b", "a b", "a.b", "[a]", "`a`", "a\\b", "?", ":a", "@a",
            "$a", "select", "TABLE", "index", "group", "order", "where", "null", "rowid", "_rowid_",
            "oid", "abort", "without", "\u{E9}", "\u{1F600}", "1", "-1", "a%s", "--", "/*", ";",
        ])
    func acceptsEveryQuotableName(_ name: String) async throws {
        let files = try TemporaryStore()
        let store = try await files.open([
            EntityDescription(
                name,
                attributes: [AttributeDescription(name + "i", .text, isIdentity: true)],
                relationships: [
                    .toMany(name + "m", name, inverse: name + "o"), .toOne(name + "o", name),
                    .toMany(name + "l", name),
                ])
        ])
        try await store.perform { context in
            let first = try context.insert(entity: name)
            let second = try context.insert(entity: name)
            try first.setValue("1", name + "i")
            try second.setValue("2", name + "i")
            try first.setRelated(name + "m", [second])
            try first.setRelated(name + "l", [first, second])
            try context.save()
        }
        try await store.perform { context in
            let request = FetchRequest(
                name, where: .attribute(name + "i", .equal, "1"),
                orderBy: name.contains(".") ? [] : [.ascending(name + "i")])
            if name.contains(".") { return }
            let found = try context.fetch(request)
            #expect(found.count == 1)
            #expect(try found.first?.related(name + "m").count == 1)
            #expect(try found.first?.related(name + "l").count == 2)
        }
        let quoted = "\"" + name.replacing("\"", with: "\"\"") + "\""
        #expect(try files.rows("SELECT count(*) FROM \(quoted)") == [["2"]])
    }

    @Test(.threat("T64"), arguments: [#"a"; DROP TABLE x;--"#, "a\0", "", "SQLITE_a", "RestKit_a"])
    func rejectsNamesThatGRDBCannotUse(_ name: String) {
        let error = #expect(throws: PersistenceError.self) {
            try ManagedObjectModel([
                EntityDescription(
                    name, attributes: [AttributeDescription(name, .text)],
                    relationships: [.toMany(name, name)])
            ])
        }
        #expect(error?.code == .invalidModel)
    }

    private static let keywords = """
        ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE
        BEGIN BETWEEN BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT
        CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT
        DEFERRABLE DEFERRED DELETE DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE EXCEPT
        EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL
        GENERATED GLOB GROUP GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER
        INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY LAST LEFT LIKE LIMIT MATCH MATERIALIZED
        NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR ORDER OTHERS OUTER OVER
        PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE REFERENCES REGEXP
        REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT
        SELECT SET TABLE TEMP TEMPORARY THEN TIES TO TRANSACTION TRIGGER UNBOUNDED UNION UNIQUE
        UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT
        """

    @Test(.threat("T64")) func acceptsEveryKeywordAsName() async throws {
        let files = try TemporaryStore()
        let names = Self.keywords.split(whereSeparator: \.isWhitespace).map(String.init)
        let store = try await files.open(
            names.map { name in
                EntityDescription(
                    name, attributes: [AttributeDescription(name, .text, isIdentity: true)])
            })
        try await store.perform { context in
            for name in names { try context.insert(entity: name).setValue("x", name) }
            #expect(try context.save().inserted == names.count)
            for name in names {
                let request = FetchRequest(
                    name, where: .attribute(name, .equal, "x"), orderBy: [.ascending(name)]
                )
                #expect(try context.fetch(request).count == 1)
            }
        }
    }

    @Test func rejectsLongNames() {
        let longest = String(repeating: "n", count: 63)
        #expect(throws: Never.self) {
            try ManagedObjectModel([EntityDescription(longest, attributes: [])])
        }
        #expect(throws: PersistenceError.self) {
            try ManagedObjectModel([EntityDescription(longest + "n", attributes: [])])
        }
    }
}
