// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// The reuse of the destinations that a relationship of an existing object already has.
@Suite struct ImportPlacementReusingTests {
    private let files: TemporaryStore
    private static let byName = EntityRules(identification: ["name"])
    private static let byID = EntityRules(identification: ["railsID"])

    init() throws { files = try TemporaryStore() }

    /// Returns a mapping of parents and of the named objects of a relationship.
    private func parents(
        _ relationship: String, _ related: ObjectMapping, _ assignment: AssignmentPolicy = .set,
        in store: ManagedObjectStore
    ) throws -> ObjectMapping {
        var parent = try store.mapping("Parent")
        parent.add("name", from: "name")
        parent.add(
            RelationshipMapping("list", to: relationship, mapping: related, assignment: assignment))
        return parent
    }

    private func named(_ entity: String, in store: ManagedObjectStore) throws -> ObjectMapping {
        var mapping = try store.mapping(entity)
        mapping.add("name", from: "name")
        return mapping
    }

    private static func win(_ names: [String]) -> String {
        let list = names.map { #"{"name": "\#($0)"}"# }.joined(separator: ", ")
        return #"{"name": "Win", "list": [\#(list)]}"#
    }

    @Test(
        .parity("K057"),
        arguments: [
            ("cats", "Cat"), ("catsInOrderByAge", "Cat"), ("children", "Child"),
            ("fatheredChildren", "Child"), ("housesResidedAt", "House"),
        ], [true, false])
    func updatesDestinationsInTurn(to: (name: String, entity: String), isSaved: Bool) async throws {
        let store = try await files.openHumans()
        let attribute = to.entity == "House" ? "city" : "name"
        var related = try store.mapping(to.entity)
        related.add([SourcePath([.key("name")]): attribute])
        let parent = try parents(to.name, related, in: store)
        try await store.perform { context in
            defer { context.rollback() }
            func load(_ names: [String]) throws -> (objects: [ManagedObject], names: [String?]) {
                let found = try context.objects(
                    from: Self.win(names), by: parent, rules: ["Parent": Self.byName])
                if isSaved { try context.save() }
                let objects = try found[0].related(to.name)
                return (objects, try objects.map { try $0.value(attribute, as: String?.self) })
            }
            let first = try load(["Maya", "Brady"])
            let second = try load(["Maya", "Brady"])
            #expect(second.objects == first.objects)
            if isSaved { #expect(try context.save().hasChanges == false) }
            let third = try load(["Ann", "Bob", "Cid"])
            #expect(Array(third.objects.prefix(2)) == first.objects)
            #expect(third.names == ["Ann", "Bob", "Cid"])
            let count = try context.count(FetchRequest(to.entity))
            #expect(count == 3)
            // An object that is not given any more is disconnected and stays.
            let fourth = try load(["Dan"])
            #expect(fourth.objects == [first.objects[0]])
            #expect(fourth.names == ["Dan"])
            #expect(try context.count(FetchRequest(to.entity)) == 3)
            // A deleted one is not reused.
            context.delete(first.objects[0])
            let fifth = try load(["Eva"])
            #expect(fifth.names == ["Eva"])
            #expect(!first.objects.contains(fifth.objects[0]))
        }
    }

    @Test(.parity("K057")) func updatesDestinationOfToOneRelationship() async throws {
        let store = try await files.openHumans()
        let parent = try parents("favoriteCat", try named("Cat", in: store), in: store)
        try await store.perform { context in
            for name in ["Asia", "Roy"] {
                let objects = try context.objects(
                    from: #"{"name": "Win", "list": {"name": "\#(name)"}}"#, by: parent,
                    rules: ["Parent": Self.byName])
                try context.save()
                #expect(try objects[0].titles("favoriteCat") == [name])
                #expect(try context.count(FetchRequest("Cat")) == 1)
            }
        }
    }

    @Test(.parity("K057")) func updatesDestinationsOfReusedObjects() async throws {
        let store = try await files.openHumans()
        var child = try named("Child", in: store)
        child.add(RelationshipMapping("cats", to: "cats", mapping: try named("Cat", in: store)))
        let parent = try parents("children", child, in: store)
        for name in ["Asia", "Roy"] {
            let report = try await store.write { context in
                try context.objects(
                    from: """
                        {"name": "Win", "list": [{"name": "a", "cats": [{"name": "\(name)"}]},
                          {"name": "b", "cats": [{"name": "x"}, {"name": "y"}]}]}
                        """, by: parent, rules: ["Parent": Self.byName])
                return try context.save()
            }
            #expect(report.inserted == (name == "Asia" ? 6 : 0))
        }
        #expect(
            try files.rows("SELECT name FROM Cat ORDER BY restkit_key")
                == [["Roy"], ["x"], ["y"]])
    }

    @Test(.parity("K058")) func objectWithoutIdentityTakesThatOfRepresentation() async throws {
        let store = try await files.openHumans()
        var cat = try named("Cat", in: store)
        cat.add("railsID", from: "id")
        let parent = try parents("cats", cat, in: store)
        try await store.perform { context in
            defer { context.rollback() }
            let win = try context.insert("Parent", ["name": "Win"])
            let known = try context.insert("Cat", ["railsID": 5])
            let draft = try context.insert("Cat", ["name": "draft"])
            let elsewhere = try context.insert("Cat", ["railsID": 9])
            try win.setRelated("cats", [known, draft])
            try context.save()
            func load(_ list: String) throws -> [ManagedObject] {
                try context.objects(
                    from: #"{"name": "Win", "list": [\#(list)]}"#, by: parent,
                    rules: ["Parent": Self.byName, "Cat": Self.byID])
                return try win.related("cats")
            }
            // A found object is taken in place of the candidate, which keeps its values.
            #expect(try load(#"{"id": 9, "name": "n"}"#) == [elsewhere])
            #expect(try draft.givenName == "draft")
            #expect(try draft.value("railsID", as: Int?.self) == nil)
            context.rollback()
            // An object with an identity is no candidate: only the draft is.
            let cats = try load(#"{"id": 7, "name": "a"}, {"id": 8, "name": "b"}"#)
            #expect(cats.count == 2)
            #expect(cats[0] == draft && cats[1] != known)
            #expect(try cats.map { try $0.value("railsID", as: Int?.self) } == [7, 8])
            #expect(try context.count(FetchRequest("Cat")) == 4)
            // Now that it has an identity, it is found by it alone.
            #expect(try load(#"{"id": 6}"#).contains(draft) == false)
        }
    }

    @Test(.parity("K058")) func oneIdentityValueMakesNoCandidate() async throws {
        let store = try await files.openHumans()
        var cat = try named("Cat", in: store)
        cat.add("railsID", from: "id")
        let parent = try parents("cats", cat, in: store)
        try await store.perform { context in
            defer { context.rollback() }
            let win = try context.insert("Parent", ["name": "Win"])
            let half = try context.insert("Cat", ["name": "half"])
            let none = try context.insert("Cat", [:])
            try none.setValue(String?.none, "name")
            try win.setRelated("cats", [half, none])
            try context.objects(
                from: #"{"name": "Win", "list": [{"id": 7, "name": "a"}]}"#, by: parent,
                rules: [
                    "Parent": Self.byName, "Cat": EntityRules(identification: ["railsID", "name"]),
                ])
            #expect(try win.related("cats") == [none])
            #expect(try half.givenName == "half")
        }
    }

    /// Only the policy that sets a relationship reuses its destinations.
    @Test(
        arguments: [
            (.union, false, ["Asia", "Roy"], 2), (.replace, false, ["Roy"], 1),
            (.set, true, ["Roy"], 2), (.set, false, ["Roy"], 1),
        ] as [(AssignmentPolicy, Bool, [String], Int)])
    func otherPoliciesReuseNothing(
        policy: AssignmentPolicy, insertsAll: Bool, names: [String], count: Int
    ) async throws {
        let store = try await files.openHumans()
        let parent = try parents("cats", try named("Cat", in: store), policy, in: store)
        let rules = [
            "Parent": Self.byName, "Cat": EntityRules(insertsAllObjects: insertsAll),
        ]
        try await store.perform { context in
            var first: [ManagedObject] = []
            for name in ["Asia", "Roy"] {
                let objects = try context.objects(
                    from: Self.win([name]), by: parent, rules: rules)
                try context.save()
                if first.isEmpty { first = try objects[0].related("cats") }
            }
            let win = try #require(try context.fetch(FetchRequest("Parent")).first)
            #expect(try win.titles("cats") == names)
            #expect(try context.count(FetchRequest("Cat")) == count)
            #expect(try (win.related("cats") == first) == (policy == .set && !insertsAll))
        }
    }

    @Test func sharedDestinationIsReusedOnce() async throws {
        let store = try await files.openHumans()
        let parent = try parents("children", try named("Child", in: store), in: store)
        try await store.perform { context in
            defer { context.rollback() }
            let owners = try ["a", "b"].map { try context.insert("Parent", ["name": $0]) }
            let shared = try context.insert("Child", ["name": "shared"])
            for owner in owners { try owner.setRelated("children", [shared]) }
            try context.objects(
                from: """
                    [{"name": "a", "list": [{"name": "x"}]}, {"name": "b", "list": [{"name": "y"}]}]
                    """, by: parent, rules: ["Parent": Self.byName])
            #expect(try owners[0].related("children") == [shared])
            #expect(try owners[1].related("children") != [shared])
            #expect(try owners.map { try $0.titles("children") } == [["x"], ["y"]])
        }
    }

    @Test func objectOfAnotherEntityIsNotReused() async throws {
        let store = try await files.openHumans()
        let parent = try parents("friends", try named("Parent", in: store), in: store)
        try await store.perform { context in
            defer { context.rollback() }
            let win = try context.insert("Parent", ["name": "Win"])
            let friends = try ["Child", "Parent", "Human"].map { try context.insert($0, [:]) }
            try win.setRelated("friends", friends)
            try context.objects(
                from: Self.win(["a", "b"]), by: parent, rules: ["Parent": Self.byName])
            let mapped = try win.related("friends")
            #expect(mapped.map(\.objectID.entityName) == ["Parent", "Parent"])
            // Identified by name, of which only one has none.
            #expect(mapped.contains(friends[1]))
            #expect(try Set(mapped.map { try $0.givenName }) == ["a", "b"])
        }
    }

    // MARK: The order of finding and creating

    /// Converted identity, then the conditions, then the relationship, then a new object.
    @Test(.parity("K055")) func findsBeforeReusingAndInserting() async throws {
        let store = try await files.openHumans()
        var cat = try named("Cat", in: store)
        cat.add("railsID", from: "id")
        let parent = try parents("cats", cat, in: store)
        let plan = try EntityMappingPlan(
            EntityMapping(
                parent,
                rules: [
                    "Parent": Self.byName,
                    "Cat": EntityRules(
                        identification: ["railsID"],
                        identificationPredicate: .attribute("age", .less, 30)),
                ]), in: store.model)
        let document = try Document(
            parsing: """
                {"name": "Win", "list": [
                  {"id": "1", "name": "found"}, {"id": "2", "name": "reused"},
                  {"id": 3, "name": "inserted"}, {"name": "missing"}, {"id": "x", "name": "bad"}]}
                """)
        try await store.perform { context in
            defer { context.rollback() }
            let win = try context.insert("Parent", ["name": "Win"])
            let elsewhere = try context.insert("Cat", ["railsID": 1, "age": 3])
            // The condition excludes it, although it has the identity.
            let excluded = try context.insert("Cat", ["railsID": 3, "age": 30])
            let draft = try context.insert("Cat", ["name": "draft"])
            try win.setRelated("cats", [draft])
            try context.save()
            let result = try context.importObjects(from: document.root, by: plan)
            let cats = try win.related("cats")
            let byName = try Dictionary(uniqueKeysWithValues: cats.map { (try $0.givenName, $0) })
            #expect(cats.count == 5)
            #expect(byName["found"] == elsewhere)
            #expect(byName["reused"] == draft)
            #expect(try draft.value("railsID", as: Int?.self) == 2)
            let inserted = try #require(byName["inserted"])
            #expect(inserted != excluded && inserted.objectState == .inserted)
            #expect(try inserted.value("railsID", as: Int?.self) == 3)
            // Missing and unsuitable identities are null, which finds nothing.
            for name in ["missing", "bad"] {
                let object = try #require(byName[name])
                #expect(object.objectState == .inserted)
                #expect(try object.value("railsID", as: Int?.self) == nil)
            }
            #expect(result.counts["Cat"]?.found == 2)
            #expect(result.counts["Cat"]?.inserted == 3)
            // An inserted object is found by the next import, before it is saved.
            let again = try context.importObjects(
                from: try Document(parsing: #"{"name": "Win", "list": [{"id": 3}]}"#).root,
                by: plan)
            #expect(try win.related("cats") == [inserted])
            #expect(again.counts["Cat"]?.inserted == nil || again.counts["Cat"]?.inserted == 0)
        }
    }

    /// Objects without identity are never merged.
    ///
    /// In RestKit, two representations without one, and an existing object whose attribute is null,
    /// were one object.
    @Test(.parity("K056"), arguments: [#"{"name": "n"}"#, #"{"id": null, "name": "n"}"#])
    func nullIdentityFindsNoObject(text: String) async throws {
        let store = try await files.openHumans()
        var cat = try named("Cat", in: store)
        cat.add("railsID", from: "id")
        let plan = try EntityMappingPlan(
            EntityMapping(cat, rules: ["Cat": Self.byID]), in: store.model)
        let document = try Document(parsing: "[\(text), \(text)]")
        try await store.perform { context in
            defer { context.rollback() }
            let known = try context.insert("Cat", ["name": "known"])
            try context.save()
            for round in 1...2 {
                let result = try context.importObjects(from: document.root, by: plan)
                #expect(Set(result.objectIDs).count == 2)
                #expect(!result.objectIDs.contains(known.objectID))
                #expect(result.total.inserted == 2)
                #expect(result.report.issues.map(\.code) == [.missingIdentity, .missingIdentity])
                #expect(result.report.issues.map(\.property) == ["railsID", "railsID"])
                #expect(try context.count(FetchRequest("Cat")) == 1 + 2 * round)
            }
            #expect(try known.givenName == "known")
        }
    }
}
