// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestDocument
import RestMapping
import TestSupport
import Testing

@testable import RestPersistence

/// The connection of pending references when their destinations are saved.
@Suite struct ChangeWriterConnectingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static let byID = ReferenceDescription(by: "id")

    private static let entities = [
        EntityDescription(
            "Person",
            attributes: [AttributeDescription("id", .integer, isIdentity: true)],
            relationships: [
                .toOne("main", "Tag", reference: byID),
                .toOne("own", "Tag", inverse: "owner", reference: byID),
                .toMany("tags", "Tag", reference: byID),
                .toMany("route", "Tag", isOrdered: true, reference: byID),
                .toMany("notes", "Tag", inverse: "person", isOrdered: true, reference: byID),
            ]),
        EntityDescription(
            "Tag",
            attributes: [AttributeDescription("id", .integer, isIdentity: true)],
            relationships: [.toOne("owner", "Person"), .toOne("person", "Person")]),
    ]

    private static func plan(
        _ entity: String, in store: ManagedObjectStore
    ) throws -> EntityMappingPlan {
        let table = try #require(store.model.properties(of: entity))
        return try EntityMappingPlan(
            EntityMapping(ObjectMapping(defaultFor: table)), in: store.model)
    }

    /// Imports persons that refer to tags, inserts the tags, and returns the number of statements that
    /// saving the tags needs besides the insertion of their rows.
    private func statements(
        persons: [String], tags: ClosedRange<Int>
    ) async throws -> Int {
        let store = try await files.open(Self.entities)
        let owners = try Document(parsing: "[\(persons.joined(separator: ","))]")
        try await store.importObjects(from: owners.root, by: Self.plan("Person", in: store))
        return try await store.write { context in
            for id in tags { try context.insert(entity: "Tag").setValue(id as Int?, "id") }
            let connection = try #require(context.transaction).connection
            let counter = Counter()
            connection.trace(options: .statement) { event in
                if !"\(event)".contains("INTO \"Tag\" (") { counter.count += 1 }
            }
            defer { connection.trace() }
            try context.save()
            return counter.count
        }
    }

    /// Imports persons that refer to tags, then the tags, and returns the number of statements with which the
    /// second import reads.
    private func readingStatements(
        persons: [String], tags: ClosedRange<Int>
    ) async throws -> Int {
        let store = try await files.open(Self.entities)
        let owners = try Document(parsing: "[\(persons.joined(separator: ","))]")
        try await store.importObjects(from: owners.root, by: Self.plan("Person", in: store))
        let arrived = try Document(
            parsing: "[\(tags.map { "{\"id\": \($0)}" }.joined(separator: ","))]")
        let plan = try Self.plan("Tag", in: store)
        return try await store.write { context in
            let connection = try #require(context.transaction).connection
            let counter = Counter()
            connection.trace(options: .statement) { event in
                if "\(event)".hasPrefix("SELECT ") { counter.count += 1 }
            }
            defer { connection.trace() }
            _ = try context.importObjects(from: arrived.root, by: plan)
            return counter.count
        }
    }

    private final class Counter {
        var count = 0
    }

    private static func person(_ id: Int, main: Int, own: Int, _ list: [Int]) -> String {
        """
        {"id": \(id), "main": \(main), "own": \(own), "tags": \(list), "route": \(list), \
        "notes": \(list)}
        """
    }

    @Test func statementsDoNotGrowWithOwners() async throws {
        var counts: [Int] = []
        for count in [2, 400] {
            let tests = try Self()
            let persons = (1...count).map { Self.person($0, main: 1, own: 1, [1]) }
            counts.append(try await tests.statements(persons: persons, tags: 1...1))
            #expect(
                try tests.files.rows("SELECT count(*), count(main) FROM Person")
                    == [["\(count)", "\(count)"]])
            #expect(
                try tests.files.rows("SELECT count(*) FROM Person_route WHERE target_position = 0")
                    == [["\(count)"]])
            #expect(try tests.files.rows("SELECT count(*) FROM Person_tags") == [["\(count)"]])
            // The newest owner has the destination that can have one owner only.
            #expect(
                try tests.files.rows(
                    """
                    SELECT (SELECT id FROM Person WHERE restkit_key = person), restkit_position_person,
                    (SELECT group_concat(id) FROM Person WHERE own = Tag.restkit_key) FROM Tag
                    """) == [["\(count)", "0", "\(count)"]])
            #expect(try tests.files.rows("SELECT * FROM restkit_pending") == [])
        }
        #expect(counts[0] == counts[1])
    }

    @Test func statementsDoNotGrowWithDestinations() async throws {
        var counts: [Int] = []
        for count in [2, 400] {
            let tests = try Self()
            let persons = [Self.person(1, main: 1, own: 2, Array((1...count).reversed()))]
            counts.append(try await tests.statements(persons: persons, tags: 1...count))
            #expect(try tests.files.rows("SELECT count(*) FROM Person_tags") == [["\(count)"]])
            #expect(
                try tests.files.rows(
                    """
                    SELECT count(*) FROM Person_route l JOIN Tag t ON t.restkit_key = l.target
                    WHERE l.target_position = \(count) - t.id
                    """) == [["\(count)"]])
            #expect(
                try tests.files.rows(
                    "SELECT count(person) FROM Tag WHERE restkit_position_person = \(count) - id")
                    == [["\(count)"]])
            #expect(try tests.files.rows("SELECT * FROM restkit_pending") == [])
        }
        #expect(counts[0] == counts[1])
    }

    @Test func importReadsDestinationsInOneStatement() async throws {
        var counts: [Int] = []
        for count in [2, 400] {
            let tests = try Self()
            let persons = [Self.person(1, main: 1, own: 2, Array((1...count).reversed()))]
            counts.append(try await tests.readingStatements(persons: persons, tags: 1...count))
            #expect(try tests.files.rows("SELECT count(*) FROM Person_tags") == [["\(count)"]])
            #expect(try tests.files.rows("SELECT * FROM restkit_pending") == [])
        }
        #expect(counts[0] == counts[1])
    }
}
