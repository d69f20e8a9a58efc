// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import TestSupport
import Testing

@Entity private final class Shelf: ManagedObject {
    @Identity var id: Int
    @Reference var books: Set<Book>
}

@Entity private final class Book: ManagedObject {
    @Identity var id: Int
    @Inverse("books") var shelves: Set<Shelf>
}

@Mapped private final class Club {
    var name: String?
    var humans: [Human] = []
}

/// Responses that do not say whether the server has an object, so that it is no orphan.
@Suite(.tags(.socket)) struct AbsentOrphanTests {
    private static func addHumans(to fixture: HumanFixture) {
        fixture.api.addFetchRequestRule { _ in FetchRequest("Human") }
    }

    /// Key paths, of which one leads through a list, bodies, and the humans that remain of 1 and 2.
    private static let keyPaths:
        [(keyPath: DocumentPath, body: String, remaining: [Int], kept: Int)] = [
            ("humans", #"{"humans":[{"id":1}],"posts":[]}"#, [1], 0),
            ("humans", #"{"humans":[],"posts":[]}"#, [], 0),
            ("humans", #"{"posts":[]}"#, [1, 2], 2),
            ("humans", #"{"humans":null,"posts":[]}"#, [1, 2], 2),
            ("humans", "{}", [1, 2], 2),
            ("humans", "[]", [1, 2], 2),
            ("groups.owner", #"{"groups":[{"owner":{"id":1}},{"owner":{"id":1}}]}"#, [1], 0),
            ("groups.owner", #"{"groups":[{"owner":{"id":1}},{"name":"x"}]}"#, [1, 2], 1),
            ("groups.owner", #"{"groups":[{"owner":{"id":1}},{"owner":null}]}"#, [1, 2], 1),
        ]

    @Test(arguments: keyPaths.indices)
    func absentKeyPathKeepsObjects(_ index: Int) async throws {
        let (keyPath, body, remaining, kept) = Self.keyPaths[index]
        try await HumanFixture.run(answering: .json(body)) { fixture in
            try await fixture.save([1: "a", 2: "b"])
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, keyPath: keyPath))
            try fixture.api.add(ResponseDescriptor(HumanMappings.title, keyPath: "posts"))
            Self.addHumans(to: fixture)
            let result = try await fixture.api.getObjects(at: "all", into: fixture.store)
            #expect(try fixture.stored() == remaining)
            #expect(result.orphanIDs.count == 2 - remaining.count)
            #expect(result.keptOrphanCount == kept)
        }
    }

    /// Bodies without a list of humans, and the humans that remain of 1 and 2 if absent lists are empty.
    private static let absences: [(body: String, remaining: [Int])] = [
        ("{}", []),
        (#"{"posts":[]}"#, []),
        (#"{"humans":null,"posts":[]}"#, []),
        (#"{"humans":[{"name":"without identity"}]}"#, [1, 2]),
        (#"{"other":[]}"#, [1, 2]),
    ]

    @Test(.parity("K091"), arguments: absences.indices)
    func absentKeyPathCanBeEmptyList(_ index: Int) async throws {
        let (body, remaining) = Self.absences[index]
        try await HumanFixture.run(answering: .json(body)) { fixture in
            try await fixture.save([1: "a", 2: "b"])
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, keyPath: "humans"))
            try fixture.api.add(ResponseDescriptor(HumanMappings.title, keyPath: "posts"))
            Self.addHumans(to: fixture)
            let result = try? await fixture.api.getObjects(at: "all", into: fixture.store) {
                $0.options.treatsAbsentListsAsEmpty = true
            }
            // A body with other key paths only is an error.
            #expect((result == nil) == (index == 4))
            #expect(try fixture.stored() == remaining)
        }
    }

    /// Representations of post 1 and the tags that remain of its tags "a" and "b", and of "c", if absent
    /// relationships are empty.
    private static let absentTags: [(body: String, remaining: [String])] = [
        (#"[{"id":1}]"#, []),
        (#"[{"id":1,"tags":null}]"#, []),
        (#"[{"id":1,"tags":[{"name":"a"}]}]"#, ["a"]),
        (#"[{"id":1,"tags":[{"name":"a"},5]}]"#, ["a", "b", "c"]),
    ]

    @Test(.parity("K090"), arguments: absentTags.indices)
    func absentRelationshipCanBeEmpty(_ index: Int) async throws {
        let (body, remaining) = Self.absentTags[index]
        try await withTaggedPost(answering: body) { fixture in
            try await fixture.api.getObjects(Post.self, at: "posts", into: fixture.store) {
                $0.options.treatsAbsentListsAsEmpty = true
            }
            let rows = try fixture.temporary.rows("SELECT name FROM Tag ORDER BY name")
            #expect(rows == remaining)
        }
    }

    /// Responses to a request for all humans, and the humans that remain of 1 and 2.
    private static let responses: [(LoopbackResponse, remaining: [Int])] = [
        (.json("[]"), []),
        (.json("[]", status: 203), []),
        (.json("null"), [1, 2]),
        (.json("{}"), [1, 2]),
        (.json(#"[{"name":"without identity"}]"#), [1, 2]),
        (.json(#"[{"id":null,"name":"x"}]"#), [1, 2]),
        (.json("[]", status: 202), [1, 2]),
        (.json("[]", status: 206), [1, 2]),
        (.json("[]", status: 226), [1, 2]),
        (.json("[]", headers: [("Link", "</all?page=2>; rel=\"next\"")]), [1, 2]),
        (.json("[]", headers: [("Link", "</all?page=1>; rel=\"prev\"")]), [1, 2]),
        (.json("[]", headers: [("Link", "</all?page=1>; rel=\"first\"")]), []),
        (.json(#"[{"id":1}]"#, headers: [("Content-Range", "items 0-0/2")]), [1, 2]),
        (.json(#"[{"id":1}]"#, headers: [("Content-Range", "items 0-0/*")]), [1, 2]),
        (.json(#"[{"id":1}]"#, headers: [("Content-Range", "items 0-0/1")]), [1]),
        (.json("[]", headers: [("Content-Range", "items */0")]), []),
    ]

    @Test(arguments: responses.indices) func partOfListKeepsObjects(_ index: Int) async throws {
        let (response, remaining) = Self.responses[index]
        try await HumanFixture.run(answering: response) { fixture in
            try await fixture.save([1: "a", 2: "b"])
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            Self.addHumans(to: fixture)
            try await fixture.api.getObjects(Human.self, at: "all", into: fixture.store)
            #expect(try fixture.stored() == remaining)
        }
    }

    @Test func requestedRangeKeepsObjects() async throws {
        try await HumanFixture.run(answering: .json("[]")) { fixture in
            try await fixture.save([1: "a"])
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            Self.addHumans(to: fixture)
            try await fixture.api.getObjects(Human.self, at: "all", into: fixture.store) {
                $0.request.headerFields[.range] = "items=0-9"
            }
            #expect(try fixture.stored() == [1])
        }
    }

    enum Destination: CaseIterable { case store, context, values, valuesOfDefaultStore }

    /// Sends a GET request for the list of human 2, and calls a closure while it runs.
    @MainActor private func load(
        _ destination: Destination, finding request: FetchRequest = FetchRequest("Human"),
        in fixture: HumanFixture, _ gate: Gate, during body: () async throws -> Void
    ) async throws {
        try fixture.api.add(ResponseDescriptor(HumanMappings.human))
        fixture.api.addFetchRequestRule { _ in request }
        fixture.api.store = fixture.store
        let context = fixture.store.mainContext
        let task = Task {
            switch destination {
            case .store:
                try await fixture.api.getObjects(Human.self, at: "all", into: fixture.store)
            case .context:
                _ = try await fixture.api.getObjects(Human.self, at: "all", in: context)
            case .values:
                let found: [Human] = try await fixture.api.get("all", in: context)
                #expect(found.count == 1)
            case .valuesOfDefaultStore:
                let found: [Human] = try await fixture.api.get("all")
                #expect(found.count == 1)
            }
        }
        await gate.arrivals()
        try await body()
        gate.open()
        try await task.value
    }

    private func withList(
        _ body: (HumanFixture, Gate) async throws -> Void
    ) async throws {
        let gate = Gate()
        try await HumanFixture.run(awaiting: { _ in
            await gate.pass()
            return .json(#"[{"id":2,"name":"b"}]"#)
        }) { fixture in
            try await fixture.save([1: "a", 2: "b"])
            try await body(fixture, gate)
        }
    }

    /// A list that the server has sent before it has processed the POST request of another object.
    @MainActor @Test(arguments: Destination.allCases)
    func listKeepsObjectsInsertedWhileRequestRuns(_ destination: Destination) async throws {
        try await withList { fixture, gate in
            try await load(destination, in: fixture, gate) {
                try await fixture.save([3: "posted"])
            }
            #expect(try fixture.stored() == [2, 3])
        }
    }

    @MainActor @Test(arguments: [Destination.context, .values])
    func listKeepsDraftsInsertedWhileRequestRuns(_ destination: Destination) async throws {
        try await withList { fixture, gate in
            let context = fixture.store.mainContext
            let earlier = try Human.insert(into: context, railsID: 4)
            var draft: Human?
            try await load(destination, in: fixture, gate) {
                draft = try Human.insert(into: context, railsID: 3)
            }
            #expect(earlier.objectState == .deleted)
            #expect(draft?.objectState == .saved)
            #expect(try fixture.stored() == [2, 3])
        }
    }

    /// An object that another request has moved into the list.
    @MainActor @Test(arguments: Destination.allCases)
    func listKeepsObjectsChangedWhileRequestRuns(_ destination: Destination) async throws {
        try await withList { fixture, gate in
            try await fixture.save([3: "elsewhere"])
            let listed = FetchRequest("Human", where: .attribute("name", .notEqual, "elsewhere"))
            try await load(destination, finding: listed, in: fixture, gate) {
                try await fixture.store.perform { context in
                    let human = try context.first(Human.self, where: { $0.railsID == 3 })
                    human?.name = "here"
                    try context.save()
                }
            }
            #expect(try fixture.stored() == [2, 3])
        }
    }

    /// Representations of post 1, whose stored tags are "a" and "b", and the tags that remain of these and
    /// of "c".
    private static let posts: [(body: String, remaining: [String])] = [
        (#"[{"id":1,"tags":[{"name":"a"}]}]"#, ["a"]),
        (#"[{"id":1,"tags":[]}]"#, []),
        (#"[{"id":1}]"#, ["a", "b"]),
        (#"[{"id":1,"tags":null}]"#, ["a", "b", "c"]),
        (#"[{"id":1,"tags":[{"name":"a"},5]}]"#, ["a", "b", "c"]),
        (#"[{"id":1,"tags":[{"name":"a"},null]}]"#, ["a", "b", "c"]),
        ("[]", []),
    ]

    @Test(arguments: posts.indices)
    func absentRelationshipKeepsItsObjects(_ index: Int) async throws {
        let (body, remaining) = Self.posts[index]
        try await withTaggedPost(answering: body) { fixture in
            try await fixture.api.getObjects(Post.self, at: "posts", into: fixture.store)
            let rows = try fixture.temporary.rows("SELECT name FROM Tag ORDER BY name")
            #expect(rows == remaining)
        }
    }

    /// Calls a closure with a server of posts, and with a store of post 1, its tags "a" and "b", and "c".
    private func withTaggedPost(
        answering body: String, _ test: (HumanFixture) async throws -> Void
    ) async throws {
        let tag = ObjectMapping(for: Tag.self, ["name": "name"])
        var post = ObjectMapping(for: Post.self) {
            attribute("id", to: \.postID)
            relationship("tags", to: \.tags, mapping: tag)
        }
        post.policy = .lenient
        let mapping = EntityMapping(post, rules: HumanMappings.rules)
        try await HumanFixture.run(answering: .json(body)) { fixture in
            try fixture.api.add(ResponseDescriptor(mapping))
            try await fixture.store.perform { context in
                let post = try Post.insert(into: context, postID: 1)
                for name in ["a", "b"] {
                    post.tags.insert(try Tag.insert(into: context, name: name))
                }
                _ = try Tag.insert(into: context, name: "c")
                try context.save()
            }
            fixture.api.addFetchRequestRule { _ in FetchRequest("Tag") }
            try await test(fixture)
        }
    }

    @Test func referencesKeepTheirObjects() async throws {
        let temporary = try await TemporaryStore([Shelf.self, Book.self])
        try await LoopbackServer.run({ _ in .json(#"[{"id":1,"books":[2,3]}]"#) }) { server in
            let api = try manager(at: server.baseURL)
            try await temporary.store.perform { context in
                for id in 1...3 { _ = try Book.insert(into: context, id: id) }
                try context.save()
            }
            api.addFetchRequestRule { _ in FetchRequest("Book") }
            try await api.getObjects(Shelf.self, at: "shelves", into: temporary.store)
            #expect(try temporary.rows("SELECT id FROM Book ORDER BY id") == ["2", "3"])
        }
    }

    /// Plain clubs, and the humans that remain of 1 and 2.
    private static let clubs: [(body: String, remaining: [Int])] = [
        (#"[{"name":"a","humans":[{"id":1}]},{"name":"b","humans":[]}]"#, [1]),
        (#"[{"name":"a","humans":[{"id":1}]},{"name":"b"}]"#, [1, 2]),
        (#"[{"name":"a","humans":null}]"#, [1, 2]),
        (#"[{"name":"a"}]"#, [1, 2]),
        ("[]", []),
    ]

    @Test(arguments: clubs.indices)
    func absentPropertyOfPlainObjectKeepsObjects(_ index: Int) async throws {
        let (body, remaining) = Self.clubs[index]
        let human = ObjectMapping(for: Human.self, ["id": "railsID", "name": "name"])
        let club = ObjectMapping(for: Club.self) {
            attribute("name", to: \.name)
            relationship("humans", to: \.humans, mapping: human)
        }
        try await HumanFixture.run(answering: .json(body)) { fixture in
            try await fixture.save([1: "a", 2: "b"])
            try fixture.api.add(
                ResponseDescriptor(EntityMapping(club, rules: HumanMappings.human.rules)))
            Self.addHumans(to: fixture)
            let context = fixture.store.makeContext()
            _ = try await fixture.api.getObjects(Club.self, at: "clubs", in: context)
            #expect(try fixture.stored() == remaining)
        }
    }
}
