// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// The directives of cache policies in forwarded requests, by the Fetch standard.
@Suite(.tags(.specification)) struct CacheDirectivesTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let policy: CachePolicy
        let control: String?
        var pragma: String?

        var testDescription: String { "\(policy)" }
    }

    static let examples = [
        Example(policy: .standard, control: nil),
        Example(policy: .cacheFirst, control: nil),
        Example(policy: .revalidate, control: "max-age=0"),
        Example(policy: .ignore, control: "no-cache", pragma: "no-cache"),
    ]

    private static func pragma() throws -> HTTPField.Name {
        try #require(HTTPField.Name("Pragma"))
    }

    @Test(arguments: examples, [true, false])
    func sendsDirectivesOfPolicy(example: Example, hasCache: Bool) async throws {
        var harness = try CacheHarness { .text("body", [], to: $0) }
        if !hasCache { harness.client.cache = nil }
        let (response, _) = try await harness.read(policy: example.policy)
        let sent = try #require(harness.transport.requests.first)
        #expect(sent.headerFields[.cacheControl] == example.control)
        #expect(sent.headerFields[try Self.pragma()] == example.pragma)
        // They are not those of the caller.
        if hasCache { #expect(!response.request.headerFields.contains(.cacheControl)) }
    }

    @Test(arguments: [CachePolicy.revalidate, .ignore])
    func keepsDirectivesOfRequest(policy: CachePolicy) async throws {
        let harness = try CacheHarness { .text("body", [], to: $0) }
        let own = [("Cache-Control", "max-stale"), ("Pragma", "x")]
        _ = try await harness.read(.get, own, policy: policy)
        let sent = try #require(harness.transport.requests.first)
        #expect(sent.headerFields[.cacheControl] == "max-stale")
        #expect(sent.headerFields[try Self.pragma()] == "x")
    }

    @Test(arguments: [("max-age=60, immutable", "max-age=0"), ("max-age=60", nil)])
    func bypassesCachesForStaleImmutableResponse(control: String, sent: String?) async throws {
        let harness = try CacheHarness { request in
            let isKnown = request.headerFields[.ifNoneMatch] == "\"1\""
            return .text(
                "body", [("ETag", "\"1\""), ("Cache-Control", control)],
                status: isKnown ? 304 : 200, to: request)
        }
        _ = try await harness.read()
        harness.clock.advance(by: .seconds(61))
        let (response, _) = try await harness.read()
        #expect(response.origin == .revalidated)
        let requests = harness.transport.requests
        #expect(requests.map { $0.headerFields[.cacheControl] } == [nil, sent])
        let pragma = try Self.pragma()
        #expect(requests.last?.headerFields.contains(pragma) == false)
    }

    @Test func keepsPragmaAfterRedirectToOtherOrigin() async throws {
        let transport = StubTransport { request in
            guard request.url.host == "api.test" else { return .stub(to: request) }
            return .stub(.found, headerFields: [.location: "https://other.test/"], to: request)
        }
        let client = try HTTPClient(transport)
        var request = try client.request(at: "a")
        request.cachePolicy = .ignore
        _ = try await client.send(request)
        let pragma = try Self.pragma()
        #expect(transport.requests.map { $0.headerFields[pragma] } == ["no-cache", "no-cache"])
    }
}
