// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence

/// New rows, of which one statement inserts several.
@Suite struct ChangeWriterInsertingTests {
    private static let entities = [
        EntityDescription(
            "Base",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("text", .text, isOptional: true),
                AttributeDescription("number", .double, isOptional: true),
                AttributeDescription("bytes", .data, isOptional: true),
                AttributeDescription("amount", .decimal, isOptional: true),
            ],
            relationships: [.toOne("next", "Base")]),
        EntityDescription(
            "Derived", inheriting: "Base",
            attributes: [AttributeDescription("flag", .boolean, isOptional: true)]),
    ]

    /// Inserts objects with the values that a column can have, and returns them.
    private static func insert(
        _ numbers: Range<Int>, into context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        let texts = [nil, "", "a", "ä\u{0}b", "a text that is longer than fifteen bytes", "語"]
        let doubles = [nil, 0, -0.0, 0.1, 5, .infinity, .greatestFiniteMagnitude]
        let bytes = [nil, Data(), Data([0]), Data((0..<100).map { UInt8($0) })]
        return try numbers.map { number in
            let entity = number % 3 == 0 ? "Derived" : "Base"
            let object = try context.insert(entity: entity)
            try object.setValue(number, "id")
            try object.setValue(texts[number % texts.count], "text")
            try object.setValue(doubles[number % doubles.count], "number")
            try object.setValue(bytes[number % bytes.count], "bytes")
            try object.setValue(number % 2 == 0 ? nil : Decimal(number) / 8, "amount")
            if entity == "Derived" { try object.setValue(number % 2 == 0, "flag") }
            return object
        }
    }

    /// The rows of a store and their storage classes.
    private static func rows(of files: TemporaryStore) throws -> [[String]] {
        let names = ["id", "text", "number", "bytes", "amount", "flag", "restkit_entity"]
        let values = names.flatMap { ["quote(\($0))", "typeof(\($0))"] }.joined(separator: ", ")
        return try files.rows("SELECT next = restkit_key, \(values) FROM Base ORDER BY id")
    }

    @Test func rowsOfOneStatementEqualThoseOfMany() async throws {
        var tables: [[[String]]] = []
        for size in [1, 84] {
            let files = try TemporaryStore()
            let store = try await files.open(Self.entities)
            let inserted = try await store.perform { context in
                var count = 0
                for start in stride(from: 0, to: 84, by: size) {
                    let objects = try Self.insert(start..<start + size, into: context)
                    for object in objects { try object.setRelated("next", [object]) }
                    count += try context.save().inserted
                }
                return count
            }
            #expect(inserted == 84)
            tables.append(try Self.rows(of: files))
        }
        #expect(tables[0].count == 84)
        #expect(tables[0] == tables[1])
    }

    @Test func oneStatementInsertsAllRowsOfTable() async throws {
        let files = try TemporaryStore()
        let store = try await files.open(Self.entities)
        let statements = try await store.write { context in
            let statements = Mutex<[String]>([])
            let connection = try #require(context.transaction).connection
            connection.trace(options: .statement) { event in
                let text = "\(event)"
                statements.withLock { $0.append(text) }
            }
            defer { connection.trace() }
            _ = try Self.insert(0..<1000, into: context)
            try context.save()
            return statements.withLock(\.self)
        }
        #expect(statements.count { $0.contains("INTO \"Base\"") } == 1)
        #expect(try Self.rows(of: files).count == 1000)
    }

    /// The object whose row cannot be inserted is named wherever it is among the others.
    @Test(arguments: [0, 5, 39])
    func conflictNamesItsObject(place: Int) async throws {
        let files = try TemporaryStore()
        let store = try await files.open(Self.entities)
        try await store.perform { context in
            _ = try Self.insert(0..<1, into: context)
            try context.save()
        }
        let before = try Self.rows(of: files)
        try await store.perform { context in
            let objects = try Self.insert(1..<41, into: context)
            try objects[place].setValue(0, "id")
            let error = #expect(throws: PersistenceError.self) { try context.save() }
            #expect(error?.code == .identityConflict)
            #expect(
                error?.conflicts.map(\.description) == ["\(objects[place].objectID).id"])
            #expect(context.hasChanges)
            try objects[place].setValue(100, "id")
            #expect(try context.save().inserted == 40)
        }
        #expect(before.count == 1)
        #expect(try Self.rows(of: files).count == 41)
    }

    /// A statement has a limited number of columns; the rows of wider tables are inserted one by one.
    @Test(arguments: [126, 127, 200])
    func rowsOfWideTablesAreInserted(width: Int) async throws {
        let files = try TemporaryStore()
        let store = try await files.open([
            EntityDescription(
                "Wide",
                attributes: (0..<width).map { AttributeDescription("a\($0)", .integer) })
        ])
        try await store.perform { context in
            for row in 0..<6 {
                let object = try context.insert(entity: "Wide")
                for column in 0..<width { try object.setValue(row * 1000 + column, "a\(column)") }
            }
            #expect(try context.save().inserted == 6)
        }
        #expect(
            try files.rows("SELECT a0, a\(width - 1) FROM Wide ORDER BY 1")
                == (0..<6).map { ["\($0 * 1000)", "\($0 * 1000 + width - 1)"] })
    }
}
