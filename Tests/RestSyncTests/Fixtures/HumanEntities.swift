// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting

@Entity final class Human: ManagedObject {
    @MappedKey("id") var railsID: Int?
    @MaximumLength(25) var name: String?
    var catIDs: [Int] = []
    var favoriteCatID: Int = 0
    @Inverse("human") var cats: Set<Cat>
    @Inverse("friends") var friends: Set<Human>
}

@Entity final class Cat: ManagedObject {
    @MappedKey("id") var railsID: Int?
    var name: String?
    var human: Human?
}

@Entity final class Post: ManagedObject {
    @MappedKey("id") var postID: Int?
    var title: String?
    @Inverse("posts") var tags: Set<Tag>
}

@Entity final class Tag: ManagedObject {
    var name: String?
    var postID: Int?
    @Inverse("tags") var posts: Set<Post>
}

/// The mappings of humans, as the specification's tests declare them.
enum HumanMappings {
    static let rules: [String: EntityRules] = [
        "Human": EntityRules(
            identification: ["railsID"],
            connections: [Connection("cats", by: ["catIDs": "railsID"])]),
        "Cat": EntityRules(identification: ["railsID"]),
        "Post": EntityRules(identification: ["postID"]),
        "Tag": EntityRules(identification: ["name"]),
    ]

    /// A mapping of the attributes of a human, found by its ID.
    static let human: EntityMapping = EntityMapping(
        humanAttributes, rules: ["Human": EntityRules(identification: ["railsID"])])

    /// A mapping of the attributes of a human.
    static let humanAttributes = ObjectMapping(
        for: Human.self, ["id": "railsID", "name": "name"])

    /// A mapping of a human that is connected to cats by their IDs.
    static let humanWithCatIDs: EntityMapping = EntityMapping(
        ObjectMapping(for: Human.self, ["id": "railsID", "catIDs": "catIDs"]), rules: rules)

    /// A mapping of a cat, found by its ID.
    static let cat: EntityMapping = EntityMapping(
        ObjectMapping(for: Cat.self, ["id": "railsID", "name": "name"]), rules: rules)

    /// A mapping of the attributes of a post.
    static let title: EntityMapping = EntityMapping(
        ObjectMapping(for: Post.self, ["id": "postID", "title": "title"]))

    /// A mapping of a tag, found by its name.
    static let tag: EntityMapping = EntityMapping(
        ObjectMapping(for: Tag.self, ["name": "name"]), rules: rules)

    /// Returns a mapping of the name of a human.
    static func name(from source: SourcePath) -> EntityMapping {
        EntityMapping(ObjectMapping(for: Human.self, [source: "name"]))
    }

    /// Returns a mapping of a tag that is connected to the post of the route.
    static func tagOfRoute(nameFrom source: SourcePath) -> EntityMapping {
        EntityMapping(
            ObjectMapping(
                for: Tag.self,
                [source: "name", "@metadata.routing.parameters.postID": "postID"]),
            rules: [
                "Tag": EntityRules(
                    connections: [Connection("posts", by: ["postID": "postID"])])
            ])
    }

    /// Returns a dynamic mapping of humans that calls a closure for each of them.
    static func human(mapping note: @escaping @Sendable () -> Void) -> EntityMapping {
        let human = ObjectMapping(for: Human.self, ["id": "railsID"])
        return EntityMapping(
            DynamicMapping(possible: [human]) { _ in
                note()
                return human
            })
    }

    /// A mapping of a human and its friends, which are humans with friends.
    static let friends: EntityMapping = EntityMapping(
        ObjectMapping(
            for: Human.self, ["id": "railsID", "name": "name", "friends": "friends"]),
        rules: ["Human": EntityRules(identification: ["railsID"])])

    /// A mapping of a post and its tags.
    static let post: EntityMapping = EntityMapping(
        ObjectMapping(for: Post.self) {
            attribute("id", to: \.postID)
            attribute("title", to: \.title)
            relationship(
                "tags", to: \.tags, mapping: ObjectMapping(for: Tag.self, ["name": "name"]))
        }, rules: rules)
}

/// A server, a manager and a store of humans.
struct HumanFixture {
    let api: ObjectManager
    let temporary: TemporaryStore
    let server: LoopbackServer

    var store: ManagedObjectStore { temporary.store }

    static let entities: [any ManagedEntity.Type] = [
        Human.self, Cat.self, Post.self, Tag.self,
    ]

    /// Runs a closure with a server whose handler answers all requests.
    static func run(
        _ handler: @escaping @Sendable (LoopbackRequest) -> LoopbackResponse,
        _ body: (HumanFixture) async throws -> Void
    ) async throws {
        try await run(awaiting: { handler($0) }, body)
    }

    /// Runs a closure with a server whose handler answers all requests, and may wait before.
    static func run(
        awaiting handler: @escaping LoopbackServer.Handler,
        _ body: (HumanFixture) async throws -> Void
    ) async throws {
        let temporary = try await TemporaryStore(entities)
        try await LoopbackServer.run(handler) { server in
            let api = try manager(at: server.baseURL)
            try api.setRequestFormat(.json)
            try api.add(Route(Human.self, "humans", methods: .post))
            try api.add(Route(Human.self, "humans/:railsID"))
            try await body(HumanFixture(api: api, temporary: temporary, server: server))
        }
    }

    /// Runs a closure with a server that answers all requests the same.
    static func run(
        answering response: LoopbackResponse, _ body: (HumanFixture) async throws -> Void
    ) async throws {
        try await run({ _ in response }, body)
    }

    /// Saves humans with IDs, each with its name.
    func save(_ humans: KeyValuePairs<Int, String>) async throws {
        let humans = humans.map { ($0.key, $0.value) }
        try await store.perform { context in
            for (id, name) in humans {
                let human = try context.insert(Human.self)
                human.railsID = id
                human.name = name
            }
            try context.save()
        }
    }

    /// Returns the rows of humans in the file, by ID.
    func humans() throws -> [String] {
        try temporary.rows("SELECT railsID, name FROM Human ORDER BY railsID, restkit_key")
    }
}
