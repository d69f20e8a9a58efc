// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// The fetch requests of URLs, and the objects that they delete.
@Suite(.tags(.socket)) struct FetchRequestRuleTests {
    @Test(
        .parity("P235", "P237"),
        arguments: [
            ("categories/1234", "categories/1234", "categories/1234"),
            ("library/", "library/", "library"),
            ("library/?page=2", "library/?page=2", "library"),
        ])
    func rulesSeeURLRelativeToBase(_ path: String, _ text: String, _ relative: String) throws {
        let base = try HTTPURL(parsing: "http://restkit.org/api/v1/")
        let url = RelativeURL(try base.resolving(path), relativeTo: base)
        #expect(url.url.text == "http://restkit.org/api/v1/\(path)")
        #expect(url.baseURL == base)
        #expect(url.relativeString == text)
        #expect(url.relativePath == relative)
        #expect(url.arguments(matching: try PathPattern(relative)) != nil)
    }

    @Test func keepsURLOutsideOfBaseUnchanged() throws {
        let base = try HTTPURL(parsing: "http://restkit.org/api/v1/")
        let other = try HTTPURL(parsing: "http://restkit.org/api/v2/a?b=1")
        let url = RelativeURL(other, relativeTo: base)
        #expect(url.baseURL == nil)
        #expect(url.relativeString == "/api/v2/a?b=1")
        #expect(url.relativePath == "/api/v2/a")
    }

    /// The text of an argument is compared with a number only if the rule converts it.
    @Test(.parity("SM27"), arguments: [true, false])
    func predicatesDoNotConvertArguments(_ converts: Bool) async throws {
        try await HumanFixture.run(answering: .json("[]")) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            try await fixture.save([1234: "a", 5: "b"])
            try fixture.api.addFetchRequestRule(at: "humans/:id/friends") { arguments in
                let text = arguments["id"] ?? ""
                let predicate =
                    converts
                    ? FetchPredicate.attribute("railsID", .equal, Int(text))
                    : FetchPredicate.attribute("railsID", .equal, text)
                return FetchRequest("Human", where: predicate)
            }
            let result = try? await fixture.api.getObjects(
                Human.self, at: "humans/1234/friends", into: fixture.store)
            #expect((result?.orphanIDs.count == 1) == converts)
            #expect(try fixture.humans() == (converts ? ["5|b"] : ["5|b", "1234|a"]))
        }
    }

    @Test(.parity("SM25", "SM26", "SM24")) func patternGivesArgumentsAsText() throws {
        let rule = try FetchRequestRule(at: "/airports/:airport_id/terminals.json") { arguments in
            FetchRequest(
                Human.self,
                where: { $0.railsID == arguments["airport_id"].flatMap { Int($0) } },
                orderBy: [.ascending(\.name)])
        }
        let base = try HTTPURL(parsing: "http://restkit.org")
        func request(_ path: String) throws -> FetchRequest? {
            rule.fetchRequest(for: RelativeURL(try base.resolving(path), relativeTo: base))
        }
        let expected = FetchRequest(
            Human.self, where: { $0.railsID == 1234 }, orderBy: [.ascending(\.name)])
        #expect(try request("/airports/1234/terminals.json") == expected)
        #expect(try request("/airports/1234") == nil)
    }

    @Test(.parity("K085", "SM23", "SM28", "P236", "S050")) func usesAllRulesNewestFirst()
        async throws
    {
        let order = Journal()
        try await HumanFixture.run(answering: .json("[]")) { fixture in
            try await fixture.save([1: "Ann", 2: "Bo", 3: "Cy"])
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, at: "humans"))
            for id in [1, 2] {
                fixture.api.addFetchRequestRule { url in
                    order.add("\(id) \(url.relativePath)")
                    return FetchRequest(Human.self, where: { $0.railsID == id })
                }
            }
            fixture.api.addFetchRequestRule { _ in nil }
            let result = try await fixture.api.getObjects(
                Human.self, at: "humans", into: fixture.store)
            #expect(result.orphanIDs.count == 2)
            #expect(order.entries == ["2 humans", "1 humans"])
            #expect(try fixture.humans() == ["3|Cy"])
        }
    }

    @Test(.parity("K085")) func redirectedResponseGivesItsURL() async throws {
        let seen = Journal()
        try await HumanFixture.run { request in
            request.path == "/old" ? .redirect(302, to: "/new") : .json("[]")
        } _: { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            fixture.api.addFetchRequestRule { url in
                seen.add(url.relativePath)
                return nil
            }
            try await fixture.api.getObjects(Human.self, at: "old", into: fixture.store)
            #expect(seen.entries == ["new"])
        }
    }
}

