// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestDocument
import TestSupport
import Testing

@testable import RestRows

/// The rows of a batch that statements find and compare.
@Suite struct BatchTableTests {
    private static let types: [(name: String, type: AttributeType)] = [
        ("integer", .integer), ("unsigned", .unsignedInteger), ("double", .double),
        ("decimal", .decimal), ("text", .text), ("boolean", .boolean), ("date", .date),
        ("day", .day), ("uuid", .uuid), ("url", .url), ("data", .data), ("json", .json),
    ]

    private let model: ManagedObjectModel
    private let database: DatabaseQueue

    init() throws {
        model = try ManagedObjectModel([
            EntityDescription(
                "Sample",
                attributes: Self.types.map { AttributeDescription($0, $1, isOptional: true) }),
            EntityDescription("Base", attributes: [AttributeDescription("id", .integer)]),
            EntityDescription("Derived", inheriting: "Base", attributes: []),
            // Names of the columns of the function.
            EntityDescription(
                "Function",
                attributes: [
                    AttributeDescription("key", .integer), AttributeDescription("position", .text),
                    AttributeDescription("value0", .integer),
                ]),
        ])
        database = try DatabaseQueue()
        let schema = SchemaPlan(tables: model.tables, layouts: model.layouts, links: model.links)
        try database.write { database in
            try BatchModule.add(to: database)
            for statement in schema.statements { try database.execute(sql: statement) }
        }
    }

    // MARK: Comparing

    static let comparisons: [(column: String, stored: String, value: StoredValue, isEqual: Bool)] =
        [
            ("integer", "5", .integer(5), true), ("integer", "5", .integer(6), false),
            ("integer", "9007199254740993", .integer(9_007_199_254_740_993), true),
            ("integer", "9007199254740993", .integer(9_007_199_254_740_992), false),
            ("integer", "NULL", .null, true), ("integer", "NULL", .integer(0), false),
            ("integer", "0", .null, false),
            ("unsigned", "'18446744073709551615'", .text("18446744073709551615"), true),
            ("unsigned", "'1'", .text("01"), false),
            ("double", "5", .double(5), true), ("double", "5.5", .double(5.25), false),
            ("double", "9007199254740993", .double(9_007_199_254_740_992), true),
            ("double", "-0.0", .double(0), true), ("double", "9e999", .double(.infinity), true),
            ("double", "NULL", .double(.nan), false), ("double", "1.0", .double(.nan), false),
            ("decimal", "'1.5'", .text("1.5"), true), ("decimal", "'1.5'", .text("1.50"), false),
            ("text", "'abc'", .text("abc"), true), ("text", "'abc'", .text("abd"), false),
            ("text", "'abc'", .text("ab"), false), ("text", "''", .text(""), true),
            ("text", "''", .null, false), ("text", "NULL", .text(""), false),
            ("text", "char(233)", .text("\u{E9}"), true),
            ("text", "char(233)", .text("e\u{301}"), false),
            ("text", "'a' || char(0) || 'b'", .text("a\u{0}b"), true),
            ("text", "'39'", .integer(39), false),
            ("boolean", "1", .integer(1), true), ("boolean", "1", .integer(0), false),
            ("date", "'2024-05-01T12:00:00.000000Z'", .text("2024-05-01T12:00:00.000000Z"), true),
            ("date", "'2024-05-01T12:00:00.000000Z'", .text("2024-05-01T12:00:00.000001Z"), false),
            ("day", "'2024-05-01'", .text("2024-05-01"), true),
            ("uuid", "'2e0f'", .text("2e0f"), true), ("uuid", "'2e0f'", .text("2E0F"), false),
            ("url", "'http://a'", .text("http://a"), true),
            ("data", "x'00ff'", .data(Data([0, 255])), true),
            ("data", "x'00ff'", .data(Data([0, 254])), false),
            ("data", "x''", .data(Data()), true), ("data", "NULL", .data(Data()), false),
            ("json", "'[1]'", .text("[1]"), true), ("json", "'[1]'", .text("[2]"), false),
        ]

