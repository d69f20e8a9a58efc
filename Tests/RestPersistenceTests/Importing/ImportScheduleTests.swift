// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import Synchronization
import TestSupport
import Testing

@testable import RestPersistence

/// Random concurrent imports of overlapping objects, some of which are cancelled.
///
/// The store must have the content of the imports that returned a result, one after the other in the
/// order of their transactions. Set `RESTKIT_IMPORT_SCHEDULES` for more schedules.
@Suite(.tags(.concurrency)) struct ImportScheduleTests {
    private static let schedules = TestEnvironment.number("RESTKIT_IMPORT_SCHEDULES") ?? 15
    private static let importCount = 12

    private static let entities = [
        EntityDescription(
            "Person",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("name", .text, isOptional: true),
                AttributeDescription("age", .integer, isOptional: true),
            ],
            relationships: [
                .toOne("boss", "Person", reference: ReferenceDescription(by: "id")),
                .toMany("tags", "Tag", reference: ReferenceDescription(by: "id")),
                .toMany("notes", "Note", inverse: "person", isOrdered: true),
            ]),
        EntityDescription(
            "Tag", attributes: [AttributeDescription("id", .integer, isIdentity: true)]),
        EntityDescription(
            "Note",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("text", .text, isOptional: true),
            ],
            relationships: [.toOne("person", "Person")]),
    ]

    /// The content of a store without keys, which depend on the order of reservations.
    private static let content = [
        "SELECT p.id, p.name, p.age, b.id FROM Person p LEFT JOIN Person b ON b.restkit_key = p.boss "
            + "ORDER BY 1",
        "SELECT id FROM Tag ORDER BY 1",
        "SELECT n.id, n.text, p.id FROM Note n LEFT JOIN Person p ON p.restkit_key = n.person "
            + "ORDER BY 1",
        "SELECT p.id, t.id FROM Person_tags l JOIN Person p ON p.restkit_key = l.source "
            + "JOIN Tag t ON t.restkit_key = l.target ORDER BY 1, 2",
        "SELECT p.id, n.relationship, n.identity FROM restkit_pending n "
            + "JOIN Person p ON p.restkit_key = n.owner ORDER BY 1, 2, 3",
    ]

    /// The numbers of the imports in the order of their transactions.
    private final class Order: Sendable {
        private let numbers = Mutex<[Int]>([])

        func append(_ number: Int) { numbers.withLock { $0.append(number) } }

        /// Returns the numbers that are in a set.
        func filtered(_ returned: Set<Int>) -> [Int] {
            numbers.withLock { $0.filter(returned.contains) }
        }
    }

    /// An import of a schedule.
    private struct Work: Sendable {
        let number: Int
        let text: String
        /// A Boolean value that indicates whether the import is of the second store object.
        let isOther: Bool
        /// A Boolean value that indicates whether the import is of a context.
        let isInContext: Bool
        /// The time after which the task is cancelled, in microseconds; `nil` for no cancellation.
        let cancellation: Int?
        /// The step in which the import cancels itself; `nil` for none.
        let step: Int?

        init(_ number: Int, _ generator: inout SeededGenerator) {
            self.number = number
            text = Self.document(number, &generator)
            isOther = Bool.random(using: &generator)
            isInContext = Int.random(in: 0..<3, using: &generator) == 0
            let isCancelled = Int.random(in: 0..<3, using: &generator) == 0
            cancellation = isCancelled ? Int.random(in: 0..<4000, using: &generator) : nil
            step =
                Int.random(in: 0..<5, using: &generator) == 0
                ? Int.random(in: 0..<3, using: &generator) : nil
        }

        private static func document(_ number: Int, _ generator: inout SeededGenerator) -> String {
            let people = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                var members = ["\"id\": \(Int.random(in: 1...5, using: &generator))"]
                if Bool.random(using: &generator) { members.append("\"name\": \"\(number)\"") }
                if Bool.random(using: &generator) { members.append("\"age\": \(number)") }
                if Bool.random(using: &generator) {
                    members.append("\"boss\": \(Int.random(in: 1...7, using: &generator))")
                }
                if Bool.random(using: &generator) {
                    let tags = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                        "\(Int.random(in: 1...4, using: &generator))"
                    }
                    members.append("\"tags\": [\(tags.joined(separator: ", "))]")
                }
                if Bool.random(using: &generator) {
                    let notes = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                        #"{"id": \#(Int.random(in: 1...9, using: &generator)), "text": "\#(number)"}"#
                    }
                    members.append("\"notes\": [\(notes.joined(separator: ", "))]")
                }
                return "{\(members.joined(separator: ", "))}"
            }
            return "[\(people.joined(separator: ", "))]"
        }
    }

    @Test(.threat("T57")) func equalsSerialImportsInOrderOfTransactions() async throws {
        var (completed, cancelled) = (0, 0)
        for seed in 0..<Self.schedules {
            var generator = SeededGenerator(state: UInt64(seed))
            let works = (0..<Self.importCount).map { Work($0, &generator) }
            let files = try TemporaryStore()
            let stores = [
                try await files.open(Self.entities), try await files.open(Self.entities),
            ]
            let order = Order()
            let returned = try await withThrowingTaskGroup(of: Int?.self) { group in
                for work in works {
                    group.addTask { try await Self.run(work, on: stores, order) }
                }
                return try await group.reduce(into: Set<Int>()) { set, number in
                    if let number { set.insert(number) }
                }
            }
            completed += returned.count
            cancelled += works.count - returned.count
            let serial = try await Self.serialContent(
                order.filtered(returned).map { works[$0].text })
            let isEqual = try Self.rows(files) == serial
            #expect(isEqual, "schedule \(seed)")
        }
        #expect(completed > 0 && cancelled > 0)
    }

    private static func plan(_ store: ManagedObjectStore) throws -> EntityMappingPlan {
        try EntityMappingPlan(
            EntityMapping(
                ObjectMapping(defaultFor: try #require(store.model.properties(of: "Person")))),
            in: store.model)
    }

    /// Runs an import, and appends its number when its transaction is about to be committed.
    ///
    /// - Returns: The number if the import returned a result; `nil` if it was cancelled.
    private static func run(
        _ work: Work, on stores: [ManagedObjectStore], _ order: Order
    ) async throws -> Int? {
        let task = CancellableWork { cancel in
            try await importObjects(work, into: stores[work.isOther ? 1 : 0], order, cancel)
        }.task
        if let cancellation = work.cancellation {
            try await Task.sleep(for: .microseconds(cancellation))
            task.cancel()
        }
        do {
            try await task.value
            return work.number
        } catch is CancellationError {
            return nil
        }
    }

    private static func importObjects(
        _ work: Work, into store: ManagedObjectStore, _ order: Order,
        _ cancel: @escaping @Sendable () -> Void
    ) async throws {
        let plan = try plan(store)
        let document = try Document(parsing: work.text)
        if work.step == 0 { cancel() }
        let mapped = try MappedRepresentation(document.root, by: plan)
        let body: @Sendable (ManagedObjectContext) throws -> Void = { context in
            if work.step == 1 { cancel() }
            _ = try context.importObjects(mapped)
            try context.save()
            order.append(work.number)
            if work.step == 2 { cancel() }
        }
        guard work.isInContext else { return try await store.write(body) }
        try await store.makeContext().performChildAndSave(body).0
    }

    private static func serialContent(_ texts: [String]) async throws -> [[[String]]] {
        let files = try TemporaryStore()
        let store = try await files.open(entities)
        let plan = try plan(store)
        for text in texts {
            let document = try Document(parsing: text)
            try await store.perform { context in
                _ = try context.importObjects(from: document.root, by: plan)
                try context.save()
            }
        }
        return try rows(files)
    }

    private static func rows(_ files: TemporaryStore) throws -> [[[String]]] {
        let hasPending = try !files.rows(
            "SELECT 1 FROM sqlite_schema WHERE name = 'restkit_pending'"
        ).isEmpty
        return try (hasPending ? content[...] : content.dropLast()).map { try files.rows($0) }
            + (hasPending ? [] : [[]])
    }
}
