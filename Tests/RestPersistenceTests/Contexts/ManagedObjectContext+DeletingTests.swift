// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

@Suite struct ManagedObjectContextDeletingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns a store with two departments; the first has two employees, each with a badge.
    private func context(
        _ rule: DeleteRule
    ) async throws -> (ManagedObjectStore, ManagedObjectContext, [ManagedObject]) {
        let store = try await files.open([
            EntityDescription(
                "Department", attributes: [],
                relationships: [
                    .toMany("employees", "Employee", inverse: "department", deleteRule: rule)
                ]),
            EntityDescription(
                "Employee", attributes: [],
                relationships: [
                    .toOne("department", "Department"),
                    .toOne("badge", "Badge", deleteRule: .cascade),
                ]),
            EntityDescription("Badge", attributes: []),
        ])
        let context = store.makeContext()
        let departments = [
            try context.insert(entity: "Department"), try context.insert(entity: "Department"),
        ]
        var employees: [ManagedObject] = []
        for _ in 0..<2 {
            let employee = try context.insert(entity: "Employee")
            try employee.setRelated("badge", [context.insert(entity: "Badge")])
            employees.append(employee)
        }
        try departments[0].setRelated("employees", employees)
        try await context.save()
        return (store, context, departments + employees)
    }

    private func counts() throws -> [[String]] {
        try files.rows(
            "SELECT (SELECT count(*) FROM Department), (SELECT count(*) FROM Employee), "
                + "(SELECT count(department) FROM Employee), (SELECT count(*) FROM Badge)")
    }

    /// The parent has moved the employee to the department, and others have deleted it.
    @Test(arguments: [false, true])
    func cascadeDiscardsParentsChangesOfDeletedObject(hasObject: Bool) async throws {
        let (store, context, objects) = try await context(.cascade)
        let child = context.child()
        let id = objects[2].objectID
        let own = hasObject ? try child.object(with: id) : nil
        try objects[2].setRelated("department", [objects[1]])
        try await store.perform { context in
            context.delete(try context.object(with: id))
            try context.save()
        }
        child.refreshAllObjects()
        #expect(own == nil || own?.objectState == .deleted)
        child.delete(try child.object(with: objects[1].objectID))
        try await child.saveToStore()
        #expect(try counts() == [["1", "1", "1", "1"]])
        #expect(!context.hasChanges)
    }

    @Test func clearsReferences() async throws {
        let (store, context, objects) = try await context(.nullify)
        var commits = store.commits.makeAsyncIterator()
        context.delete(objects[0])
        #expect(try objects[2].related("department") == [])
        try await context.save()
        #expect(try objects[2].related("department") == [])
        #expect(try counts() == [["1", "2", "0", "2"]])
        // The commit names the objects whose references were cleared.
        let commit = await commits.next()
        #expect(commit?.updatedIDs == objects[2...].map(\.objectID))
        #expect(commit?.changedProperties(of: objects[2].objectID) == ["department"])
    }

    @Test func deletesDestinations() async throws {
        let (_, context, objects) = try await context(.cascade)
        context.delete(objects[0])
        #expect(objects[2].objectState == .deleted)
        #expect(try context.fetch(FetchRequest("Badge")) == [])
        #expect(context.deletedObjects.count == 5)
        let report = try await context.save()
        #expect(report.deleted == 5)
        #expect(try counts() == [["1", "0", "0", "0"]])
    }

    @Test func deniesDeletionWithDestinations() async throws {
        let (_, context, objects) = try await context(.deny)
        context.delete(objects[0])
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.validationErrors.map(\.code) == [.deletionDenied])
        #expect(error?.validationErrors.map(\.objectID) == [objects[0].objectID])
        #expect(error?.validationErrors.map(\.property) == ["employees"])
        #expect(try counts() == [["2", "2", "2", "2"]])
        // Without destinations the deletion is allowed, whichever is deleted first.
        context.delete(objects[2])
        try objects[3].setRelated("department", [objects[1]])
        try await context.save()
        #expect(try counts() == [["1", "1", "1", "1"]])
        context.rollback()
        context.delete(objects[1])
        await #expect(throws: PersistenceError.self) { try await context.save() }
    }

    @Test func deletesChainsWithoutRecursion() async throws {
        let store = try await files.open([
            EntityDescription(
                "Node", attributes: [],
                relationships: [.toOne("next", "Node", deleteRule: .cascade)])
        ])
        let context = store.makeContext()
        let first = try context.insert(entity: "Node")
        var last = first
        for _ in 0..<5_000 {
            let next = try context.insert(entity: "Node")
            try last.setRelated("next", [next])
            last = next
        }
        try last.setRelated("next", [first])
        try await context.save()
        context.delete(first)
        #expect(try await context.save().deleted == 5_001)
    }
}