    @Test(arguments: comparisons)
    func comparesLikeSQLite(column: String, stored: String, value: StoredValue, isEqual: Bool)
        throws
    {
        let layout = try model.layout(named: "Sample")
        let index = try #require(layout.columns.firstIndex { $0.name == column })
        let masks = try database.write { database in
            try database.execute(
                sql: "INSERT INTO Sample (restkit_key, \"\(column)\") VALUES (7, \(stored))")
            var batch = Batch(layout)
            batch.append([index: value])
            let table = batch.table(rows: [0], keys: [7])
            try table.compare(layout, in: database)
            return table.takeMasks()
        }
        #expect(masks.map(\.columns) == [isEqual ? [] : [index]])
    }

    @Test func comparesOnlyAssignedColumns() throws {
        let layout = try model.layout(named: "Sample")
        let masks = try database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO Sample (restkit_key, integer, text)
                    VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')
                    """)
            var batch = Batch(layout)
            batch.append([0: .integer(9)])
            batch.append([4: .text("b")])
            batch.append([0: .integer(3), 4: .text("x")])
            // There is no such row.
            batch.append([0: .integer(4)])
            let table = batch.table(rows: [2, 0, 1, 3], keys: [3, 1, 2, 4])
            try table.compare(layout, in: database)
            return table.takeMasks()
        }
        #expect(masks.map(\.columns) == [[0], [], [4], [0]])
    }

    @Test(arguments: [
        (#""plain""#, "'plain'", true), (#""plain""#, "'plaim'", false), (#""""#, "''", true),
        (#""a\n\"b\"""#, #"'a' || char(10) || '"b"'"#, true), (#""a\n""#, "'an'", false),
        (#""\u00e9""#, "char(233)", true), (#""東京""#, "'東京'", true),
    ])
    func comparesTextOfDocument(json: String, stored: String, isEqual: Bool) throws {
        let layout = try model.layout(named: "Sample")
        let document = try Document(parsing: "[\(json)]")
        let column = 4
        let (masks, matches) = try database.write { database in
            try database.execute(
                sql: "INSERT INTO Sample (restkit_key, text) VALUES (7, \(stored))")
            var batch = Batch(layout)
            batch.append(text: 1, in: column)
            let storage = document.root.storage
            let table = batch.table(of: storage, rows: [0], keys: [7])
            try table.compare(layout, in: database)
            let searched = batch.table(of: storage, identity: [column], rows: [0])
            try IdentityLookup(layout: layout, columns: [column], entities: []).find(
                searched, in: database)
            return (table.takeMasks(), searched.matches)
        }
        #expect(masks.map(\.columns) == [isEqual ? [] : [column]])
        #expect(matches.map(\.key) == (isEqual ? [7] : []))
    }

    // MARK: Finding

    @Test(arguments: [
        ("integer", "39", StoredValue.integer(39), true), ("integer", "39", .text("39"), true),
        ("integer", "39", .integer(38), false), ("integer", "NULL", .null, false),
        ("unsigned", "'39'", .text("39"), true), ("double", "5", .double(5), true),
        ("text", "'a'", .text("a"), true), ("text", "'a'", .text("A"), false),
        ("text", "'39'", .integer(39), true), ("data", "x'01'", .data(Data([1])), true),
        ("uuid", "'2e0f'", .text("2e0f"), true), ("day", "'2024-05-01'", .text("2024-05-01"), true),
    ])
    func findsByIdentityLikeParameters(
        column: String, stored: String, value: StoredValue, isFound: Bool
    ) throws {
        let layout = try model.layout(named: "Sample")
        let index = try #require(layout.columns.firstIndex { $0.name == column })
        let lookup = IdentityLookup(layout: layout, columns: [index], entities: [])
        let (matches, parameters) = try database.write { database in
            try database.execute(
                sql: "INSERT INTO Sample (restkit_key, \"\(column)\") VALUES (7, \(stored))")
            var batch = Batch(layout)
            batch.append([index: value])
            let table = batch.table(identity: [index], rows: [0])
            try lookup.find(table, in: database)
            var keys: [Int64] = []
            try lookup.find([IdentityKey(single: value)], in: database) { keys.append($1) }
            return (table.matches, keys)
        }
        #expect(matches.map(\.row) == (isFound ? [0] : []))
        #expect(matches.map(\.key) == (isFound ? [7] : []))
        #expect(parameters == matches.map(\.key))
    }

    @Test func findsRowsOfCompoundIdentity() throws {
        let layout = try model.layout(named: "Sample")
        let matches = try database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO Sample (restkit_key, integer, text)
                    VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'a'), (4, 2, 'a'), (5, NULL, 'a')
                    """)
            var batch = Batch(layout)
            batch.append([0: .integer(2), 4: .text("a")])
            batch.append([0: .integer(1), 4: .text("b")])
            batch.append([0: .integer(1), 4: .text("c")])
            batch.append([0: .null, 4: .text("a")])
            let table = batch.table(identity: [0, 4], rows: [3, 2, 1, 0])
            try IdentityLookup(layout: layout, columns: [0, 4], entities: []).find(
                table, in: database)
            return table.matches
        }
        #expect(matches.map(\.row) == [1, 0, 0])
        #expect(Set(matches.map(\.key)) == [2, 3, 4])
    }

    @Test(arguments: [([], [1, 2]), (["Base", "Derived"], [1, 2]), (["Derived"], [2])])
    func findsRowsOfEntities(entities: [String], keys: [Int64]) throws {
        let layout = try model.layout(named: "Base")
        let matches = try database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO Base (restkit_key, restkit_entity, id)
                    VALUES (1, 'Base', 10), (2, 'Derived', 20)
                    """)
            var batch = Batch(layout)
            let column = try #require(layout.columns.firstIndex { $0.name == "id" })
            for id in [10, 20, 30] { batch.append([column: .integer(Int64(id))]) }
            let table = batch.table(identity: [column], rows: [0, 1, 2])
            try IdentityLookup(layout: layout, columns: [column], entities: entities).find(
                table, in: database)
            return table.matches
        }
        #expect(matches.map(\.key) == keys)
    }

    /// The columns of the function are no columns of the entity.
    @Test func distinguishesAttributesFromFunction() throws {
        let layout = try model.layout(named: "Function")
        let (masks, matches) = try database.write { database in
            try database.execute(
                sql:
                    "INSERT INTO Function (restkit_key, key, position, value0) VALUES (5, 1, 'p', 2)"
            )
            var batch = Batch(layout)
            batch.append([0: .integer(1), 1: .text("p"), 2: .integer(3)])
            let searched = batch.table(identity: [0], rows: [0])
            try IdentityLookup(layout: layout, columns: [0], entities: []).find(
                searched, in: database)
            let table = batch.table(rows: [0], keys: searched.matches.map(\.key))
            try table.compare(layout, in: database)
            return (table.takeMasks(), searched.matches)
        }
        #expect(matches.map(\.key) == [5])
        #expect(masks.map(\.columns) == [[2]])
    }

    /// SQL text cannot make a pointer.
    @Test(arguments: [
        "SELECT * FROM restkit_batch(1)", "SELECT * FROM restkit_batch",
        "SELECT * FROM restkit_batch('restkit_batch')", "SELECT restkit_compare(1, 2, 3)",
        "CREATE VIRTUAL TABLE t USING restkit_batch",
    ])
    func refusesOtherPointers(sql: String) throws {
        #expect(throws: DatabaseError.self) {
            try database.write { try Row.fetchAll($0, sql: sql) }
        }
    }
}

