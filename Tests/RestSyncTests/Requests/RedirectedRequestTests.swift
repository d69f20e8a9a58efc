// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import TestSupport
import Testing

/// Requests that change the server, and whose response leads to another resource.
@MainActor @Suite(.tags(.socket)) struct RedirectedRequestTests {
    /// The resources to which a deletion leads: a page of HTML, the list, another object, and none.
    private nonisolated static let targets: [LoopbackResponse] = [
        LoopbackResponse(
            headers: [("Content-Type", "text/html")], body: Array("<p>deleted".utf8)),
        .json(#"[{"id":2,"name":"Other"}]"#), .json(#"{"id":2,"name":"Other"}"#),
        LoopbackResponse(status: 204), LoopbackResponse(status: 404),
    ]

    @Test(.parity("K080"), arguments: targets.indices, [301, 302, 303])
    func redirectedDeletionDeletesTarget(_ index: Int, _ status: Int) async throws {
        let (target, isChanged) = (Self.targets[index], status == 303)
        try await HumanFixture.run { request in
            request.path == "/shown" ? target : .redirect(status, to: "/shown")
        } _: { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            try await fixture.save([1: "Blake", 2: "Other"])
            let context = fixture.store.mainContext
            let human = try #require(try context.first(Human.self, where: { $0.railsID == 1 }))
            try await fixture.api.delete(human)
            #expect(human.objectState == .deleted)
            // Only the other redirects repeat the method.
            let methods = fixture.server.requests.map(\.method)
            #expect(methods == ["DELETE", isChanged ? "GET" : "DELETE"])
            #expect(try fixture.humans() == ["2|Other"])
        }
    }

    @Test(arguments: [303, 307]) func redirectedRequestExpiresRequestedURL(
        _ status: Int
    ) async throws {
        try await HumanFixture.run { request in
            if request.path == "/humans", request.method == "POST" {
                return .redirect(status, to: "/humans/3")
            }
            let text = #"{"id":3,"name":"c"}"#
            let headers = [("Cache-Control", "max-age=60")]
            return .json(request.path == "/humans" ? "[\(text)]" : text, headers: headers)
        } _: { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            fixture.api.configure { $0.client.cache = HTTPCache() }
            for path in ["humans", "humans/3"] { try await fixture.load(at: path) }
            #expect(try await fixture.load().origin == .fresh)
            #expect(try await fixture.load(at: "humans/3").origin == .fresh)
            let human = try Human.insert(into: fixture.store.mainContext, name: "c")
            try await fixture.api.post(human, at: "humans")
            #expect(try await fixture.load().origin == .server)
            // The other URL has changed if the request was repeated there.
            let other = try await fixture.load(at: "humans/3")
            #expect((other.origin == .fresh) == (status == 303))
        }
    }
}
