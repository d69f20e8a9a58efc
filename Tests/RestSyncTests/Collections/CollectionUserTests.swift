// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// The users of collections whose requests have no principal.
@Suite(.tags(.socket)) struct CollectionUserTests {
    /// Adds a token that a test changes, and tells it only to requests.
    private final class TokenInterceptor: HTTPInterceptor {
        let token = Mutex("first")

        func send(
            _ request: TransportRequest, through next: InterceptorChain
        ) async throws -> TransportResponse {
            var request = request
            request.headerFields[.authorization] = "Bearer \(token.withLock(\.self))"
            return try await next.send(request)
        }
    }

    /// The sources of credentials that a request gets after it was assembled.
    private enum Source: CaseIterable { case authorizer, interceptor, cookie }

    /// Returns the list of the user whose credentials a request has.
    private static func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        if request.path == "/login" {
            return LoopbackResponse(
                status: 204, headers: [("Set-Cookie", "user=\(request.query); Path=/")])
        }
        let fields = ["authorization", "cookie"].compactMap { request.headers[$0] }
        let id = fields.joined().contains("second") ? 2 : 1
        return .json(
            #"[{"id":\#(id),"name":"\#(id)"}]"#,
            headers: [("ETag", "\"\(id)\""), ("Cache-Control", "max-age=60")])
    }

    /// Calls a closure with a function that signs a user in.
    private func run(
        _ source: Source,
        _ body: (HumanFixture, (String) async throws -> Void) async throws -> Void
    ) async throws {
        try await HumanFixture.run({ Self.answer($0) }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            fixture.api.store = fixture.store
            fixture.api.configure { $0.client.cache = HTTPCache() }
            switch source {
            case .authorizer:
                let authorization = AuthorizationInterceptor { (_: BearerToken?, _) in
                    BearerToken("first")
                }
                fixture.api.configure { $0.client.interceptors = [authorization] }
                try await body(fixture) { authorization.setCredential(BearerToken($0)) }
            case .interceptor:
                let tokens = TokenInterceptor()
                fixture.api.configure { $0.client.interceptors = [tokens] }
                try await body(fixture) { user in tokens.token.withLock { $0 = user } }
            case .cookie:
                fixture.api.configure { $0.client.cookieJar = CookieJar() }
                let client = fixture.api.client
                try await body(fixture) { user in
                    _ = try await client.send(client.request(at: "login?\(user)"))
                }
            }
        }
    }

    @Test(arguments: Source.allCases)
    private func otherUserSeesNoStoredObjects(_ source: Source) async throws {
        try await run(source) { fixture, signIn in
            try await signIn("first")
            try await fixture.load()
            try await signIn("second")
            let list = try await fixture.api.collection(at: "humans")
            #expect(list == nil)
            for policy in [CachePolicy.cacheOnly, .standard] {
                let result = try? await fixture.load { $0.request.cachePolicy = policy }
                #expect(try await fixture.numbers(result?.objectIDs ?? []).contains(1) == false)
            }
            var seen: [Int?] = []
            for await state in try fixture.api.live(Human.self, at: "humans") {
                seen += try await fixture.numbers(state.objectIDs)
            }
            #expect(Set(seen) == [2])
            let text = try fixture.temporary.rows("SELECT * FROM restkit_collection").joined()
            #expect(!text.contains("first") && !text.contains("second"))
        }
    }

    @Test(arguments: [Source.authorizer, .cookie])
    private func sameUserSeesStoredObjects(_ source: Source) async throws {
        try await run(source) { fixture, signIn in
            // The authorizer is asked for the first credential by the first request.
            if source == .cookie { try await signIn("first") }
            try await fixture.load()
            #expect(try await fixture.load().origin == .fresh)
            let list = try await fixture.api.collection(at: "humans")
            #expect(list?.objectIDs.count == 1)
            let states = try fixture.api.live(
                Human.self, at: "humans", maximumAge: .seconds(60))
            for await state in states {
                #expect(state.objectIDs.count == 1 && !state.phase.isLoading)
                break
            }
        }
    }

    @Test func credentialOfAuthorizerFindsCollectionOffline() async throws {
        var kept: (ObjectManager, HumanFixture)?
        try await run(.authorizer) { fixture, _ in
            try await fixture.load()
            kept = (fixture.api, fixture)
        }
        let (api, fixture) = try #require(kept)
        // As after a start of the program, the first credential is that of the authorizer.
        api.configure {
            $0.client.interceptors = [
                AuthorizationInterceptor { (_: BearerToken?, _) in BearerToken("first") }
            ]
        }
        let result = try await fixture.load {
            $0.request.cachePolicy = .revalidate
            $0.options.answersOffline = true
        }
        #expect(result.origin == .offline && result.objectIDs.count == 1)
    }

    @Test func walkBelongsToUserOfItsFirstPage() async throws {
        try await run(.authorizer) { fixture, _ in
            let walk = try await fixture.pages(.keep).fetchAll()
            #expect(walk.collection?.objectIDs.count == 1)
            let stored = try await fixture.api.collection(at: "humans", isPaged: true)
            #expect(stored?.objectIDs == walk.collection?.objectIDs)
            fixture.api.configure { $0.client.interceptors = [] }
            #expect(try await fixture.api.collection(at: "humans", isPaged: true) == nil)
        }
    }
}
