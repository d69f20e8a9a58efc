// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// New objects that cannot be saved, which an import drops if its policy says so.
@Suite struct DiscardingTests {
    private static let policy = IssuePolicy(invalidElement: .drop, invalidObject: .drop)
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static let posts = [
        EntityDescription(
            "Post",
            attributes: [
                AttributeDescription("postID", .integer, isOptional: true),
                AttributeDescription("title", .text, maximumLength: 25),
            ],
            relationships: [
                .toOne("next", "Post", inverse: "previous"),
                .toOne("previous", "Post"),
            ]),
        EntityDescription(
            "Comment", attributes: [AttributeDescription("text", .text, isOptional: true)],
            relationships: [.toOne("post", "Post", isOptional: false)]),
    ]

    private func mapping(
        _ entity: String, _ names: [SourcePath], in store: ManagedObjectStore,
        policy: IssuePolicy = DiscardingTests.policy
    ) throws -> ObjectMapping {
        var mapping = try store.mapping(entity)
        mapping.policy = policy
        mapping.add(names)
        return mapping
    }

    /// Validity is judged after connections.
    @Test(.parity("P080", "K027"), arguments: [12345, 999])
    func keepsObjectThatConnectionCompletes(id: Int) async throws {
        let store = try await files.open(HumanEntities.all)
        let mapping = try mapping("StrictHuman", ["name", "favoriteCatID"], in: store)
        let rules = [
            "StrictHuman": EntityRules(
                connections: [Connection("requiredCat", by: ["favoriteCatID": "railsID"])])
        ]
        let plan = try EntityMappingPlan(EntityMapping(mapping, rules: rules), in: store.model)
        let document = try Document(parsing: #"{"name": "Blake", "favoriteCatID": \#(id)}"#)
        try await store.perform { context in
            let cat = try context.insert("Cat", ["railsID": 12345])
            let result = try context.importObjects(from: document.root, by: plan)
            let isComplete = id == 12345
            #expect(result.objectIDs.count == (isComplete ? 1 : 0))
            #expect(result.entities["StrictHuman"]?.discarded == (isComplete ? 0 : 1))
            #expect(result.report.issues.map(\.property) == (isComplete ? [] : ["requiredCat"]))
            if let first = result.objectIDs.first {
                let human = try context.object(with: first)
                #expect(human.objectState == .inserted)
                #expect(human.managedObjectContext === context)
                #expect(try human.related("requiredCat") == [cat])
            }
            try context.save()
            #expect(try context.count(FetchRequest("StrictHuman")) == (isComplete ? 1 : 0))
        }
    }

    /// A parent's relationship makes its members valid.
    @Test(.parity("P082")) func keepsMemberOfRequiredRelationship() async throws {
        let store = try await files.open(HumanEntities.all)
        var hoarder = try mapping("CatHoarder", ["name", "railsID"], in: store)
        let cat = try mapping("HoardedCat", ["name", "railsID"], in: store)
        hoarder.add(RelationshipMapping("hoardedCats", to: "hoardedCats", mapping: cat))
        let mapping = hoarder
        let text = """
            {"name": "Blake", "railsID": 123, "hoardedCats": [{"name": "Asia", "railsID": 12345}]}
            """
        try await store.perform { context in
            let human = try context.objects(
                from: text, by: mapping,
                identification: ["CatHoarder": ["railsID"], "HoardedCat": ["railsID"]])[0]
            #expect(try human.titles("hoardedCats") == ["Asia"])
            try context.save()
            #expect(try context.count(FetchRequest("HoardedCat")) == 1)
        }
    }

    /// Objects that require a discarded one are discarded, others lose their reference to it.
    @Test func discardsOnlyWhatIsInvalid() async throws {
        let store = try await files.open(Self.posts)
        var inner = try mapping("Post", ["postID", "title"], in: store)
        inner.add(RelationshipMapping("next", to: "next", mapping: inner))
        var comment = try mapping("Comment", ["text"], in: store)
        comment.add(RelationshipMapping("post", to: "post", mapping: inner))
        let plan = try EntityMappingPlan(
            EntityMapping(comment, rules: ["Post": EntityRules(identification: ["postID"])]),
            in: store.model)
        let long = String(repeating: "x", count: 26)
        let document = try Document(
            parsing: """
                [{"text": "a", "post": {"postID": 1, "title": "A",
                                        "next": {"postID": 2, "title": "\(long)"}}},
                 {"text": "b", "post": {"postID": 2}},
                 {"text": "c"},
                 {"text": "d", "post": {"postID": 1}}]
                """)
        let result = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
        #expect(try files.rows("SELECT postID, next FROM Post") == [["1", "-"]])
        #expect(try files.rows("SELECT text FROM Comment ORDER BY text") == [["a"], ["d"]])
        #expect(result.objectIDs.count == 2)
        #expect(result.entities["Post"]?.discarded == 1)
        #expect(result.entities["Comment"]?.discarded == 2)
        #expect(
            result.report.issues.map { "\($0.path) \($0.property ?? "-") \($0.code)" }.sorted() == [
                "[0].post.next title validationFailed", "[1] post missingValue",
                "[2] post missingValue",
            ])
    }

    /// Objects that exist are not discarded: saving them reports the problem.
    @Test(.parity("K027")) func keepsExistingObjects() async throws {
        let store = try await files.open(Self.posts)
        let mapping = try mapping("Post", ["postID", "title"], in: store)
        let plan = try EntityMappingPlan(
            EntityMapping(mapping, rules: ["Post": EntityRules(identification: ["postID"])]),
            in: store.model)
        let long = String(repeating: "x", count: 26)
        let document = try Document(parsing: #"{"postID": 1, "title": "\#(long)"}"#)
        try await store.perform { context in
            try context.insert("Post", ["postID": 1, "title": "A"])
            try context.save()
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.entities["Post"]?.discarded == 0)
            let error = #expect(throws: PersistenceError.self) { try context.save() }
            #expect(error?.code == .invalidObject)
        }
        #expect(try files.rows("SELECT title FROM Post") == [["A"]])
    }
}
