// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Unsaved imports over the edits of a context, which they replace.
@MainActor @Suite(.tags(.socket)) struct ImportedEditsTests {
    private nonisolated static func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        switch request.path {
        case "/served": .json(#"[{"id":1,"name":"served"}]"#)
        case "/edited": .json(#"[{"id":1,"name":"edited"}]"#)
        case "/connected": .json(#"[{"id":1,"catIDs":[5]}]"#)
        case "/tagged": .json(#"[{"id":1,"tags":[{"name":"a"}]}]"#)
        default: LoopbackResponse(status: 204)
        }
    }

    /// Imports a list into a context without saving it.
    private func importList(
        _ path: String, _ fixture: HumanFixture, in context: ManagedObjectContext
    ) async throws {
        let result: ManagedResult = try await fixture.api.getObjects(at: path, in: context) {
            $0.options.savesToPersistentStore = false
        }
        #expect(result.objectIDs.count == 1)
    }

    @Test(arguments: ["served", "edited"], [false, true])
    func importReplacesEditWithItsBase(name: String, inChild: Bool) async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, at: name))
            try await fixture.save([1: "a"])
            let context = fixture.store.mainContext
            let human = try #require(try context.first(Human.self))
            human.name = "edited"
            try await fixture.store.perform { other in
                try other.first(Human.self)?.name = "other"
                try other.save()
            }
            let importing = inChild ? context.child() : context
            try await importList(name, fixture, in: importing)
            if inChild { try await importing.save() }
            #expect(human.name == name)
            // The context has seen a newer value than that of the other context.
            try await context.save()
            #expect(try fixture.humans() == ["1|\(name)"])
            #expect(!context.hasChanges)
        }
    }

    @Test func requestSavesImportOverEdit() async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, at: "served"))
            try await fixture.save([1: "a", 2: "b"])
            let context = fixture.store.mainContext
            let humans = try context.fetch(Human.self, orderBy: \.railsID)
            humans[0].name = "edited"
            try await importList("served", fixture, in: context)
            humans[1].name = "B"
            try await fixture.api.patch(humans[1])
            #expect(try fixture.humans() == ["1|served", "2|B"])
            #expect(!context.hasChanges)
        }
    }

    @Test func requestSavesConnectionsOfUnsavedImport() async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.humanWithCatIDs, at: "connected"))
            try await fixture.save([1: "a", 2: "b"])
            try await fixture.store.perform { context in
                _ = try Cat.insert(into: context, railsID: 5)
                try context.save()
            }
            let context = fixture.store.mainContext
            try await importList("connected", fixture, in: context)
            let humans = try context.fetch(Human.self, orderBy: \.railsID)
            #expect(humans[0].cats.count == 1)
            humans[1].name = "B"
            try await fixture.api.patch(humans[1])
            #expect(
                try fixture.temporary.rows(
                    "SELECT h.railsID FROM Cat c JOIN Human h ON c.human = h.restkit_key")
                    == ["1"])
            #expect(!context.hasChanges)
        }
    }

    /// A program has added a tag, or removed one, as the response says.
    @Test(arguments: [false, true])
    func importReplacesEditOfJoinTable(adds: Bool) async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.post, at: "tagged"))
            try await fixture.save([2: "b"])
            try await fixture.store.perform { context in
                let post = try Post.insert(into: context, postID: 1)
                let tags = try ["a", "b"].map { try Tag.insert(into: context, name: $0) }
                post.tags = adds ? [] : Set(tags)
                try context.save()
            }
            let context = fixture.store.mainContext
            let post = try #require(try context.first(Post.self))
            post.tags = Set(try context.fetch(Tag.self, where: { $0.name == "a" }))
            try await importList("tagged", fixture, in: context)
            let human = try #require(try context.first(Human.self))
            human.name = "B"
            try await fixture.api.patch(human)
            #expect(
                try fixture.temporary.rows(
                    "SELECT name FROM Tag JOIN Post_tags ON target = restkit_key") == ["a"])
            #expect(!context.hasChanges)
        }
    }
}
