// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// A visit whose end may not precede its start.
private final class Visit: ManagedObject {
    var id: Int {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var start: Int {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }
    var end: Int? {
        get { managedValue(2) }
        set { setManagedValue(2, newValue) }
    }
}

extension Visit: ManagedEntity {
    static let entity = EntityDescription(
        Visit.self,
        [
            .property("id", \Visit.id, isIdentity: true), .property("start", \Visit.start),
            .property("end", \Visit.end),
        ])
}

extension Visit: ValidatingObject {
    func validationErrors(for kind: SaveKind) -> [ValidationError] {
        guard let end, end < start else { return [] }
        return [ValidationError(self, property: "end", "is before the start")]
    }
}

/// The validations of a mapping to managed objects.
@Suite struct EntityMappingValidationTests {
    private static let dropping = IssuePolicy(invalidElement: .drop, invalidObject: .drop)
    private static let posts = [
        EntityDescription(
            "Post",
            attributes: [
                AttributeDescription("postID", .integer, isIdentity: true),
                AttributeDescription("title", .text),
                AttributeDescription("rating", .double, isOptional: true),
            ], relationships: [.toMany("comments", "Comment", inverse: "post")]),
        EntityDescription(
            "Comment", attributes: [AttributeDescription("text", .text, isOptional: true)],
            relationships: [.toOne("post", "Post")]),
    ]
    private static let payload = """
        [{"postID": 1, "title": "Post Title"}, {"postID": 2, "title": ""}]
        """

    private struct Blank: Error {}

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns a mapping of posts whose title must not be blank.
    private func mapping(
        in store: ManagedObjectStore, policy: IssuePolicy = .standard,
        _ check: @escaping @Sendable (String) throws -> Validation<String> = {
            $0.isEmpty ? .reject : .accept
        }
    ) throws -> ObjectMapping {
        var mapping = ObjectMapping(
            table: try #require(store.model.properties(of: "Post")), policy: policy)
        mapping.add(["postID", "title", "rating"])
        mapping.validate("title", check)
        return mapping
    }

    private func load(
        _ text: String, by mapping: ObjectMapping, into store: ManagedObjectStore
    ) async throws -> ImportResult {
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        let document = try Document(parsing: text)
        return try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
    }

    private func titles() throws -> [[String]] {
        try files.rows("SELECT postID, title FROM Post ORDER BY postID")
    }

    @Test(.parity("P083", "K028")) func discardsObjectWithoutRejectedValue() async throws {
        let store = try await files.open(Self.posts)
        let result = try await load(
            Self.payload, by: mapping(in: store, policy: Self.dropping), into: store)
        #expect(result.objectIDs.count == 1)
        #expect(result.counts["Post"]?.discarded == 1)
        #expect(result.counts["Post"]?.inserted == 1)
        let issue = try #require(result.report.issues.first)
        #expect(result.report.issueCount == 1)
        #expect(issue.code == .missingValue)
        #expect(issue.property == "title")
        #expect("\(issue.path)" == "[1]")
        #expect(try titles() == [["1", "Post Title"]])
    }

    @Test(.parity("P084", "K028")) func failsWithMissingValueThatValidationRejected() async throws {
        let store = try await files.open(Self.posts)
        let mapping = try mapping(in: store)
        let error = await #expect(throws: PersistenceError.self) {
            try await load(Self.payload, by: mapping, into: store)
        }
        #expect(error?.code == .invalidObject)
        #expect(error?.property == "title")
        #expect(error?.details == ["missingValue at [1]: Post.title"])
        #expect(try titles().isEmpty)
    }