/// The deletion of orphans.
@MainActor @Suite(.tags(.socket)) struct OrphanDeletionTests {
    private func addAllHumans(to api: ObjectManager) {
        api.addFetchRequestRule { _ in FetchRequest("Human") }
    }

    /// A case: the body of the response, the humans before, and those that remain.
    private nonisolated static let bodies: [(body: String, before: [Int], after: [Int])] = [
        (#"[{"id":1,"name":"a"}]"#, [9], [1]),
        (#"[{"id":123,"name":"a"},{"id":456,"name":"b"}]"#, [123, 456, 9999], [123, 456]),
        ("[]", [1], []),
        (
            #"[{"id":1,"friends":[{"id":2,"friends":[{"id":3},{"id":4,"friends":[{"id":"3"}]}]}]}]"#,
            [1, 2, 3, 4, 5], [1, 2, 3, 4]
        ),
    ]

    @Test(
        .parity("P238", "P243", "P244", "P252", "P256", "SM19", "SM20", "SM21", "SM22", "SM47"),
        arguments: bodies.indices)
    func deletesObjectsThatResponseLacks(_ index: Int) async throws {
        let (body, before, after) = Self.bodies[index]
        try await HumanFixture.run(answering: .json(body)) { fixture in
            try await fixture.store.perform { context in
                for id in before { try Human.insert(into: context).railsID = id }
                try context.save()
            }
            try fixture.api.add(ResponseDescriptor(HumanMappings.friends))
            addAllHumans(to: fixture.api)
            let context = fixture.store.mainContext
            let held = try context.fetch(Human.self)
            let found = try await fixture.api.getObjects(Human.self, at: "all", in: context)
            #expect(found.count == (body == "[]" ? 0 : body.contains("123") ? 2 : 1))
            let rows = try fixture.temporary.rows("SELECT railsID FROM Human ORDER BY railsID")
            #expect(rows == after.map(String.init))
            for human in held {
                let isKept = human.railsID.map(after.contains) ?? false
                #expect((human.objectState == .saved) == isKept)
            }
        }
    }

    @Test(.parity("P238")) func deletesUnsavedOrphanOfContext() async throws {
        try await HumanFixture.run(answering: .json(#"[{"id":1,"name":"a"}]"#)) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            addAllHumans(to: fixture.api)
            let context = fixture.store.mainContext
            let orphan = try Human.insert(into: context, name: "orphan")
            let found = try await fixture.api.getObjects(Human.self, at: "all", in: context)
            #expect(found.map(\.name) == ["a"])
            #expect(orphan.objectState == .deleted)
            #expect(try fixture.humans() == ["1|a"])
        }
    }

    private static let posts =
        #"[{"id":1,"title":"t","tags":[{"name":"development"},{"name":"restkit"}]}]"#

    /// Saves a post with tags, and another post with a tag.
    private func savePosts(in fixture: HumanFixture, tags: [String]) async throws {
        try await fixture.store.perform { context in
            let post = try Post.insert(into: context, postID: 1, title: "t")
            for name in tags { post.tags.insert(try Tag.insert(into: context, name: name)) }
            let other = try Post.insert(into: context, postID: 2, title: "other")
            other.tags = [try Tag.insert(into: context, name: "another")]
            try context.save()
        }
    }

    @Test(.parity("P240", "P241", "P242", "K087")) func seesStateAfterMapping() async throws {
        try await HumanFixture.run(answering: .json(Self.posts)) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.post, at: "posts.json"))
            try await savePosts(in: fixture, tags: ["development", "restkit", "orphaned"])
            fixture.api.addFetchRequestRule { _ in
                FetchRequest(Tag.self, where: { $0.posts.count == 0 })
            }
            let result = try await fixture.api.getObjects(
                Post.self, at: "posts.json", into: fixture.store)
            #expect(result.objectIDs.count == 1)
            #expect(result.orphanIDs.count == 1)
            #expect(
                try fixture.temporary.rows("SELECT name FROM Tag ORDER BY name")
                    == ["another", "development", "restkit"])
            let linked = try await fixture.store.perform { context in
                try context.fetch(Post.self, where: { $0.postID == 1 }).first?.tags
                    .compactMap(\.name).sorted()
            }
            #expect(linked == ["development", "restkit"])
        }
    }

    @Test(.parity("P240")) func keepsMappedDestinationsOfRelationships() async throws {
        try await HumanFixture.run(answering: .json(Self.posts)) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.post, at: "posts.json"))
            try await fixture.store.perform { context in
                _ = try Tag.insert(into: context, name: "orphaned")
                try context.save()
            }
            fixture.api.addFetchRequestRule { _ in FetchRequest("Tag") }
            try await fixture.api.getObjects(Post.self, at: "posts.json", into: fixture.store)
            #expect(
                try fixture.temporary.rows("SELECT name FROM Tag ORDER BY name")
                    == ["development", "restkit"])
        }
    }

    @Test(.parity("P250", "P251", "K089")) func unmodifiedObjectKeepsItsNeighbors() async throws {
        try await HumanFixture.run(answering: .json(Self.posts)) { fixture in
            var mapping = HumanMappings.post
            mapping.rules["Post"]?.modificationAttribute = "title"
            try fixture.api.add(ResponseDescriptor(mapping, at: "posts.json"))
            try await savePosts(in: fixture, tags: ["development", "restkit"])
            fixture.api.addFetchRequestRule { _ in
                FetchRequest(Post.self, where: { $0.postID == 1 })
            }
            fixture.api.addFetchRequestRule { _ in FetchRequest("Tag") }
            let result = try await fixture.api.getObjects(
                Post.self, at: "posts.json", into: fixture.store)
            #expect(result.orphanIDs.count == 1)
            #expect(
                try fixture.temporary.rows("SELECT name FROM Tag ORDER BY name")
                    == ["development", "restkit"])
            #expect(try fixture.temporary.rows("SELECT count(*) FROM Post") == ["2"])
        }
    }

    @Test(.parity("K088")) func connectionsDoNotKeepObjects() async throws {
        let answer = LoopbackResponse.json(#"[{"id":1,"catIDs":[5]}]"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.humanWithCatIDs))
            try await fixture.store.perform { context in
                _ = try Cat.insert(into: context, railsID: 5)
                try context.save()
            }
            fixture.api.addFetchRequestRule { _ in FetchRequest("Cat") }
            try await fixture.api.getObjects(Human.self, at: "all", into: fixture.store)
            #expect(try fixture.temporary.rows("SELECT count(*) FROM Cat") == ["0"])
        }
    }

    /// Responses that delete nothing.
    private nonisolated static let harmless: [(name: String, LoopbackResponse)] = [
        ("500", LoopbackResponse(status: 500)),
        ("invalid JSON", .json("not JSON")),
        ("no key path", .json(#"{"other":[{"id":7}]}"#)),
        ("204", LoopbackResponse(status: 204)),
        ("no bytes", LoopbackResponse(status: 200)),
        ("a space", .json(" ")),
    ]

    @Test(.parity("P253", "P254", "K091", "K092", "K084"), arguments: harmless.indices)
    func keepsObjectsWithoutListOfServer(_ index: Int) async throws {
        try await HumanFixture.run(answering: Self.harmless[index].1) { fixture in
            try await fixture.save([1: "Blake"])
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, keyPath: "humans"))
            addAllHumans(to: fixture.api)
            let result = try? await fixture.api.getObjects(
                Human.self, at: "all", into: fixture.store)
            #expect((result != nil) == (index > 2))
            #expect(try fixture.humans() == ["1|Blake"])
        }
    }

    @Test(.parity("K084", "SM29", "SM47", "SM46")) func optionsPreventDeletion() async throws {
        try await HumanFixture.run(answering: .json("[]")) { fixture in
            try await fixture.save([1: "Blake"])
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            addAllHumans(to: fixture.api)
            try await fixture.api.getObjects(Human.self, at: "all", into: fixture.store) {
                $0.options.deletesOrphanedObjects = false
            }
            try await fixture.api.getObjects(Human.self, at: "all", into: fixture.store) {
                $0.options.fetchRequestRules = []
            }
            try await fixture.api.getObjects(Human.self, at: "all", into: fixture.store) {
                $0.request.method = .post
            }
            #expect(try fixture.humans() == ["1|Blake"])
            fixture.api.configure { $0.fetchRequestRules = [] }
            try await fixture.api.getObjects(Human.self, at: "all", into: fixture.store)
            #expect(try fixture.humans() == ["1|Blake"])
        }
    }

    @Test(.parity("K093")) func failingFetchRequestFailsRequest() async throws {
        try await HumanFixture.run(answering: .json(#"[{"id":1,"name":"a"}]"#)) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            fixture.api.addFetchRequestRule { _ in FetchRequest("Unknown") }
            let error = await #expect(throws: SyncError.self) {
                try await fixture.api.getObjects(Human.self, at: "all", into: fixture.store)
            }
            #expect(error?.code == .fetchFailed)
            #expect(error?.underlying?.code == .unknownEntity)
            #expect(try fixture.humans().isEmpty)
        }
    }

    @Test func keepsOrphansAboveMaximumShare() async throws {
        try await HumanFixture.run(answering: .json(#"[{"id":1,"name":"a"}]"#)) { fixture in
            try await fixture.save([1: "a", 2: "b", 3: "c"])
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            addAllHumans(to: fixture.api)
            for (share, kept) in [(0.5, 2), (2.0 / 3, 0)] {
                let result = try await fixture.api.getObjects(
                    Human.self, at: "all", into: fixture.store
                ) { $0.options.maximumOrphanShare = share }
                #expect(result.keptOrphanCount == kept)
                #expect(try fixture.humans().count == (kept == 0 ? 1 : 3))
            }
        }
    }

    /// The identity of an element that cannot be mapped is not known: it may be any of the orphans.
    @Test(arguments: [
        (#"[{"id":1,"name":"a"},{"id":2,"name":{}}]"#, 2), (#"[{"id":1,"name":"a"}]"#, 0),
    ])
    func keepsOrphansWhenElementIsDropped(body: String, kept: Int) async throws {
        var mapping = ObjectMapping(for: Human.self, ["id": "railsID", "name": "name"])
        mapping.policy = IssuePolicy(
            invalidValue: .failObject, invalidElement: .drop, invalidObject: .drop)
        let human = EntityMapping(mapping, rules: HumanMappings.rules)
        try await HumanFixture.run(answering: .json(body)) { fixture in
            try await fixture.save([1: "a", 2: "b", 3: "c"])
            try fixture.api.add(ResponseDescriptor(human))
            addAllHumans(to: fixture.api)
            let result = try await fixture.api.getObjects(
                Human.self, at: "all", into: fixture.store)
            #expect(result.keptOrphanCount == kept)
            #expect(result.orphanIDs.count == 2 - kept)
            #expect(try fixture.humans() == (kept == 0 ? ["1|a"] : ["1|a", "2|b", "3|c"]))
        }
    }

    @Test func pageKeepsObjectsOfOtherPages() async throws {
        try await HumanFixture.run(answering: .json(#"[{"id":1,"name":"a"}]"#)) { fixture in
            try await fixture.save([2: "b"])
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            addAllHumans(to: fixture.api)
            let pages = fixture.api.pages(
                of: Human.self, at: "all", by: .linkHeader, into: fixture.store)
            for try await page in pages { #expect(page.result.orphanIDs.isEmpty) }
            #expect(try fixture.humans() == ["1|a", "2|b"])
        }
    }
}
