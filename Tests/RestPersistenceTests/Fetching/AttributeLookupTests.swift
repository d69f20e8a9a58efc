// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

@testable import RestPersistence

/// Looking up objects by the values of their attributes, which RestKit's caches of managed objects did.
@Suite struct AttributeLookupTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Saves humans, and calls a closure with a child of another context.
    private func find<Result: Sendable>(
        among humans: [(Int, String)],
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let store = try await files.openHumans()
        try await store.perform { context in
            for (id, name) in humans { try context.insert("Human", ["railsID": id, "name": name]) }
            try context.save()
        }
        return try await store.perform { context in try body(context.child()) }
    }

    private static func names(
        _ predicate: FetchPredicate, _ entity: String = "Human", in context: ManagedObjectContext
    ) throws -> [String?] {
        try context.fetch(
            FetchRequest(entity, where: predicate, orderBy: [.ascending("name")])
        ).map { try $0.givenName }
    }

    private static func id(_ values: Int...) -> FetchPredicate {
        values.count == 1
            ? .attribute("railsID", .equal, values[0]) : .attribute("railsID", in: values)
    }

    // MARK: Values

    @Test(.parity("P137")) func findsByPathAcrossRelationship() async throws {
        let store = try await files.openHumans()
        let names = try await store.perform { context in
            for city in ["myCity", "other"] {
                let house = try context.insert("House", ["city": city])
                let human = try context.insert("Human", ["name": city])
                try human.setRelated("house", [house])
            }
            try context.insert("Human", ["name": "homeless"])
            try context.save()
            return try Self.names(.attribute("house.city", .equal, "myCity"), in: context)
        }
        #expect(names == ["myCity"])
    }

    @Test(.parity("P138")) func alternatesBetweenValueAndList() async throws {
        let names = try await find(among: [(1, "A"), (2, "B"), (3, "C")]) { context in
            [
                try Self.names(.attribute("name", in: ["A", "B"]), in: context),
                try Self.names(.attribute("name", .equal, "A"), in: context),
                try Self.names(.attribute("name", in: ["A"]), in: context),
            ]
        }
        #expect(names == [["A", "B"], ["A"], ["A"]])
    }

    @Test(.parity("P146", "P168")) func childFindsSavedObject() async throws {
        let store = try await files.openHumans()
        let id = try await store.perform { context in
            let human = try context.insert("Human", ["railsID": 12345])
            try context.insert("Human", ["railsID": 1])
            try context.save()
            return human.objectID
        }
        try await store.perform { context in
            let child = context.child()
            let found = try child.fetch(FetchRequest("Human", where: Self.id(12345)))
            #expect(found.map(\.objectID) == [id])
            #expect(found.first?.context === child)
        }
    }

    @Test(.parity("P147")) func textFindsNumber() async throws {
        try await find(among: [(12345, "Blake"), (1, "Jeff")]) { context in
            var mapping = ObjectMapping(
                table: try #require(context.model.properties(of: "Human")))
            mapping.add(["id": "railsID"])
            let found = try context.objects(
                from: #"{"id": "12345"}"#, by: mapping, identification: ["Human": ["railsID"]])
            #expect(try found.map { try $0.givenName } == ["Blake"])
            #expect(try context.count(FetchRequest("Human")) == 2)
        }
    }

    @Test(.parity("P148", "P169")) func findsAllObjectsWithSameValue() async throws {
        let store = try await files.openHumans()
        let ids = try await store.perform { context in
            let humans = try (0..<2).map { _ in try context.insert("Human", ["railsID": 12345]) }
            try context.insert("Human", ["railsID": 1])
            try context.save()
            return Set(humans.map(\.objectID))
        }
        let found = try await store.perform { context in
            Set(
                try context.child().fetch(FetchRequest("Human", where: Self.id(12345)))
                    .map(\.objectID))
        }
        #expect(found.count == 2)
        #expect(found == ids)
    }

    @Test(.parity("P149")) func findsAnyOfList() async throws {
        let names = try await find(among: [(12345, "A"), (5678, "B"), (1, "C")]) { context in
            try Self.names(Self.id(12345, 5678), in: context)
        }
        #expect(names == ["A", "B"])
    }

    @Test(.parity("P150")) func combinesLists() async throws {
        let humans = [(12345, "Blake"), (5678, "Jeff"), (9999, "Blake")]
        let found = try await find(among: humans) { context in
            func ids(_ ids: FetchPredicate, _ names: [String]) throws -> [Int?] {
                try context.fetch(
                    FetchRequest(
                        "Human", where: ids && .attribute("name", in: names),
                        orderBy: [.descending("railsID")])
                ).map { try $0.value("railsID", as: Int?.self) }
            }
            return [
                try ids(Self.id(12345, 5678), ["Blake"]), try ids(Self.id(12345, 9999), ["Blake"]),
                try ids(Self.id(12345, 9999), ["Blake", "Jeff"]),
                try ids(Self.id(31337, 8888), ["Blake", "Jeff"]),
            ]
        }
        #expect(found == [[12345], [12345, 9999], [12345, 9999], []])
    }

    @Test(.parity("K043")) func seesUnsavedObjectsOfContextAndParents() async throws {
        let store = try await files.openHumans()
        let mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: "Human")))
        let grandparent = store.makeContext()
        let parent = grandparent.child()
        let (context, sibling) = (parent.child(), parent.child())
        let other = store.makeContext()
        let known = try [
            grandparent.insert("Human", ["railsID": 1]), parent.insert("Human", ["railsID": 2]),
            context.insert("Human", ["railsID": 3]), sibling.insert("Human", ["railsID": 4]),
            other.insert("Human", ["railsID": 5]),
        ].map(\.objectID)
        let found = Set(
            try context.fetch(FetchRequest("Human", where: Self.id(1, 2, 3, 4, 5)))
                .map(\.objectID))
        #expect(found == Set(known[..<3]))
        let objects = try context.objects(
            from: #"[{"railsID":1},{"railsID":2},{"railsID":3},{"railsID":4},{"railsID":5}]"#,
            by: mapping, identification: ["Human": ["railsID"]])
        #expect(objects.prefix(3).map(\.objectID) == Array(known[..<3]))
        #expect(objects.count == 5)
        #expect(Set(objects.map(\.objectID)).isDisjoint(with: known[3...]))
        // Objects of the parents are found in the context, not taken from them.
        #expect(objects.allSatisfy { $0.managedObjectContext === context })
        #expect(try files.rows("SELECT count(*) FROM Human") == [["0"]])
    }

    @Test(.parity("K043")) func failingFetchIsErrorInsteadOfEmpty() async throws {
        let store = try await files.openHumans()
        let mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: "Human")))
        try await store.perform { context in
            try context.insert("Human", ["railsID": 1])
            try context.save()
        }
        let context = store.makeContext()
        try files.execute("ALTER TABLE Human RENAME TO Moved")
        let fetch = #expect(throws: PersistenceError.self) {
            try context.fetch(FetchRequest("Human", where: Self.id(1)))
        }
        let load = #expect(throws: PersistenceError.self) {
            try context.objects(
                from: #"{"railsID":1}"#, by: mapping, identification: ["Human": ["railsID"]])
        }
        for error in [fetch, load] {
            #expect(error?.code == .databaseFailure)
        }
        // An empty set would have inserted the object again.
        #expect(!context.hasChanges)
        try files.execute("ALTER TABLE Moved RENAME TO Human")
        #expect(try context.fetch(FetchRequest("Human", where: Self.id(1))).count == 1)
    }

    @Test(.parity("K042")) func emptyCriteriaNeedNoQuery() async throws {
        let store = try await files.openHumans()
        try await store.perform { context in
            try context.insert("Human", ["name": "Null"])
            try context.insert("Human", ["railsID": 1, "name": "One"])
            try context.save()
            #expect(try Self.names(.attribute("railsID", in: [Int]()), in: context) == [])
            #expect(try Self.names(.isNull("railsID"), in: context) == ["Null"])
            #expect(
                try Self.names(.attribute("railsID", .equal, Int?.none), in: context) == ["Null"])
        }
        let layout = try store.model.layout(named: "Human")
        let column = try #require(layout.columns.firstIndex { $0.name == "railsID" })
        let lookup = IdentityLookup(layout: layout, columns: [column], entities: ["Human"])
        let (none, without) = try store.tracing { database in
            var keys: [Int64] = []
            try lookup.find([], in: database) { keys.append($1) }
            return keys.count
        }
        #expect(none == 0)
        #expect(without == [])
        let (one, with) = try store.tracing { database in
            var keys: [Int64] = []
            try lookup.find([IdentityKey(single: .integer(1))], in: database) { keys.append($1) }
            return keys.count
        }
        #expect(one == 1)
        #expect(!with.isEmpty)
        // Queries of one shape run at the same time.
        try await withThrowingTaskGroup(of: [String?].self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await store.read {
                        try Self.names(number % 2 == 0 ? Self.id(1) : Self.id(1, 2), in: $0)
                    }
                }
            }
            for try await names in group { #expect(names == ["One"]) }
        }
    }

    // MARK: Contexts

    @Test(.parity("P151", "P177")) func deletedObjectIsNotFound() async throws {
        let names = try await find(among: [(12345, "Blake"), (1, "Jeff")]) { context in
            let human = try #require(
                context.fetch(FetchRequest("Human", where: Self.id(12345))).first)
            context.delete(human)
            return [
                try Self.names(Self.id(12345), in: context), try Self.names(.all, in: context),
                try Self.names(Self.id(12345), in: try #require(context.parent)),
            ]
        }
        #expect(names == [[], ["Jeff"], ["Blake"]])
    }

    @Test(.parity("P163")) func objectsDeletedElsewhereAreNotFound() async throws {
        let store = try await files.openHumans()
        let holder = Holder(store)
        try await store.perform { context in
            try context.insert("Human", ["railsID": 1, "name": "a"])
            try context.insert("Human", ["railsID": 2, "name": "b"])
            try context.save()
        }
        #expect(try await holder.names(Self.id(1, 2)) == ["a", "b"])
        try await store.perform { context in
            for human in try context.fetch(FetchRequest("Human")) { context.delete(human) }
            try context.save()
        }
        #expect(try await holder.names(Self.id(1, 2)) == [])
        #expect(await holder.deletedCount == 2)
    }

    /// A context that keeps the objects that it has found.
    private actor Holder {
        private let context: ManagedObjectContext
        private var objects: [ManagedObject] = []

        init(_ store: ManagedObjectStore) { context = store.makeContext() }

        func names(_ predicate: FetchPredicate) throws -> [String?] {
            let found = try context.fetch(
                FetchRequest("Human", where: predicate, orderBy: [.ascending("name")]))
            objects += found
            return try found.map { try $0.givenName }
        }

        var deletedCount: Int { objects.count(where: \.isDeleted) }
    }

    @Test(.parity("P174")) func unsavedObjectIsFound() async throws {
        let names = try await find(among: []) { context in
            try context.insert("Human", ["railsID": 12345, "name": "New"])
            return [
                try Self.names(Self.id(12345), in: context),
                try Self.names(Self.id(12345), in: context.child()),
            ]
        }
        #expect(names == [["New"], ["New"]])
    }

    @Test func siblingsDoNotSeeUnsavedObjects() async throws {
        let store = try await files.openHumans()
        try await store.perform { context in
            defer { context.rollback() }
            let first = context.child()
            let second = context.child()
            try context.insert("Human", ["railsID": 1, "name": "parent"])
            try first.insert("Human", ["railsID": 1, "name": "own"])
            #expect(try Self.names(Self.id(1), in: first.child()) == ["own", "parent"])
            #expect(try Self.names(Self.id(1), in: second) == ["parent"])
            #expect(try Self.names(Self.id(1), in: context) == ["parent"])
        }
        // A fetch that fails is an error in place of an empty result.
        let context = store.makeContext()
        try store.close()
        var code: PersistenceError.Code?
        do {
            _ = try context.fetch(FetchRequest("Human"))
        } catch {
            code = error.code
        }
        #expect(code == .storeClosed)
    }

    @Test(.parity("K045")) func missingIDsAreSkipped() async throws {
        let store = try await files.openHumans()
        try await store.perform { context in
            defer { context.rollback() }
            let humans = try ["a", "b", "c"].map { try context.insert("Human", ["name": $0]) }
            try context.save()
            let ids = humans.map(\.objectID)
            context.delete(humans[0])
            try context.save()
            context.delete(humans[1])
            let child = context.child()
            let found = try child.fetch(FetchRequest("Human", where: .ids(ids)))
            #expect(found.map(\.objectID) == [ids[2]])
            #expect(found.first?.context === child)
        }
    }

    // MARK: Keys

    @Test(.parity("K046")) func identitiesAreTypedTuples() async throws {
        let store = try await files.open([
            EntityDescription(
                "Part",
                attributes: [
                    AttributeDescription("a", .text, isIdentity: true),
                    AttributeDescription("b", .text, isIdentity: true),
                    AttributeDescription("at", .date, isIdentity: true),
                ])
        ])
        let count = try await store.perform { context in
            let mapping = try #require(context.model.properties(of: "Part"))
            let text = """
                [{"a": "x:y", "b": "z", "at": "2020-01-01T00:00:00Z"},
                 {"a": "x", "b": "y:z", "at": "2020-01-01T00:00:00Z"},
                 {"a": "x", "b": "y:z", "at": "2020-01-01T00:00:00.25Z"},
                 {"a": "x", "b": "y:z", "at": "2020-01-01T01:00:00.250+01:00"}]
                """
            let objects = try context.objects(from: text, by: ObjectMapping(defaultFor: mapping))
            #expect(objects[2] === objects[3])
            try context.save()
            let again = try context.child().objects(
                from: text, by: ObjectMapping(defaultFor: mapping))
            #expect(again.map(\.objectID) == objects.map(\.objectID))
            return try context.count(FetchRequest("Part"))
        }
        #expect(count == 3)
    }

    // MARK: Sub-entities

    /// Saved objects of sub-entities and unsaved ones are found alike.
    @Test(.parity("P132", "P133"), arguments: [true, false])
    func connectionsFindSubentities(_ isSaved: Bool) async throws {
        let store = try await files.openHumans()
        let connected = try await store.perform { context in
            defer { context.rollback() }
            try context.insert("Parent", ["railsID": 31337, "name": "Mother"])
            if isSaved { try context.save() }
            var mapping = try store.mapping("Cat")
            mapping.add(["humanId": "humanId"])
            let cats = try context.objects(
                from: #"{"humanId": 31337}"#, by: mapping,
                rules: [
                    "Cat": EntityRules(connections: [
                        Connection("human", by: ["humanId": "railsID"])
                    ])
                ])
            return try cats[0].related("human").map {
                "\($0.objectID.entityName) \(try $0.givenName ?? "")"
            }
        }
        #expect(connected == ["Parent Mother"])
    }

    @Test(.parity("K051")) func ancestorsIncludeInsertedSubentities() async throws {
        let found = try await find(among: [(1, "Human")]) { context in
            let parent = try context.insert("Parent", ["railsID": 1, "name": "Parent"])
            let before = [
                try Self.names(Self.id(1), in: context),
                try Self.names(Self.id(1), "Parent", in: context),
            ]
            context.delete(parent)
            return before + [
                try Self.names(Self.id(1), in: context),
                try Self.names(Self.id(1), "Parent", in: context),
            ]
        }
        #expect(found == [["Human", "Parent"], ["Parent"], ["Human"], []])
    }
}