    @Test func existingObjectKeepsValueInsteadOfRejectedOne() async throws {
        let store = try await files.open(Self.posts)
        _ = try await load(
            #"[{"postID": 2, "title": "old"}]"#, by: mapping(in: store), into: store)
        let result = try await load(Self.payload, by: mapping(in: store), into: store)
        #expect(result.counts["Post"]?.unchanged == 1)
        #expect(try titles() == [["1", "Post Title"], ["2", "old"]])
    }

    @Test func storesReplacementOfValidation() async throws {
        let store = try await files.open(Self.posts)
        let mapping = try mapping(in: store) { $0.isEmpty ? .replace("untitled") : .accept }
        _ = try await load(Self.payload, by: mapping, into: store)
        #expect(try titles() == [["1", "Post Title"], ["2", "untitled"]])
        let again = try await load(Self.payload, by: mapping, into: store)
        #expect(again.counts["Post"]?.unchanged == 2)
    }

    @Test(arguments: [false, true]) func throwingValidationFailsObject(drops: Bool) async throws {
        let store = try await files.open(Self.posts)
        let mapping = try mapping(in: store, policy: drops ? Self.dropping : .standard) {
            if $0.isEmpty { throw Blank() }
            return .accept
        }
        guard !drops else {
            let result = try await load(Self.payload, by: mapping, into: store)
            #expect(result.report.issues.map(\.code) == [.validationFailed])
            #expect(result.report.issues.map(\.property) == ["title"])
            #expect(result.counts["Post"]?.discarded == 1)
            #expect(try titles() == [["1", "Post Title"]])
            return
        }
        let error = await #expect(throws: MappingError.self) {
            try await load(Self.payload, by: mapping, into: store)
        }
        #expect(error?.code == .validationFailed)
        #expect(error?.issue?.property == "title")
        #expect(error.map { "\($0.issue?.path ?? .root)" } == "[1].title")
        #expect(error?.underlying is Blank)
        #expect(try titles().isEmpty)
    }

    @Test func validatesValuesOfOptionalAttributesAndClasses() async throws {
        let store = try await files.open(Self.posts)
        var mapping = try mapping(in: store) { _ in .accept }
        mapping.validate("rating") { (rating: Double?) in
            guard let rating else { return .replace(0) }
            return rating > 5 ? .reject : .accept
        }
        _ = try await load(
            """
            [{"postID": 1, "title": "a", "rating": null}, {"postID": 2, "title": "b", "rating": 9},
             {"postID": 3, "title": "c", "rating": 4.5}]
            """, by: mapping, into: store)
        #expect(
            try files.rows("SELECT rating FROM Post ORDER BY postID") == [["0.0"], ["-"], ["4.5"]])
        let other = try TemporaryStore()
        let airports = try await other.open()
        var airport = ObjectMapping(for: Airport.self, ["code": "code", "name": "name"])
        airport.validate(\Airport.name) { .replace($0.uppercased()) }
        _ = try await load(
            #"[{"code": "OSL", "name": "Gardermoen"}]"#, by: airport, into: airports)
        #expect(try other.rows("SELECT name FROM Airport") == [["GARDERMOEN"]])
    }

    @Test func performsNoValidationThatIsTurnedOff() async throws {
        let store = try await files.open(Self.posts)
        var mapping = try mapping(in: store)
        mapping.performsValidation = false
        _ = try await load(Self.payload, by: mapping, into: store)
        #expect(try titles() == [["1", "Post Title"], ["2", ""]])
    }

    @Test func refusesValidationsThatCannotBePerformed() throws {
        let model = try ManagedObjectModel(Self.posts)
        var mapping = ObjectMapping(table: try #require(model.properties(of: "Post")))
        mapping.add(["postID", "title", "rating"])
        mapping.add(RelationshipMapping("comments", to: "comments"))
        mapping.validate("title") { (_: Int) in .accept }
        mapping.validate("rating") { (_: Double) in .accept }
        mapping.validate("comments") { (_: Int) in .accept }
        let error = #expect(throws: PersistenceError.self) {
            try EntityMappingPlan(EntityMapping(mapping), in: model)
        }
        #expect(error?.code == .invalidMapping)
        #expect(
            error?.details == [
                "Post.comments is a relationship, which cannot be validated before its objects "
                    + "exist: conform the class to ValidatingObject instead",
                "the validation of Post.rating accepts Double, but the type of the attribute is "
                    + "optional double",
                "the validation of Post.title accepts Int, but the type of the attribute is text",
            ])
    }

    @Test func discardsNewObjectThatItsClassRefuses() async throws {
        let store = try await ManagedObjectStore(at: files.file, entities: Visit.self)
        let mapping = ObjectMapping(for: Visit.self, policy: Self.dropping)
        let result = try await load(
            #"[{"id": 1, "start": 5, "end": 7}, {"id": 2, "start": 5, "end": 3}]"#, by: mapping,
            into: store)
        #expect(result.report.issues.map(\.property) == ["end"])
        #expect(result.report.issues.map(\.code) == [.validationFailed])
        #expect(result.counts["Visit"]?.discarded == 1)
        #expect(try files.rows("SELECT id FROM Visit") == [["1"]])
    }
}
