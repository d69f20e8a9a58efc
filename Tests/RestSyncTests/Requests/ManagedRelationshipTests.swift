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

    /// The source of the name, the parameter that is sent, and the names of the tags.
    private nonisolated static let names: [(source: String, parameter: String?, [String?])] = [
        ("name", nil, ["development", "restkit"]),
        ("@metadata.query.parameters.name", "injectName", ["injectName", "injectName"]),
        ("@metadata.query.parameters.name", nil, [nil, nil]),
    ]

    @Test(.parity("N303", "N304", "N305", "X017"), arguments: names.indices)
    func metadataOfRouteConnectsObjects(_ index: Int) async throws {
        let (source, parameter, names) = Self.names[index]
        let parameters: RequestParameters = parameter.map { ["name": $0] } ?? [:]
        try await HumanFixture.run(answering: Self.tags) { fixture in
            let name = SourcePath(stringLiteral: source)
            try fixture.api.add(ResponseDescriptor(HumanMappings.tagOfRoute(nameFrom: name)))
            try fixture.api.add(
                Route(relationship: "tags", of: Post.self, "posts/:postID/tags"))
            let context = fixture.store.mainContext
            let post = try Post.insert(into: context, postID: 1234)
            try await context.save()
            let tags = try await fixture.api.getObjects(
                Tag.self, at: .relationship("tags", of: post), parameters: parameters,
                in: context)
            #expect(fixture.server.requests.map(\.path) == ["/posts/1234/tags"])
            #expect(tags.map(\.name) == names)
            #expect(tags.map(\.postID) == [1234, 1234])
            #expect(post.tags == Set(tags))
        }
    }
}