/// The cells of rows.
private struct Batch {
    let layout: EntityLayout
    private var cells: [BatchCell] = []
    private var others: [StoredValue] = []
    private var masks: [ColumnMask] = []

    init(_ layout: EntityLayout) { self.layout = layout }

    mutating func append(_ values: [Int: StoredValue]) {
        var row = Array(repeating: BatchCell.null, count: layout.width)
        var mask = ColumnMask()
        for (column, value) in values {
            mask.insert(column)
            switch value {
            case .null: row[column] = .null
            case .integer(let value):
                row[column] = BatchCell(kind: .integer, bits: UInt64(bitPattern: value))
            case .double(let value): row[column] = BatchCell(kind: .double, bits: value.bitPattern)
            case .text, .data:
                row[column] = BatchCell(kind: .other, bits: UInt64(others.count))
                others.append(value)
            }
        }
        cells += row
        masks.append(mask)
    }

    /// Appends a row with the text at a node of a document.
    mutating func append(text node: Int, in column: Int) {
        append([column: .null])
        cells[cells.count - layout.width + column] = BatchCell(kind: .text, bits: UInt64(node))
    }

    func table(
        of document: DocumentStorage? = nil, identity: [Int] = [], rows: [Int], keys: [Int64] = []
    ) -> BatchTable {
        BatchTable(
            of: document, width: layout.width, cells, others, masks: masks, identity: identity,
            rows: rows, keys: keys, places: layout.table.places)
    }
}
