// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import Synchronization
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
            #expect(result.counts["StrictHuman"]?.discarded == (isComplete ? 0 : 1))
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
        #expect(result.counts["Post"]?.discarded == 1)
        #expect(result.counts["Comment"]?.discarded == 2)
        #expect(
            result.report.issues.map { "\($0.path) \($0.property ?? "-") \($0.code)" }.sorted() == [
                "[0].post.next title validationFailed", "[1] post missingValue",
                "[2] post missingValue",
            ])
    }

    /// A one-to-one relationship has its column on one side, and either side may require the other.
    @Test(arguments: ["Owner", "Passport"]) func discardsWhatRequiresOtherSide(
        invalid: String
    ) async throws {
        let number = AttributeDescription("number", .integer, isIdentity: true)
        let code = AttributeDescription("code", .text, isOptional: true, maximumLength: 2)
        let reference = ReferenceDescription(by: "number")
        let store = try await files.open([
            EntityDescription(
                "Owner", attributes: [number, code],
                relationships: [
                    .toOne(
                        "passport", "Passport", inverse: "owner", isOptional: invalid == "Owner"),
                    .toMany("guests", "Guest"),
                ]),
            EntityDescription(
                "Passport", attributes: [number, code],
                relationships: [.toOne("owner", "Owner", isOptional: invalid == "Passport")]),
            EntityDescription(
                "Guest", attributes: [number],
                relationships: [
                    .toOne(
                        "host", "Owner", inverse: "guests", isOptional: false,
                        reference: reference)
                ]),
        ])
        let guest = try mapping("Guest", ["number"], in: store)
        var owner = try mapping("Owner", ["number", "code"], in: store)
        let passport = try mapping("Passport", ["number", "code"], in: store)
        owner.add(RelationshipMapping("passport", to: "passport", mapping: passport))
        owner.add(RelationshipMapping("guests", to: "guests", mapping: guest))
        let plan = try EntityMappingPlan(EntityMapping(owner), in: store.model)
        let codes = invalid == "Owner" ? ["long", "b"] : ["a", "long"]
        let document = try Document(
            parsing: """
                [{"number": 1, "code": "\(codes[0])", "guests": [{"number": 1}, {"number": 2}],
                  "passport": {"number": 1, "code": "\(codes[1])"}},
                 {"number": 2, "guests": [{"number": 3}], "passport": {"number": 2}}]
                """)
        let result = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
        #expect(try files.rows("SELECT number FROM Owner") == [["2"]])
        #expect(try files.rows("SELECT number FROM Passport") == [["2"]])
        #expect(try files.rows("SELECT number FROM Guest") == [["3"]])
        #expect(result.counts.mapValues(\.discarded) == ["Owner": 1, "Passport": 1, "Guest": 2])
        #expect(result.objectIDs.count == 1)
        #expect(result.report.issueCount == 4)
    }

    /// The delete rules of a discarded object include what came with it, not what the store has.
    @Test func discardsOwnedObjectsUnlessTheyExist() async throws {
        let number = AttributeDescription("number", .integer, isIdentity: true)
        let code = AttributeDescription("code", .text, isOptional: true, maximumLength: 2)
        let store = try await files.open([
            EntityDescription(
                "Owner", attributes: [number, code],
                relationships: [
                    .toOne("passport", "Passport", deleteRule: .cascade),
                    .toMany("guests", "Guest", inverse: "host", deleteRule: .cascade),
                ]),
            EntityDescription("Passport", attributes: [number]),
            EntityDescription(
                "Guest", attributes: [number], relationships: [.toOne("host", "Owner")]),
        ])
        let guest = try mapping("Guest", ["number"], in: store)
        let passport = try mapping("Passport", ["number"], in: store)
        var owner = try mapping("Owner", ["number", "code"], in: store)
        owner.add(RelationshipMapping("passport", to: "passport", mapping: passport))
        owner.add(RelationshipMapping("guests", to: "guests", mapping: guest))
        let plan = try EntityMappingPlan(EntityMapping(owner), in: store.model)
        let document = try Document(
            parsing: """
                [{"number": 1, "code": "long", "passport": {"number": 1},
                  "guests": [{"number": 1}, {"number": 2}]},
                 {"number": 2, "code": "long", "passport": {"number": 2}, "guests": []}]
                """)
        let result = try await store.perform { context in
            try context.insert("Passport", ["number": 1])
            try context.insert("Guest", ["number": 1])
            try context.save()
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
        #expect(try files.rows("SELECT number FROM Owner") == [])
        #expect(try files.rows("SELECT number FROM Passport") == [["1"]])
        #expect(try files.rows("SELECT number, host FROM Guest") == [["1", "-"]])
        #expect(result.counts.mapValues(\.discarded) == ["Owner": 2, "Passport": 1, "Guest": 1])
        #expect(result.total.inserted == 0)
        #expect(result.report.issueCount == 2)
    }

    /// Each object requires the next, and the last one is invalid: an object is checked again only
    /// after it has lost its reference.
    @Test func checksObjectsOfChainTwice() async throws {
        let store = try await ManagedObjectStore(
            at: files.file, model: ManagedObjectModel([Stage.self]))
        var mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: "Stage")))
        mapping.policy = Self.policy
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        let count = 500
        // One more stage leads to itself, so that it is valid.
        let stages =
            (1...count).map { #"{"id": \#($0), "next": \#($0 + 1)}"# } + [
                #"{"id": 0, "next": 0}"#
            ]
        let document = try Document(parsing: "[\(stages.joined(separator: ", "))]")
        Stage.checkCount.store(0, ordering: .relaxed)
        let result = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(Stage.checkCount.load(ordering: .relaxed) == 2 * count + 1)
            try context.save()
            return result
        }
        #expect(result.counts["Stage"]?.discarded == count)
        #expect(result.counts["Stage"]?.pending == 0)
        #expect(result.report.issueCount == count)
        #expect(try files.rows("SELECT id FROM Stage") == [["0"]])
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
            defer { context.rollback() }
            try context.insert("Post", ["postID": 1, "title": "A"])
            try context.save()
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.counts["Post"]?.discarded == 0)
            let error = #expect(throws: PersistenceError.self) { try context.save() }
            #expect(error?.code == .invalidObject)
        }
        #expect(try files.rows("SELECT title FROM Post") == [["A"]])
    }
}

private final class Stage: ManagedObject {
    static let checkCount = Atomic(0)

    var id: Int {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var next: Stage? {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }
}

extension Stage: ManagedEntity {
    static let entity = EntityDescription(
        Stage.self,
        [
            .property("id", \Stage.id, isIdentity: true),
            .property("next", \Stage.next, reference: ReferenceDescription(by: \Stage.id)),
        ])
}

extension Stage: ValidatingObject {
    func validationErrors(for kind: SaveKind) -> [ValidationError] {
        Self.checkCount.add(1, ordering: .relaxed)
        return next == nil ? [ValidationError(self, property: "next", "is the last")] : []
    }
}
