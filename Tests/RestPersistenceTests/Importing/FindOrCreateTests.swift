// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Finding existing objects by their identification attributes, or creating them.
@Suite struct FindOrCreateTests {
    private let files: TemporaryStore
    private static let byID = ["Human": ["railsID"]]
    private static let text = "2012-03-22T11:05:42Z"
    private static let date = Date(timeIntervalSince1970: 1_332_414_342)

    init() throws { files = try TemporaryStore() }

    /// Returns a mapping of humans by an ID, a name and a date.
    private func humans(
        in store: ManagedObjectStore, id: SourcePath = "id"
    ) throws -> ObjectMapping {
        var human = try store.mapping("Human")
        human.add([id: "railsID", "name": "name", "createdAt": "createdAt"])
        return human
    }

    /// Imports a document into a store with one human, and returns whether it was found.
    private func finds(
        _ text: String, by identification: [String], id: SourcePath = "id",
        isSaved: Bool, mapping: ((inout ObjectMapping) -> Void)? = nil
    ) async throws -> Bool {
        let store = try await files.openHumans()
        var human = try humans(in: store, id: id)
        mapping?(&human)
        return try await store.perform { [human] context in
            defer { context.rollback() }
            let existing = try context.insert(
                "Human", ["railsID": 12345, "name": "Reginald", "createdAt": Self.date])
            if isSaved { try context.save() }
            let objects = try context.objects(
                from: text, by: human, identification: ["Human": identification])
            let count = try context.count(FetchRequest("Human"))
            #expect(objects.count == 1)
            #expect(try existing.value("railsID", as: Int?.self) == 12345)
            #expect(count == (objects == [existing] ? 1 : 2))
            return objects == [existing]
        }
    }

    @Test(
        .parity("P180", "P181", "P182", "SM13"),
        arguments: ["{}", #"{"id": null}"#], [true, false])
    func createsObjectWithoutIdentity(text: String, isIdentified: Bool) async throws {
        let store = try await files.openHumans()
        let human = try humans(in: store)
        try await store.perform { context in
            defer { context.rollback() }
            let objects = try context.objects(
                from: text, by: human, identification: isIdentified ? Self.byID : [:])
            #expect(objects.map(\.objectID.entityName) == ["Human"])
            #expect(objects[0].objectState == .inserted)
            #expect(try context.count(FetchRequest("Human")) == 1)
        }
    }

    @Test(.parity("P183")) func findsEntityOfEqualModelByName() async throws {
        let store = try await files.openHumans()
        let copy = try ManagedObjectModel(HumanEntities.all)
        var human = ObjectMapping(table: try #require(copy.properties(of: "Human")))
        human.add(["name": "name"])
        try await store.perform { [human] context in
            defer { context.rollback() }
            let objects = try context.objects(from: #"{"name": "Blake"}"#, by: human)
            #expect(try objects.map { try $0.givenName } == ["Blake"])
            #expect(try context.fetch(FetchRequest("Human")) == objects)
        }
    }

    /// An unsaved object of the context is found like a saved one.
    @Test(
        .parity("P184", "P185", "P186", "P187", "P188", "P189", "P192", "P193"),
        arguments: [true, false])
    func findsObjectByIdentity(isSaved: Bool) async throws {
        #expect(
            try await finds(#"{"id": 12345}"#, by: ["railsID"], isSaved: isSaved))
        let other = try FindOrCreateTests()
        #expect(
            try await other.finds(
                #"{"monkey": {"id": 12345}}"#, by: ["railsID"], id: "monkey.id",
                isSaved: isSaved))
        let dated = try FindOrCreateTests()
        #expect(
            try await dated.finds(
                #"{"createdAt": "\#(Self.text)"}"#, by: ["createdAt"], isSaved: isSaved))
        let compound = try FindOrCreateTests()
        #expect(
            try await compound.finds(
                #"{"id": "12345", "name": "Reginald", "createdAt": "\#(Self.text)"}"#,
                by: ["railsID", "name", "createdAt"], isSaved: isSaved))
        let unequal = try FindOrCreateTests()
        #expect(
            try await !unequal.finds(
                #"{"id": "12345", "name": "Reginald", "createdAt": "2012-03-22T11:05:43Z"}"#,
                by: ["railsID", "name", "createdAt"], isSaved: isSaved))
    }

    @Test(.parity("P190"), arguments: [true, false])
    func convertsIdentityOfAnotherType(isSaved: Bool) async throws {
        #expect(
            try await finds(
                #"{"monkey": {"railsID": "12345"}}"#, by: ["railsID"], id: "monkey.railsID",
                isSaved: isSaved))
    }

    @Test(.parity("P191")) func transformsIdentityBeforeCreation() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add(
            AttributeMapping(
                "name", to: "name",
                using: ValueTransform<String?>("shout") { $0.string?.uppercased() }))
        try await store.perform { [human] context in
            defer { context.rollback() }
            let existing = try context.insert("Human", ["name": "BLAKE WATTERS"])
            let objects = try context.objects(
                from: #"[{"name": "Blake Watters"}, {"name": "Jeff"}]"#, by: human,
                identification: ["Human": ["name"]])
            #expect(objects[0] == existing)
            #expect(try objects.map { try $0.givenName } == ["BLAKE WATTERS", "JEFF"])
        }
    }

    @Test(
        .parity("P194", "P195", "P196", "P197", "K059"),
        arguments: [["name"], ["railsID"], ["name", "railsID"], ["railsID", "name"]])
    func findsObjectByKeyOfRepresentation(identification: [String]) async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.nestingAttribute = "name"
        human.add("railsID", from: "(name).id")
        try await store.perform { [human] context in
            defer { context.rollback() }
            let existing = try context.insert("Human", ["railsID": 12345, "name": "Blake"])
            try context.insert("Human", ["railsID": 12346, "name": "Other"])
            try context.save()
            let objects = try context.objects(
                from: #"{"Blake": {"id": "12345"}}"#, by: human,
                identification: ["Human": identification])
            #expect(objects == [existing])
            #expect(try context.count(FetchRequest("Human")) == 2)
        }
    }

