// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Requests to relationships, whose metadata identifies and connects objects.
@MainActor @Suite(.tags(.socket)) struct ManagedRelationshipTests {
    private static let tags = LoopbackResponse.json(
        #"[{"name":"development"},{"name":"restkit"}]"#)

    @Test(
        .parity("N303", "N304", "N305", "X017"),
        arguments: [(RequestParameters?.none, false), (["name": "injectName"], true)])
    func metadataOfRouteConnectsObjects(
        _ parameters: RequestParameters?, _ isInjected: Bool
    ) async throws {
        try await HumanFixture.run(answering: Self.tags) { fixture in
            let name: SourcePath = isInjected ? "@metadata.query.parameters.name" : "name"
            let tag = EntityMapping(
                ObjectMapping(
                    for: Tag.self,
                    [name: "name", "@metadata.routing.parameters.postID": "postID"]),
                rules: [
                    "Tag": EntityRules(
                        identification: [],
                        connections: [Connection("posts", by: ["postID": "postID"])])
                ])
            try fixture.api.add(ResponseDescriptor(tag))
            try fixture.api.add(
                Route(relationship: "tags", of: Post.self, "posts/:postID/tags"))
            let context = fixture.store.mainContext
            let post = try Post.insert(into: context, postID: 1234)
            try await context.save()
            let tags = try await fixture.api.getObjects(
                Tag.self, relationship: "tags", of: post, parameters: parameters ?? [:])
            #expect(fixture.server.requests.map(\.path) == ["/posts/1234/tags"])
            #expect(
                tags.map(\.name)
                    == (isInjected ? ["injectName", "injectName"] : ["development", "restkit"]))
            #expect(tags.map(\.postID) == [1234, 1234])
            #expect(post.tags == Set(tags))
        }
    }

    @Test(.parity("N306", "X018")) func metadataIdentifiesObject() async throws {
        let answer = LoopbackResponse.json(#"[{"name":"Blake Watters"}]"#)
        try await HumanFixture.run(answering: answer) { fixture in
            let human = EntityMapping(
                ObjectMapping(
                    for: Human.self,
                    ["name": "name", "@metadata.routing.parameters.railsID": "favoriteCatID"]),
                rules: ["Human": EntityRules(identification: ["favoriteCatID"])])
            try fixture.api.add(ResponseDescriptor(human))
            try fixture.api.add(
                Route(relationship: "friends", of: Human.self, "humans/:railsID/friends"))
            let context = fixture.store.mainContext
            let owner = try Human.insert(into: context, railsID: 1, name: "owner")
            try await context.save()
            let found = try await fixture.api.getObjects(
                Human.self, relationship: "friends", of: owner)
            #expect(found.map(\.favoriteCatID) == [1])
            #expect(found.map(\.name) == ["Blake Watters"])
            #expect(found.first !== owner)
            #expect(owner.name == "owner")
        }
    }
}
