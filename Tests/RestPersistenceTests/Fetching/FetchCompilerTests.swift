// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

@Suite struct FetchCompilerTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    struct Example: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let predicate: @Sendable (FetchSubject<Airport>) -> FetchPredicate
        let sql: String

        init(
            _ description: String, _ sql: String,
            _ predicate: @escaping @Sendable (FetchSubject<Airport>) -> FetchPredicate
        ) {
            testDescription = description
            self.predicate = predicate
            self.sql = sql
        }
    }

    private static let city = #"SELECT t1.restkit_key FROM "City" AS t1 WHERE"#
    private static let terminals =
        #"FROM "Terminal" AS t1 WHERE t1."airport" = t0.restkit_key"#

    static let examples = [
        Example("equal", #"t0."code" = ?1"#) { $0.code == "OSL" },
        Example("not equal", #"t0."code" IS NOT ?1"#) { $0.code != "OSL" },
        Example("null", #"t0."openedAt" IS NULL"#) { $0.openedAt == nil },
        Example("not null", #"t0."openedAt" IS NOT NULL"#) { $0.openedAt != nil },
        Example("less", #"t0."passengers" < ?1"#) { $0.passengers < 10 },
        Example("not less", #"(t0."passengers" IS NULL OR t0."passengers" >= ?1)"#) {
            !($0.passengers < 10)
        },
        Example("arithmetic", #"(t0."passengers" + ?1) < ?2"#) { $0.passengers + 94 < 100 },
        Example("list", #"t0."passengers" IN (?1, ?2)"#) { $0.passengers.isIn([2, 1]) },
        Example("not in list", #"(t0."code" IS NULL OR t0."code" NOT IN (?1))"#) {
            !$0.code.isIn(["OSL"])
        },
        Example("empty list", "0") { $0.code.isIn([]) },
        Example("long list", #"t0."passengers" IN (SELECT value FROM json_each(?1))"#) {
            $0.passengers.isIn(0..<100_000)
        },
        Example("prefix", #"(t0."name" >= ?1 AND t0."name" < ?2)"#) { $0.name.hasPrefix("Ga") },
        Example("contained text", #"instr(CAST(t0."name" AS BLOB), ?1) > 0"#) {
            $0.name.contains("x")
        },
        Example("suffix", #"substr(CAST(t0."name" AS BLOB), ?1) = ?2"#) {
            $0.name.hasSuffix("x")
        },
        Example(
            "text without case", #"instr(restkit_fold(CAST(t0."name" AS BLOB), 1), ?1) > 0"#
        ) { $0.name.contains("x", .caseInsensitive) },
        Example("path", #"t0."city" IN (\#(city) t1."name" = ?1)"#) { $0.city.name == "Oslo" },
        Example(
            "negated path", #"(t0."city" IS NULL OR t0."city" NOT IN (\#(city) t1."name" = ?1))"#
        ) { $0.city.name != "Oslo" },
        Example(
            "null at the end of a path",
            #"(t0."city" IS NULL OR t0."city" IN (\#(city) t1."population" IS NULL))"#
        ) { $0.city.population == nil },
        Example(
            "two conditions at the end of a path",
            #"t0."city" IN (\#(city) (t1."name" = ?1 AND t1."population" > ?2))"#
        ) { $0.city.name == "Oslo" && $0.city.population > 5 },
        Example(
            "two attributes",
            #"t0."name" IS (SELECT t1."name" FROM "City" AS t1 "#
                + #"WHERE t1.restkit_key = t0."city")"#
        ) { $0.name == $0.city.name },
        Example("no destination", #"t0."city" IS NULL"#) { $0.city == nil },
        Example("count", "(SELECT count(*) \(terminals)) > ?1") { $0.terminals.count > 2 },
        Example(
            "count of some", #"(SELECT count(*) \#(terminals) AND t1."number" > ?1) = ?2"#
        ) { $0.terminals.count { $0.number > 3 } == 1 },
        Example("any", #"EXISTS (SELECT 1 \#(terminals) AND t1."number" = ?1)"#) {
            $0.terminals.any { $0.number == 1 }
        },
        Example(
            "all",
            #"NOT EXISTS (SELECT 1 \#(terminals) AND (t1."number" IS NULL OR t1."number" <= ?1))"#
        ) { $0.terminals.all { $0.number > 1 } },
        Example("none", #"NOT EXISTS (SELECT 1 \#(terminals) AND t1."number" = ?1)"#) {
            $0.terminals.none { $0.number == 1 }
        },
        Example("empty", "NOT EXISTS (SELECT 1 \(terminals))") { $0.terminals.isEmpty },
        Example(
            "outer object", #"EXISTS (SELECT 1 \#(terminals) AND t1."number" > t0."passengers")"#
        ) { airport in airport.terminals.any { $0.number > airport.passengers } },
    ]

    @Test(arguments: examples)
    func compilesPredicates(_ example: Example) async throws {
        let store = try await files.open()
        let sql = try await store.perform { context in
            try context.sqlForCounting(FetchRequest(Airport.self, where: example.predicate))
        }
        #expect(sql == #"SELECT count(*) FROM "Airport" AS t0 WHERE "# + example.sql)
    }

    @Test func namesNestedQueries() async throws {
        let store = try await files.open()
        let sql = try await store.perform { context in
            try context.sqlForCounting(
                FetchRequest(Airport.self, where: { $0.city.mayor.name == "Anne" }))
        }
        #expect(
            sql == #"""
                WITH d1 AS (SELECT t1.restkit_key FROM "City" AS t1 WHERE t1."mayor" IN \#
                (SELECT t2.restkit_key FROM "Mayor" AS t2 WHERE t2."name" = ?1)) \#
                SELECT count(*) FROM "Airport" AS t0 WHERE t0."city" IN (SELECT * FROM d1)
                """#)
    }

    @Test func compilesPendingChangesAsArms() async throws {
        let store = try await files.open()
        let sql = try await store.perform { context in
            defer { context.rollback() }
            let city = try context.insert(City.self)
            city.name = "Oslo"
            let airport = try context.insert(Airport.self)
            (airport.code, airport.name) = ("OSL", "Gardermoen")
            return try context.sqlForCounting(
                FetchRequest(Airport.self, where: { $0.city.name == "Oslo" }))
        }
        let cities = #"""
            t0."city" IN (SELECT t1.restkit_key FROM main."City" AS t1 WHERE t1."name" = ?1 \#
            AND t1.restkit_key NOT IN (SELECT restkit_key FROM temp."restkit_changed_City") \#
            UNION ALL SELECT t1.restkit_key FROM temp."restkit_pending_City" AS t1 \#
            WHERE t1."name" = ?1)
            """#
        #expect(
            sql == #"""
                SELECT (SELECT count(*) FROM main."Airport" AS t0 WHERE \#(cities) \#
                AND t0.restkit_key NOT IN (SELECT restkit_key FROM temp."restkit_changed_Airport")) \#
                + (SELECT count(*) FROM temp."restkit_pending_Airport" AS t0 WHERE \#(cities))
                """#)
    }

    @Test func compilesOrderOfArmsByResultColumns() async throws {
        let store = try await files.open()
        let sql = try await store.perform { context in
            defer { context.rollback() }
            let mayor = try context.insert(Mayor.self)
            mayor.name = "Anne"
            return try context.sql(
                of: FetchRequest(
                    Mayor.self, where: { _ in .all },
                    orderBy: [.descending(\.name), .ascending { $0.city.population }], limit: 3))
        }
        let columns = #"""
            t0.restkit_key, t0."name", (SELECT t1."population" FROM "City" AS t1 \#
            WHERE t1."mayor" = t0.restkit_key)
            """#
        #expect(
            sql == #"""
                SELECT \#(columns) FROM main."Mayor" AS t0 WHERE t0.restkit_key NOT IN \#
                (SELECT restkit_key FROM temp."restkit_changed_Mayor") UNION ALL \#
                SELECT \#(columns) FROM temp."restkit_pending_Mayor" AS t0 \#
                ORDER BY 2 DESC, 3, 1 LIMIT ?1
                """#)
    }

    /// The requests that declared indexes answer.
    static let lookups = [
        FetchRequest("House", where: .attribute("number", .equal, 3)),
        FetchRequest("House", where: .attribute("number", in: 0..<100)),
        FetchRequest("House", where: .attribute("city", .equal, "Oslo")),
        FetchRequest("House", where: .text("city", .hasPrefix, "Os")),
        FetchRequest(
            "House", where: .relationship("owner", nil) && .attribute("number", .equal, 3)),
        FetchRequest(
            "Person",
            where: .attribute("name", .greater, "a") && .attribute("name", .less, "b")),
        FetchRequest("Person", where: .attribute("name", .greater, "a")),
        FetchRequest("Student", where: .attribute("name", .lessOrEqual, "b")),
        FetchRequest(
            "House", where: .attribute("number", .less, 3) && .attribute("size", .equal, 1)),
        FetchRequest("Student", where: .attribute("name", .equal, "Anne")),
        FetchRequest("Person", where: .attribute("house.number", .equal, 3)),
        FetchRequest("Person", where: .attribute("house.owner.name", .equal, "Anne")),
        FetchRequest(
            "Person",
            where: .attribute("name", .equal, "Anne")
                && .any("friends", .attribute("house.city", .equal, "Oslo"))),
        FetchRequest(
            "House",
            where: .attribute("city", .equal, "Oslo") && .count("residents", .greater, 2)),
    ]

    @Test(arguments: lookups.indices, [false, true])
    func findsRowsByIndexes(_ index: Int, isPending: Bool) async throws {
        let store = try await files.open(TownEntities.all)
        let request = Self.lookups[index]
        let plan = try await store.perform { context in
            defer { context.rollback() }
            if isPending {
                var town = TownGenerator(SeededGenerator(state: 1))
                try town.build(in: context)
            }
            return try context.explainQueryPlan(request)
        }
        #expect(plan.contains("SEARCH"))
        // Lists of values and the results of named queries are scanned.
        let scans = plan.split(separator: "\n").filter {
            $0.contains("SCAN") && !$0.contains("json_each") && !$0.contains("SCAN d")
        }
        #expect(scans.isEmpty, "\(plan)")
    }

    @Test(arguments: [false, true])
    func readsRowsInOrderOfIndex(_ isPending: Bool) async throws {
        let store = try await files.open(TownEntities.all)
        let plan = try await store.perform { context in
            defer { context.rollback() }
            if isPending {
                var town = TownGenerator(SeededGenerator(state: 1))
                try town.build(in: context)
            }
            return try context.explainQueryPlan(
                FetchRequest("House", orderBy: [.ascending("city")], limit: 50))
        }
        #expect(plan.contains("restkit_index_House_city"), "\(plan)")
        #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    }

    /// Rows that no index bounds are read in the order of their keys, without sorting them.
    @Test(arguments: [nil, 50] as [Int?])
    func readsRowsInOrderOfKeys(_ limit: Int?) async throws {
        let store = try await files.open(TownEntities.all)
        let requests = [
            FetchRequest("House", limit: limit),
            FetchRequest("House", where: .attribute("size", .less, 3), limit: limit),
            FetchRequest("House", where: .attribute("city", .equal, "Oslo"), limit: limit),
        ]
        let plans = try await store.perform { context in
            try requests.map { try context.explainQueryPlan($0) }
        }
        for plan in plans { #expect(!plan.contains("TEMP B-TREE"), "\(plan)") }
    }

    @Test(arguments: [false, true])
    func explainsByIndexOfOtherProgram(_ isPending: Bool) async throws {
        let store = try await files.open(TownEntities.all)
        let request = FetchRequest(
            "House", where: .attribute("size", .equal, 1), orderBy: [.ascending("city")])
        let context = store.makeContext()
        if isPending { try context.insert(entity: "House").setValue("Oslo", "city") }
        let statements = [("CREATE INDEX i ON House (size)", true), ("DROP INDEX i", false)]
        for (statement, isFound) in statements {
            #expect(try context.explainQueryPlan(request).contains("INDEX i ") != isFound)
            try files.execute(statement)
            #expect(try context.explainQueryPlan(request).contains("INDEX i ") == isFound)
        }
    }
}