    @Test(.parity("P198")) func findsEachMemberOfForcedCollection() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.nestingAttribute = "name"
        human.forcesCollection = true
        human.add("railsID", from: "{name}.id")
        try await store.perform { [human] context in
            defer { context.rollback() }
            let existing = try ["blake", "rachit"].map { try context.insert("Human", ["name": $0]) }
            try context.save()
            let objects = try context.objects(
                from: #"{"blake": {"id": 31337}, "rachit": {"id": 7}}"#, by: human,
                identification: ["Human": ["name"]])
            #expect(objects == existing)
            #expect(try objects.map { try $0.value("railsID", as: Int?.self) } == [31337, 7])
        }
    }

    private static let catIDs = ["418", "419", "420", "421", "422", "500", "504"]

    @Test(.parity("P199", "P200"), arguments: [true, false])
    func identifiesObjectsByElementsOfList(hasUnsavedCats: Bool) async throws {
        let store = try await files.openHumans()
        var cat = try store.mapping("Cat")
        cat.add("railsID", from: .whole)
        var human = try store.mapping("Human")
        human.add("railsID", from: "id")
        human.add(RelationshipMapping("catIDs", to: "cats", mapping: cat))
        let list = Self.catIDs.map { "\"\($0)\"" }.joined(separator: ", ")
        try await store.perform { [human] context in
            defer { context.rollback() }
            let known =
                hasUnsavedCats
                ? try [418, 419].map { try context.insert("Cat", ["railsID": $0]) } : []
            let objects = try context.objects(
                from: #"{"id": 54321, "catIDs": [\#(list)]}"#, by: human,
                identification: ["Human": ["railsID"], "Cat": ["railsID"]])
            let cats = try objects[0].related("cats")
            let ids = try cats.map { try $0.value("railsID", as: Int?.self) ?? 0 }
            #expect(ids.sorted() == Self.catIDs.compactMap { Int($0) })
            #expect(known.allSatisfy(cats.contains))
            #expect(try context.count(FetchRequest("Cat")) == 7)
        }
    }

    @Test(.parity("P201")) func sharesObjectsNamedByTwoLists() async throws {
        let store = try await files.openHumans()
        var cat = try store.mapping("Cat")
        cat.add("name", from: .whole)
        var human = try store.mapping("Human")
        human.add("name", from: "name")
        human.add(RelationshipMapping("friends", to: "cats", mapping: cat))
        let list = Self.catIDs.map { "\"\($0)\"" }.joined(separator: ", ")
        try await store.perform { [human] context in
            defer { context.rollback() }
            try context.objects(
                from: """
                    [{"name": "a", "friends": [\(list)]}, {"name": "b", "friends": [\(list)]}]
                    """, by: human, identification: ["Cat": ["name"]])
            let cats = try context.fetch(FetchRequest("Cat")).map { try $0.givenName }
            #expect(cats.count == 7)
            #expect(Set(cats) == Set(Self.catIDs))
        }
    }

    /// Two parents share children, and many documents repeat them.
    @Test(.parity("P202", "P203", "P209", "P210")) func repeatedObjectsAreOne() async throws {
        let store = try await files.openHumans()
        var child = try store.mapping("Child")
        child.add(["childID": "childID", "name": "name"])
        var parent = try store.mapping("Parent")
        parent.add(["parentID": "parentID", "name": "name"])
        parent.add(RelationshipMapping("children", to: "children", mapping: child))
        let parents = (0..<25).map { parent in
            let children = (0..<19).map { #"{"childID": \#((parent * 7 + $0) % 51)}"# }
            return #"{"parentID": \#(parent), "children": [\#(children.joined(separator: ","))]}"#
        }
        let text = "[" + parents.joined(separator: ",") + "]"
        for round in 0..<3 {
            try await store.perform { [parent] context in
                defer { context.rollback() }
                for _ in 0..<3 {
                    try context.objects(
                        from: text, by: parent,
                        identification: ["Parent": ["parentID"], "Child": ["childID"]])
                    #expect(try context.count(FetchRequest("Parent")) == 25)
                    #expect(try context.count(FetchRequest("Child")) == 51)
                }
                #expect(try context.save().hasChanges == (round == 0))
            }
        }
        #expect(try files.rows("SELECT count(*) FROM Human") == [["76"]])
        #expect(try files.rows("SELECT count(*) FROM Child_parents") == [["475"]])
    }

    @Test func identifiesRootsByValuesOfList() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add("railsID", from: .whole)
        try await store.perform { [human] context in
            defer { context.rollback() }
            let known = try context.insert("Human", ["railsID": 2])
            let objects = try context.objects(
                from: "[1, 2, 3]", by: human, identification: Self.byID)
            #expect(objects.count == 3)
            #expect(objects[1] == known)
            #expect(try objects.map { try $0.value("railsID", as: Int?.self) } == [1, 2, 3])
        }
    }
}
